// @composio/core, the SDK of the tool router, against a gateway: GATEWAY_URL, GATEWAY_KEY.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Composio } from "@composio/core";

const url = process.env.GATEWAY_URL;
const options = { apiKey: process.env.GATEWAY_KEY, baseURL: url, allowTracking: false, disableVersionCheck: true };
const composio = new Composio(options);
const workbench = "COMPOSIO_REMOTE_WORKBENCH";
const run = (of, code, more) => of.execute(workbench, { code_to_execute: code }, undefined, more);
let session;

before(async () => { session = await composio.create("user_123", { sandbox: { sandboxSize: "large" }, mcp: true }); });
after(async () => { await session?.delete().catch(() => {}); });

test("creates a session with a sandbox and an MCP address of the same origin", () => {
  assert.match(session.sessionId, /^ses_/);
  assert.equal(session.sandbox.sandbox_size, "large");
  assert.equal(session.configVersion, 1);
  assert.equal(new URL(session.mcp.url).origin, new URL(url).origin);
  assert.equal(session.mcp.headers["x-api-key"], process.env.GATEWAY_KEY);
});

test("lists tools for a model", async () => {
  const names = (await session.tools()).map((tool) => tool.function.name);
  assert.ok(names.includes(workbench), names);
  assert.ok(names.includes("COMPOSIO_SEARCH_TOOLS"), names);
});

test("keeps variables from one cell to the next, and in the same session used anew", async () => {
  await run(session, "x = 20");
  const again = await composio.use(session.sessionId);
  const answer = await run(again, "print('text')\nx + 1");
  assert.equal(answer.error, null);
  assert.equal(answer.data.results, "21");
  assert.equal(answer.data.stdout, "text\n");
  assert.match(answer.logId, /^log_/);
});

test("tells what code raised", async () => {
  const answer = await run(session, "raise ValueError('no')");
  assert.equal(answer.error, "ValueError: no");
  assert.match(answer.data.stderr, /Traceback/);
});

test("refuses a call without its arguments", async () => {
  await assert.rejects(session.execute(workbench, {}), /Required at .*code_to_execute/);
});

test("searches tools and lists toolkits", async () => {
  const found = await session.search({ query: "add two numbers" });
  assert.ok(found.results[0].primaryToolSlugs.includes("EVERYTHING_GET_SUM"), JSON.stringify(found.results));
  const toolkits = await session.toolkits();
  assert.equal(toolkits.items[0].slug, "everything");
  await assert.rejects(session.authorize("gmail"), /there is no toolkit gmail/);
});

test("calls tools, one and many", async () => {
  const one = await session.execute("EVERYTHING_GET_SUM", { a: 2, b: 3 });
  assert.match(JSON.stringify(one.data), /5/);
  const many = await session.execute("COMPOSIO_MULTI_EXECUTE_TOOL", {
    sync_response_to_workbench: false,
    tools: [1, 2, 3].map((a) => ({ tool_slug: "EVERYTHING_GET_SUM", arguments: { a, b: 10 } })),
  });
  assert.equal(many.data.success_count, 3);
  assert.deepEqual(many.data.results.map((each) => each.index), [0, 1, 2]);
});

test("shows every tool of a toolkit with a schema that the SDK takes", async () => {
  const other = await composio.create("user_123", { preload: { tools: "all" } });
  const names = (await other.tools()).map((tool) => tool.function.name);
  assert.ok(names.includes("EVERYTHING_GET_SUM"), names);
  await other.delete();
});

test("changes the sandbox and remembers what was", async () => {
  await session.update({ sandbox: { sandboxSize: "medium" } });
  assert.equal(session.configVersion, 2);
  assert.equal(session.sandbox.sandbox_size, "medium");
  const gone = await run(session, "x");
  assert.match(gone.error, /NameError/);
  assert.match(gone.data.stderr, /restarted/);
  await session.update({ sandbox: { enable: false } });
  await assert.rejects(run(session, "1"), /workbench.enable/);
  const names = (await session.tools()).map((tool) => tool.function.name);
  assert.ok(!names.includes(workbench), names);
  await session.update({ sandbox: { enable: true } });
});

test("survives a client's timeout and runs the cell once", async () => {
  const seconds = Number(process.env.LONG_CELL_S);
  const limits = process.env.CLIENT_TIMEOUT_MS ? { timeout: Number(process.env.CLIENT_TIMEOUT_MS) } : undefined;
  const impatient = await new Composio({ ...options }).use(session.sessionId);
  await run(session, "count = 0");
  const answer = await run(impatient, `import time\ncount += 1\ntime.sleep(${seconds})\ncount`, limits);
  assert.equal(answer.error, null);
  assert.equal(answer.data.results, "1");
  assert.equal((await run(session, "count")).data.results, "1");
});

test("deletes a session once", async () => {
  assert.deepEqual(await session.delete(), { sessionId: session.sessionId, deleted: true });
  await assert.rejects(session.delete(), /404/);
});
