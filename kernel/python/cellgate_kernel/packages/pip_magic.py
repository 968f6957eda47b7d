"""%pip: `install` goes to the session's own site directory by way of the gateway, all else is pip's."""

import os
import pathlib
import shlex
from typing import Any, Callable, List, Tuple

from .. import settings
from . import client

# Options of `pip install` that change nothing here, and whether each takes a value.
_WITHOUT_EFFECT = {
    "-q": False, "-qq": False, "-qqq": False, "--quiet": False, "-v": False, "--verbose": False, "-y": False,
    "--user": False, "--no-cache-dir": False, "--disable-pip-version-check": False, "--no-input": False,
    "--prefer-binary": False, "--break-system-packages": False, "--no-warn-script-location": False,
    "--progress-bar": True, "--upgrade-strategy": True, "--only-binary": True, "--root-user-action": True,
}
# Where packages come from is not a cell's to say.
_OF_THE_CONFIGURATION = frozenset({"i", "f", "index-url", "extra-index-url", "find-links", "trusted-host", "no-index", "proxy", "cert"})


class Mistaken(Exception):
    """The line cannot be done. The text says what to do."""


def install(shell: Any) -> None:
    """Replace IPython's %pip in this shell; a second call does nothing."""
    usual = shell.find_line_magic("pip")
    if usual is None or getattr(usual, "_cellgate", False):
        return

    def pip(line: str) -> None:
        _run(shell, usual, line)

    pip.__doc__ = __doc__
    pip._cellgate = True  # type: ignore[attr-defined]
    shell.register_magic_function(pip, "line", "pip")


def _run(shell: Any, usual: Callable[[str], Any], line: str) -> None:
    command, _, rest = line.strip().partition(" ")
    if command == "uninstall":
        client.tell("what a session installed goes with it, and what its environment has stays: nothing was uninstalled")
    elif command != "install":
        usual(line)
    else:
        try:
            _install(shell, *parse(rest))
        except Mistaken as problem:
            client.tell("nothing was installed: %s" % problem)
        shell._cellgate_installer.after_pip()


def _install(shell: Any, requirements: List[str], upgrade: bool) -> None:
    what = {"requirements": requirements, "upgrade": upgrade}
    with client.Progress("installing %s" % ", ".join(requirements)) as line:
        try:
            answer = client.install(settings.parent_of_request(shell), what)
        except client.NotInstalled as problem:
            line.end(str(problem))
            return
        line.end(client.reasons(answer["refused"]))
    if answer["installed"]:
        print("Successfully installed %s" % client.described(answer["installed"]))
    elif not answer["refused"]:
        print("Requirements already satisfied: %s" % ", ".join(requirements))


def parse(line: str) -> Tuple[List[str], bool]:
    """What is asked for by the words behind `install`, and whether newer versions are."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError as problem:
        raise Mistaken("the line cannot be read (%s)" % problem) from None
    requirements: List[str] = []
    upgrade = False
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if not word.startswith("-"):
            requirements.append(word)
        elif word in ("-U", "--upgrade"):
            upgrade = True
        elif name in ("-r", "--requirement"):
            requirements += _requirements_of(value or next(rest, ""))
        elif name in _WITHOUT_EFFECT:
            if _WITHOUT_EFFECT[name] and not equals:
                next(rest, "")
        else:
            raise Mistaken(_refusal(name))
    if not requirements:
        raise Mistaken("%pip install needs names, such as: %pip install humanize")
    return requirements, upgrade


def _refusal(option: str) -> str:
    if option.lstrip("-") in _OF_THE_CONFIGURATION:
        return "where packages come from is set in the gateway's configuration; leave %s out" % option
    return "%s cannot be used here: %%pip install takes names with versions, -r FILE and --upgrade" % option


def _requirements_of(path: str) -> List[str]:
    try:
        text = pathlib.Path(os.path.expanduser(path)).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise Mistaken("%s cannot be read (%s)" % (path, problem)) from None
    lines = (line.split(" #")[0].strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]
