// @jupyterlab/services, the client library of JupyterLab, against a gateway: GATEWAY_URL, GATEWAY_KEY.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import services from "@jupyterlab/services";
import WebSocket from "ws";

const url = process.env.GATEWAY_URL;
const serverSettings = services.ServerConnection.makeSettings({
  baseUrl: url + "/", wsUrl: url.replace(/^http/, "ws") + "/", token: process.env.GATEWAY_KEY, appendToken: true,
  WebSocket, fetch, Request, Headers,
});
const kernels = new services.KernelManager({ serverSettings });
const specs = new services.KernelSpecManager({ serverSettings });
const sessions = new services.SessionManager({ serverSettings, kernelManager: kernels });
let kernel;

// Runs a cell; its reply, and the texts and results that came on the way.
async function run(code, on = kernel) {
  const future = on.requestExecute({ code, store_history: true });
  const cell = { text: "", data: [], reply: null };
  future.onIOPub = (message) => {
    if (message.header.msg_type === "stream") cell.text += message.content.text;
    if (["execute_result", "display_data"].includes(message.header.msg_type)) cell.data.push(message.content.data);
  };
  cell.reply = await future.done;
  return cell;
}

// Resolves when `signal` is emitted with arguments that meet the condition.
function emitted(signal, condition) {
  return new Promise((resolve) => {
    const slot = (sender, value) => {
      if (!condition(value)) return;
      signal.disconnect(slot);
      resolve(value);
    };
    signal.connect(slot);
  });
}

before(async () => {
  await Promise.all([kernels.ready, specs.ready, sessions.ready]);
  kernel = await kernels.startNew({ name: "python3" });
  await kernel.info;
});

after(async () => {
  await kernels.shutdownAll();
  for (const manager of [sessions, kernels, specs]) manager.dispose();
});

test("lists kernelspecs", () => {
  assert.equal(specs.specs.default, "cellgate");
  assert.equal(specs.specs.kernelspecs.python3.language, "python");
  assert.ok(specs.specs.kernelspecs.bash);
});

test("speaks the v1 subprotocol", () => assert.equal(kernel._ws.protocol, "v1.kernel.websocket.jupyter.org"));

test("tells about the kernel", async () => {
  const info = await kernel.info;
  assert.equal(info.language_info.name, "python");
  assert.equal(info.status, "ok");
});

test("runs a cell", async () => {
  const cell = await run("print('text')\n6 * 7");
  assert.equal(cell.text, "text\n");
  assert.equal(cell.data[0]["text/plain"], "42");
  assert.equal(cell.reply.content.status, "ok");
});

test("shows rich output", async () => {
  const cell = await run("from IPython.display import HTML, display\ndisplay(HTML('<b>rich</b>'))");
  assert.equal(cell.data[0]["text/html"], "<b>rich</b>");
});

test("completes, inspects and knows what is complete", async () => {
  const completed = await kernel.requestComplete({ code: "impo", cursor_pos: 4 });
  assert.ok(completed.content.matches.some((match) => match.includes("import")));
  const inspected = await kernel.requestInspect({ code: "print", cursor_pos: 5, detail_level: 0 });
  assert.ok(inspected.content.found);
  assert.equal((await kernel.requestIsComplete({ code: "for i in x:" })).content.status, "incomplete");
});

test("answers an input", async () => {
  const future = kernel.requestExecute({ code: "print('hello ' + input('name? '))", allow_stdin: true });
  let text = "";
  future.onStdin = (message) => {
    if (message.header.msg_type === "input_request") kernel.sendInputReply({ value: "Ana", status: "ok" }, message.header);
  };
  future.onIOPub = (message) => { text += message.content.text ?? ""; };
  await future.done;
  assert.match(text, /hello Ana/);
});

test("interrupts a cell", async () => {
  const future = kernel.requestExecute({ code: "print('begun', flush=True)\nwhile True: pass" });
  await new Promise((resolve) => { future.onIOPub = (message) => message.content.text?.includes("begun") && resolve(); });
  await kernel.interrupt();
  assert.equal((await future.done).content.ename, "KeyboardInterrupt");
});

test("asks the debugger", async () => {
  const future = kernel.requestDebug({ type: "request", seq: 0, command: "debugInfo" });
  const reply = await future.done;
  assert.equal(reply.content.success, true);
});

test("exchanges binary buffers with a comm", async () => {
  await run(`
def echo(comm, opened):
    comm.send({"n": len(opened["buffers"])}, buffers=[bytes(b) for b in opened["buffers"]])
get_ipython().kernel.comm_manager.register_target("echo", echo)`);
  const comm = kernel.createComm("echo");
  const answered = new Promise((resolve) => { comm.onMsg = resolve; });
  const sent = new Uint8Array([0xff, 0xfe, 0x00]);
  comm.open({}, {}, [sent.buffer, new ArrayBuffer(0)]);
  const answer = await answered;
  assert.equal(answer.content.data.n, 2);
  assert.deepEqual(new Uint8Array(answer.buffers[0].buffer ?? answer.buffers[0], answer.buffers[0].byteOffset ?? 0, 3), sent);
});

test("restarts the kernel on the same connection", async () => {
  await run("x = 1");
  await kernel.restart();
  assert.equal((await run("'x' in globals()")).data[0]["text/plain"], "False");
});

test("reconnects and goes on", async () => {
  await run("y = 41");
  await kernel.reconnect();
  assert.equal((await run("y + 1")).data[0]["text/plain"], "42");
});

test("gets a whole cell whose connection was cut", async () => {
  const cell = run("import time\nfor i in range(300):\n    print(i, flush=True)\n    time.sleep(0.01)");
  await emitted(kernel.iopubMessage, (message) => message.content.text?.includes("50\n"));
  kernel._ws._socket?.destroy();
  const numbers = [...new Set((await cell).text.trim().split("\n").map(Number))];
  assert.deepEqual(numbers, Array.from({ length: 300 }, (_, i) => i));
});

test("sees a kernel die and come back", async () => {
  const restarting = emitted(kernel.statusChanged, (status) => status === "autorestarting");
  run("import os; os._exit(1)").catch(() => {});
  await restarting;
  await emitted(kernel.statusChanged, (status) => status === "idle");
  const answer = await run("6 * 7");
  assert.equal(answer.data[0]["text/plain"], "42");
});

test("keeps sessions", async () => {
  const session = await sessions.startNew({ path: "a.ipynb", name: "a.ipynb", type: "notebook", kernel: { name: "python3" } });
  assert.equal((await run("6 * 7", session.kernel)).data[0]["text/plain"], "42");
  await session.setPath("b.ipynb");
  await sessions.refreshRunning();
  const models = [...sessions.running()];
  assert.ok(models.some((model) => model.path === "b.ipynb" && model.kernel.id === session.kernel.id));
  const again = await sessions.findByPath("b.ipynb");
  assert.equal(again.id, session.id);
  await session.shutdown();
  await sessions.refreshRunning();
  assert.ok(![...sessions.running()].some((model) => model.id === session.id));
});

test("finds a running kernel and attaches to it", async () => {
  await kernels.refreshRunning();
  const model = [...kernels.running()].find((found) => found.id === kernel.id);
  assert.equal(model.name, "python3");
  const other = kernels.connectTo({ model });
  await run("z = 41");
  assert.equal((await run("z + 1", other)).data[0]["text/plain"], "42");
  other.dispose();
});

test("runs a kernel of another language", async () => {
  const bash = await kernels.startNew({ name: "bash" });
  assert.match((await run("echo $((6 * 7))", bash)).text, /42/);
  await bash.shutdown();
});

test("shuts a kernel down", async () => {
  const shortlived = await kernels.startNew({ name: "python3" });
  await shortlived.info;
  await shortlived.shutdown();
  assert.equal(shortlived.status, "dead");
  assert.equal(await services.KernelAPI.getKernelModel(shortlived.id, serverSettings), undefined);
});
