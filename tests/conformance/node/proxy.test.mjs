// @composio/core calls a service with a connected account of the session's user: GATEWAY_URL, GATEWAY_KEY, USER_ID, SECRET.
// The service is support/api_service.py, the account's toolkit "github".
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Composio } from "@composio/core";

const composio = new Composio({
  apiKey: process.env.GATEWAY_KEY, baseURL: process.env.GATEWAY_URL, allowTracking: false, disableVersionCheck: true });
const call = (method, endpoint, more) => session.proxyExecute({ toolkit: "github", method, endpoint, ...more });
const header = (data, name) => Object.entries(data.headers).find(([each]) => each.toLowerCase() === name)?.[1];
let session;

before(async () => { session = await composio.create(process.env.USER_ID); });
after(async () => { await session?.delete().catch(() => {}); });

test("gets an answer with its status and headers", async () => {
  const answer = await call("GET", "/user");
  assert.deepEqual([answer.status, answer.data], [200, { login: "ada" }]);
  assert.equal(answer.headers["content-type"], "application/json");
  assert.ok(!("binaryData" in answer));
});

test("sends the method, query and header parameters", async () => {
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
    const { data } = await call(method, "/echo/below?begun=1", { parameters: [
      { in: "query", name: "q", value: "a b&c=ü" }, { in: "query", name: "page", value: 2 }, { in: "query", name: "q", value: "again" },
      { in: "header", name: "X-Mark", value: "of the client" }] });
    assert.deepEqual([data.method, data.path], [method, "/echo/below"]);
    assert.deepEqual(data.query, { begun: ["1"], q: ["a b&c=ü", "again"], page: ["2"] });
    assert.equal(header(data, "x-mark"), "of the client");
  }
});

test("sends a body as JSON, as it was written, and a text as text", async () => {
  const sent = { name: "ü\u{1f600}", list: [1, 2.5, null, true], nested: { empty: {} } };
  for (const body of [sent, [], 0, false]) {
    const { data } = await call("POST", "/echo", { body });
    assert.equal(data.body, JSON.stringify(body));
    assert.equal(header(data, "content-type"), "application/json");
  }
  const { data } = await call("PUT", "/echo", { body: "plain" });
  assert.equal(data.body, "plain");
  assert.match(header(data, "content-type"), /^text\/plain/);
});

test("gets bytes at an address that needs nobody", async () => {
  const { status, data, binaryData } = await call("GET", "/picture");
  assert.deepEqual([status, data, binaryData.contentType, binaryData.size], [200, undefined, "image/png", 9]);
  assert.ok(new Date(binaryData.expiresAt) > new Date());
  const bytes = Buffer.from(await (await fetch(binaryData.url)).arrayBuffer());
  assert.equal(bytes.toString("hex"), "89504e470d0a1a0a00");
});

test("gets the service's own failure as an answer", async () => {
  const answer = await call("GET", "/missing");
  assert.deepEqual([answer.status, answer.data], [404, { message: "there is no such thing" }]);
});

test("is told of a call that broke off", async () => {
  await assert.rejects(call("POST", "/cut/typescript", { body: {} }), /502.*broke off/);
});

test("is refused without an account, on another host, and with a header of the gateway's", async () => {
  await assert.rejects(call("GET", "/user", { toolkit: "gitlab" }), /400.*no connected account for gitlab/);
  await assert.rejects(call("GET", "https://elsewhere.example/user"), /400.*none of the hosts/);
  for (const name of ["Authorization", "Host"])
    await assert.rejects(call("GET", "/user", { parameters: [{ in: "header", name, value: "mine" }] }), /400.*cannot be set/);
});

test("sees no secret, also where the service tells it", async () => {
  const told = await call("GET", "/echo");
  assert.equal(header(told.data, "authorization"), "Bearer (hidden)");
  assert.equal(told.headers["x-echo"], "Bearer (hidden)");
  assert.ok(!("set-cookie" in told.headers));
  const again = await composio.use(session.sessionId);
  for (const seen of [told, again.config, await call("GET", "/missing"), await session.toolkits()])
    assert.ok(!JSON.stringify(seen).includes(process.env.SECRET));
});
