"""What a user's program does with the package composio, from the first call to the last: GATEWAY_URL, GATEWAY_KEY.

Run by itself, in a network where the gateway's public_url passes for public (support/blob_network.py). Prints "done"."""

import os
from concurrent.futures import ThreadPoolExecutor

import composio
import composio_client

SALES = "region,product,units,price\nnorth,pen,10,1.5\nsouth,pen,,1.5\nnorth,ink,2,20\nsouth,ink,5,20\nnorth,pen,10,1.5\n"

CLEAN = """
import os
import pandas as pd
os.makedirs("/mnt/files/checkpoints", exist_ok=True)
clean = pd.read_csv("/mnt/files/sales.csv").dropna().drop_duplicates()
clean.to_csv("/mnt/files/checkpoints/clean.csv", index=False)
len(clean)
"""

REPORT = """
checked = pd.read_csv("/mnt/files/checkpoints/clean.csv")
checked["revenue"] = checked["units"] * checked["price"]
report = checked.groupby("region", as_index=False)["revenue"].sum()
report.to_csv("/mnt/files/report.csv", index=False)
print(report.to_string(index=False))
"""

HUNDRED_CALLS = """
from concurrent.futures import ThreadPoolExecutor
def add(number):
    answer, error = run_composio_tool("EVERYTHING_GET_SUM", {"a": number, "b": 1})
    return error or str(number + 1) in str(answer["data"])
with ThreadPoolExecutor(max_workers=10) as pool:
    answers = list(pool.map(add, range(100)))
answers.count(True)
"""


def main() -> None:
    client = composio.Composio(api_key=os.environ["GATEWAY_KEY"], base_url=os.environ["GATEWAY_URL"], allow_tracking=False)
    session = client.create(user_id="user_123", sandbox={"enable": True, "sandbox_size": "standard"})
    assert "COMPOSIO_REMOTE_WORKBENCH" in [tool["function"]["name"] for tool in session.tools()]

    def run(code: str) -> dict:
        answer = session.execute("COMPOSIO_REMOTE_WORKBENCH", arguments={"code_to_execute": code})
        assert answer.error is None, answer
        return answer.data

    files = session.experimental.files
    assert files.upload(SALES.encode(), remote_path="sales.csv", mimetype="text/csv").mount_relative_path == "sales.csv"
    assert run(CLEAN)["results"] == "3"
    assert "north     55" in run(REPORT)["stdout"]
    assert run(HUNDRED_CALLS)["results"] == "100"

    counted = session.execute("COMPOSIO_REMOTE_BASH_TOOL", arguments={"command": "wc -l < /mnt/files/report.csv; node -e 'console.log(6*7)' >&2"})
    assert counted.error is None and (counted.data["stdout"], counted.data["stderr"], counted.data["stdoutLines"]) == ("3\n", "42\n", 1), counted

    listed = [item.mount_relative_path for item in files.list(path="/mnt/files").items]
    assert listed == ["checkpoints/clean.csv", "report.csv", "sales.csv"], listed
    assert files.list(limit=1).next_cursor
    for path in ("report.csv", "/report.csv", "/mnt/files/report.csv"):
        assert files.download(path).text() == "region,revenue\nnorth,55.0\nsouth,100.0\n"
    with ThreadPoolExecutor(10) as pool:
        names = list(pool.map(lambda number: files.upload(bytes(number), remote_path=f"many/{number}").filename, range(20)))
    assert names == [str(number) for number in range(20)]

    session.update(sandbox={"sandbox_size": "medium"})
    assert run("'clean' in globals(), len(open('/mnt/files/report.csv').read())")["results"] == "(False, 38)"
    assert files.delete("/report.csv").mount_relative_path == "report.csv"
    files.delete("many")
    assert len(files.list().items) == 2
    assert session.delete() == {"session_id": session.session_id, "deleted": True}
    try:
        files.list()
        raise AssertionError("the files of a session that is gone were listed")
    except composio_client.NotFoundError:
        print("done")


if __name__ == "__main__":
    main()
