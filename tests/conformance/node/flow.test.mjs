// What a user's program does with @composio/core, from the first call to the last: GATEWAY_URL, GATEWAY_KEY.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Composio } from "@composio/core";

const composio = new Composio({
  apiKey: process.env.GATEWAY_KEY, baseURL: process.env.GATEWAY_URL, allowTracking: false, disableVersionCheck: true });
const run = async (code) => {
  const answer = await session.execute("COMPOSIO_REMOTE_WORKBENCH", { code_to_execute: code });
  assert.equal(answer.error, null, JSON.stringify(answer));
  return answer.data;
};
const sales = "region,product,units,price\nnorth,pen,10,1.5\nsouth,pen,,1.5\nnorth,ink,2,20\nsouth,ink,5,20\nnorth,pen,10,1.5\n";
let session;
let files;

before(async () => {
  session = await composio.create("user_123", { sandbox: { sandboxSize: "standard" } });
  files = session.experimental.files;
});
after(async () => { await session?.delete().catch(() => {}); });

test("uploads a file that is in the sandbox at once", async () => {
  const made = await files.upload(Buffer.from(sales), { remotePath: "sales.csv", mimetype: "text/csv" });
  assert.equal(made.mountRelativePath, "sales.csv");
  assert.equal((await run("len(open('/mnt/files/sales.csv').read())")).results, String(sales.length));
});

test("cleans, keeps a checkpoint, and reports in a second step", async () => {
  await run(`
import os
import pandas as pd
os.makedirs("/mnt/files/checkpoints", exist_ok=True)
clean = pd.read_csv("/mnt/files/sales.csv").dropna().drop_duplicates()
clean.to_csv("/mnt/files/checkpoints/clean.csv", index=False)`);
  const second = await run(`
checked = pd.read_csv("/mnt/files/checkpoints/clean.csv")
checked["revenue"] = checked["units"] * checked["price"]
report = checked.groupby("region", as_index=False)["revenue"].sum()
report.to_csv("/mnt/files/report.csv", index=False)
print(report.to_string(index=False))`);
  assert.match(second.stdout, /north\s+55/);
});

test("calls a hundred tools from ten threads of one cell", async () => {
  const done = await run(`
from concurrent.futures import ThreadPoolExecutor
def add(number):
    answer, error = run_composio_tool("EVERYTHING_GET_SUM", {"a": number, "b": 1})
    return error or str(number + 1) in str(answer["data"])
with ThreadPoolExecutor(max_workers=10) as pool:
    answers = list(pool.map(add, range(100)))
answers.count(True)`);
  assert.equal(done.results, "100");
});

test("runs a command beside the cells", async () => {
  const done = await session.execute("COMPOSIO_REMOTE_BASH_TOOL", { command: "cut -d, -f1 /mnt/files/report.csv | sort; false" });
  assert.equal(done.error, null);
  assert.deepEqual([done.data.stdout, done.data.stdoutLines, done.data.exit_code], ["north\nregion\nsouth\n", 3, 1]);
});

test("lists the files in pages", async () => {
  const paths = [];
  for (let cursor; ;) {
    const page = await files.list({ path: "/", limit: 2, cursor });
    paths.push(...page.items.map((item) => item.mountRelativePath));
    if (!(cursor = page.nextCursor)) break;
  }
  assert.deepEqual(paths, ["checkpoints/clean.csv", "report.csv", "sales.csv"]);
  assert.equal((await files.list({ path: "/mnt/files" })).items.length, 3);
});

test("downloads what code wrote, however it is named", async () => {
  for (const path of ["report.csv", "/report.csv", "/mnt/files/report.csv"])
    assert.equal(await (await files.download(path)).text(), "region,revenue\nnorth,55.0\nsouth,100.0\n");
  await assert.rejects(files.download("nothing.csv"), /404/);
  await assert.rejects(files.download("../../etc/passwd"), /400/);
});

test("changes the sandbox's size and keeps the files", async () => {
  await session.update({ sandbox: { sandboxSize: "large" } });
  assert.equal(session.sandbox.sandbox_size, "large");
  assert.equal((await run("'clean' in globals(), open('/mnt/files/report.csv').readline()")).results, "(False, 'region,revenue\\n')");
});

test("deletes files, and the session", async () => {
  assert.equal((await files.delete("/report.csv")).mountRelativePath, "report.csv");
  await files.delete("report.csv");
  await files.delete("checkpoints");
  assert.deepEqual((await files.list()).items.map((item) => item.mountRelativePath), ["sales.csv"]);
  await session.delete();
  await assert.rejects(files.list(), /404/);
});
