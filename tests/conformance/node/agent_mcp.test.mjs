// MCP's own client of revision 2026-07-28 against the gateway's own tools: MCP_URL, GATEWAY_KEY.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const client = new Client({ name: "cellgate-test", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
const transport = new StreamableHTTPClientTransport(new URL(process.env.MCP_URL), {
  requestInit: { headers: { "x-api-key": process.env.GATEWAY_KEY } },
});
const call = (name, args, options) => client.callTool({ name, arguments: args }, options);
const execute = (code, options) => call("execute", { session: "work", code }, options);

before(() => client.connect(transport));
after(() => client.close());

test("speaks the newest revision without a handshake", () => {
  assert.equal(client.getNegotiatedProtocolVersion(), "2026-07-28");
  assert.equal(client.getServerVersion().name, "cellgate");
});

test("makes a session whose variables stay", async () => {
  const names = (await client.listTools()).tools.map((tool) => tool.name);
  assert.ok(names.includes("execute"), names);
  const made = await call("create_session", { name: "work" });
  assert.match(made.structuredContent.id, /^ses_/);
  await execute("y = 5");
  assert.equal((await execute("y * 2")).structuredContent.result, "10");
  const listed = (await call("list_sessions")).structuredContent.sessions;
  assert.ok(listed.some((session) => session.name === "work"), JSON.stringify(listed));
});

test("tells what code raised, and what is wrong with a call", async () => {
  const raised = await execute("1/0");
  assert.equal(raised.isError, true);
  assert.equal(raised.structuredContent.error.ename, "ZeroDivisionError");
  const refused = await call("execute", { session: "nowhere", code: "1" });
  assert.equal(refused.structuredContent.error.code, "session_not_found");
  await assert.rejects(call("no_such_tool", {}), /no_such_tool/);
});

test("shows images", async () => {
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const result = await execute(`import base64\nfrom IPython.display import Image\nImage(base64.b64decode("${pixel}"))`);
  assert.equal(result.content[1].mimeType, "image/png");
});

test("shares files with the sandbox", async () => {
  await call("write_file", { session: "work", path: "in/a.txt", text: "hello" });
  assert.equal((await execute("open('/mnt/files/in/a.txt').read()")).structuredContent.result, "'hello'");
  await execute("open('/mnt/files/out.bin', 'wb').write(bytes([255, 0]))");
  const listed = (await call("list_files", { session: "work" })).structuredContent.files;
  assert.deepEqual(listed.map((file) => file.path), ["in/a.txt", "out.bin"]);
  assert.equal((await call("read_file", { session: "work", path: "out.bin" })).structuredContent.base64, "/wA=");
});

test("tells how far a cell is, and ends it when its caller leaves", async () => {
  const given = new AbortController();
  let begun;
  const started = new Promise((resolve) => { begun = resolve; });
  const waiting = execute("print('begun', flush=True)\nwhile True: pass",
    { signal: given.signal, onprogress: (progress) => progress.message === "begun" && begun() });
  await started;
  given.abort("enough");
  await assert.rejects(waiting);
  assert.equal((await execute("y")).structuredContent.result, "5");
});

test("ends the session", async () => {
  assert.equal((await call("end_session", { session: "work" })).structuredContent.deleted, true);
});
