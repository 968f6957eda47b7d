"""`pip install` of a program is done by the kernel that it belongs to (pip_service.py); all else of pip is pip's."""

import os
import re
import sys

# Of the user's own choice where that is another place than the session's, or that nothing is installed.
_LEFT_TO_PIP = re.compile(r"(-t.*|--(target|prefix|root|python|dry-run|help|download)(=.*)?|-h)", re.DOTALL)
_LONGEST_S = 3600.0


def take_over() -> None:
    """Ends this process when it is a `pip install` and that has been done. Returns where it is pip's own affair."""
    words = _words_of_pip()
    command = next((each for each in words if not each.startswith("-")), "")
    if command not in ("install", "uninstall"):
        return
    if command == "uninstall":
        _end({"err": "cellgate: what a session installed goes with it, and what its environment has stays: nothing was uninstalled\n"})
    words.remove(command)
    if any(map(_LEFT_TO_PIP.fullmatch, words)):
        return
    answer = _ask(words)
    if answer:
        if any(re.fullmatch(r"-q+|--quiet", each) for each in words):
            answer["out"] = ""
        _end(answer)


def _words_of_pip():  # type: () -> list
    """What follows `python -m pip`, or the environment's script `pip`; empty for another program."""
    try:
        with open("/proc/self/cmdline", "rb") as file:
            words = [os.fsdecode(each) for each in file.read().split(b"\0")[1:-1]]
    except OSError:
        return []
    for at, word in enumerate(words):
        if word == "-m":
            return words[at + 2 :] if words[at + 1 : at + 2] == ["pip"] else []
        if re.fullmatch(r"-m.+", word) or word == "-c":
            return words[at + 1 :] if word == "-mpip" else []
        if not word.startswith("-"):
            in_environment = os.path.realpath(os.path.dirname(word)) == os.path.realpath(os.path.join(sys.prefix, "bin"))
            return words[at + 1 :] if in_environment and re.fullmatch(r"pip[\d.]*", os.path.basename(word)) else []
    return []


def _ask(words):  # type: (list) -> dict
    """The kernel's answer; empty when there is none, as from a program that outlives its kernel."""
    import json
    import socket

    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as kernel:
            kernel.settimeout(_LONGEST_S)
            kernel.connect(os.environ["CELLGATE_PIP"])
            kernel.sendall(json.dumps({"words": words, "directory": os.getcwd()}).encode("ascii") + b"\n")
            with kernel.makefile("rb") as answer:
                return json.loads(answer.read() or b"{}")
    except (OSError, ValueError):
        return {}


def _end(answer):  # type: (dict) -> None
    """Without what Python does at the end of a program that has begun."""
    for stream, text in ((sys.stdout, answer.get("out")), (sys.stderr, answer.get("err"))):
        try:
            stream.write(text or "")
            stream.flush()
        except (OSError, ValueError, AttributeError):  # nobody reads it
            continue
    os._exit(answer.get("status", 0))
