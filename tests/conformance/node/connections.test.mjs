// @composio/core connects an account of a service and calls it: GATEWAY_URL, GATEWAY_KEY, USER_ID, SECRET. The service is
// support/api_service.py, configured as the services "github" (a token) and "jira" (a user name and a password).
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Composio } from "@composio/core";

const composio = new Composio({
  apiKey: process.env.GATEWAY_KEY, baseURL: process.env.GATEWAY_URL, allowTracking: false, disableVersionCheck: true });
const fill = (url, fields) => fetch(url, { method: "POST", body: new URLSearchParams(fields), redirect: "manual" });
const stateOf = async (slug) => (await session.toolkits({ toolkits: [slug] })).items.find((each) => each.slug === slug);
let session;

before(async () => { session = await composio.create(process.env.USER_ID); });
after(async () => { await session?.delete().catch(() => {}); });

test("connects an account, and calls the service with it", async () => {
  assert.equal((await stateOf("github")).connection.isActive, false);
  const request = await session.authorize("github", { callbackUrl: "https://app.example/done", alias: "typescript" });
  assert.equal(request.status, "INITIATED");
  assert.match(await (await fetch(request.redirectUrl)).text(), /Connect github/);
  const waiting = request.waitForConnection(20_000);
  const filled = await fill(request.redirectUrl, { secret: process.env.SECRET });
  assert.equal(filled.status, 303);
  assert.equal(filled.headers.get("location"), `https://app.example/done?status=success&connected_account_id=${request.id}`);
  const account = await waiting;
  assert.deepEqual([account.id, account.status, account.toolkit.slug, account.alias], [request.id, "ACTIVE", "github", "typescript"]);
  const state = await stateOf("github");
  assert.deepEqual([state.isNoAuth, state.connection.isActive, state.connection.connectedAccount.id], [false, true, request.id]);
  const { status, data } = await session.proxyExecute({ toolkit: "github", method: "GET", endpoint: "/user" });
  assert.deepEqual([status, data], [200, { login: "ada" }]);
});

test("needs no second link for what is connected", async () => {
  const { wasConnected, connectedAccount } = await session.ensureConnected("github");
  assert.deepEqual([wasConnected, connectedAccount.status], [true, "ACTIVE"]);
  const connected = await session.toolkits({ isConnected: true });
  assert.deepEqual(connected.items.map((each) => each.slug), ["github"]);
});

test("connects a service that wants a user name, after a mistake", async () => {
  const request = await session.authorize("jira");
  const again = await fill(request.redirectUrl, { username: "a:da", secret: process.env.SECRET });
  assert.equal(again.status, 400);
  assert.ok(!(await again.text()).includes(process.env.SECRET));
  assert.equal((await fill(request.redirectUrl, { username: "ada", secret: process.env.SECRET })).status, 200);
  const account = await request.waitForConnection(20_000);
  assert.equal(account.authConfig.authScheme, "BASIC");
});

test("is told of a link that expired", async () => {
  const request = await session.authorize("github");
  await assert.rejects(request.waitForConnection(60_000), /EXPIRED/);
});

test("is told what cannot be connected", async () => {
  await assert.rejects(session.authorize("gmail"), /404.*accounts\.services\.NAME/);
  await assert.rejects(session.authorize("github", { alias: "typescript" }), /409/);
  await assert.rejects(session.authorize("github", { callbackUrl: "javascript:alert(1)" }), /400.*callback_url/);
});
