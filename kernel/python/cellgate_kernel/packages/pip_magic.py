"""%pip: `install` goes to the session's own site directory by way of the gateway, all else is pip's."""

from typing import Any, Callable, List

from .. import settings
from . import client, pip_words


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
            _install(shell, *pip_words.parse(rest))
        except pip_words.Mistaken as problem:
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
    print(client.success(requirements, answer), end="")
