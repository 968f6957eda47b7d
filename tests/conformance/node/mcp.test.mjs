// MCP's TypeScript client against the endpoint of a session: MCP_URL, GATEWAY_KEY.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const client = new Client({ name: "cellgate-test", version: "1" });
const transport = new StreamableHTTPClientTransport(new URL(process.env.MCP_URL), {
  requestInit: { headers: { "x-api-key": process.env.GATEWAY_KEY } },
});
const call = (code, options) => client.callTool(
  { name: "COMPOSIO_REMOTE_WORKBENCH", arguments: { code_to_execute: code } }, undefined, options);
const read = (result) => JSON.parse(result.content[0].text);

before(() => client.connect(transport));
after(() => client.close());

test("agrees on a revision", async () => {
  assert.equal(client.getServerVersion().name, "cellgate");
  assert.match(transport.sessionId, /^[0-9a-f]{32}$/);
  await client.ping();
});

test("lists the session's tools", async () => {
  const names = (await client.listTools()).tools.map((tool) => tool.name);
  assert.ok(names.includes("COMPOSIO_REMOTE_WORKBENCH"), names);
});

test("keeps variables between calls", async () => {
  await call("y = 5");
  const answer = read(await call("y * 2"));
  assert.equal(answer.successful, true);
  assert.equal(answer.data.results, "10");
});

test("tells what code raised", async () => {
  const result = await call("1/0");
  assert.equal(result.isError, true);
  assert.match(read(result).error, /ZeroDivisionError/);
});

test("shows images", async () => {
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const result = await call(`import base64\nfrom IPython.display import Image\nImage(base64.b64decode("${pixel}"))`);
  assert.equal(result.content[1].type, "image");
  assert.equal(result.content[1].mimeType, "image/png");
});

test("tells how far a cell is", async () => {
  const seen = [];
  const code = "import time\nfor step in range(40):\n    print('step', step, flush=True)\n    time.sleep(0.1)";
  await call(code, { onprogress: (progress) => seen.push(progress) });
  assert.ok(seen.some((each) => /step \d+/.test(each.message)), JSON.stringify(seen));
});

test("interrupts a cell that is cancelled", async () => {
  const given = new AbortController();
  let begun;
  const started = new Promise((resolve) => { begun = resolve; });
  const waiting = call("print('begun', flush=True)\nwhile True: pass",
    { signal: given.signal, onprogress: (progress) => progress.message === "begun" && begun() });
  await started;
  given.abort("enough");
  await assert.rejects(waiting);
  assert.equal(read(await call("y")).data.results, "5");
});
