"""`get_ipython().kernel`: what libraries use of ipykernel's kernel object."""

import logging
from typing import Any, Dict, List, Optional, Sequence

from . import comms, loop, outbox, request, stdin


class Session:
    """Who this kernel is in its messages."""

    username = "kernel"

    @property
    def session(self) -> str:
        core = outbox.core()
        return str(core.session()) if core is not None else ""

    @property
    def msg_id(self) -> str:
        """A new id."""
        import uuid

        return str(uuid.uuid4())


class KernelFacade:
    """Stands in for ipykernel.ipkernel.IPythonKernel."""

    implementation = "ipython"
    log = logging.getLogger("cellgate")

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.session = Session()
        self.shells: Dict[Optional[str], Any] = {}  # those that run, by subshell id; None is the main one

    @property
    def comm_manager(self) -> Any:
        return comms.manager

    @property
    def user_ns(self) -> Dict[str, Any]:
        return self.shell.user_ns  # type: ignore[no-any-return]

    @property
    def user_module(self) -> Any:
        return self.shell.user_module

    @property
    def execution_count(self) -> int:
        return int(self.shell.execution_count)

    @property
    def banner(self) -> str:
        return str(self.shell.banner)

    @property
    def _parent_header(self) -> Dict[str, Any]:
        return self.get_parent()

    @property
    def _allow_stdin(self) -> bool:
        return request.current().allow_stdin

    def get_parent(self, channel: Optional[str] = None) -> Dict[str, Any]:
        """The whole message of the request that is being handled."""
        return request.current().message()

    def set_parent(self, ident: Any, parent: Dict[str, Any], channel: str = "shell") -> None:
        request.adopt(parent)

    def send_response(
        self,
        stream: Any,
        msg_or_type: Any,
        content: Optional[Dict[str, Any]] = None,
        ident: Any = None,
        buffers: Optional[Sequence[Any]] = None,
        track: bool = False,
        header: Any = None,
        metadata: Optional[Dict[str, Any]] = None,
        channel: Any = None,
    ) -> None:
        """Publish on iopub; `stream` is not looked at."""
        if isinstance(msg_or_type, dict):
            msg_or_type, content = msg_or_type["header"]["msg_type"], msg_or_type["content"]
        outbox.publish(msg_or_type, content or {}, metadata=metadata, buffers=buffers)

    def raw_input(self, prompt: str = "") -> str:
        return stdin._input(prompt)

    def getpass(self, prompt: str = "", stream: Any = None) -> str:
        return stdin._getpass(prompt, stream)

    def subshell_id(self) -> Optional[str]:
        """Of the shell that handles the current request; None: the main one."""
        return request.current().shell_id

    def subshell_ids(self) -> List[str]:
        return [name for name in self.shells if name is not None]
