"""Comms, by the `comm` package: what ipywidgets and others talk to their front end with."""

import importlib.abc
import importlib.machinery
import sys
from typing import Any, Dict, Optional

import comm
from comm.base_comm import BaseComm, CommManager

from . import outbox

manager = CommManager()
_kernel: Any = None  # the facade, which libraries look for on a comm


class Comm(BaseComm):
    """A comm whose messages go out on iopub, under the request of the caller."""

    @property
    def kernel(self) -> Any:
        return _kernel

    def publish_msg(
        self, msg_type: str, data: Any = None, metadata: Any = None, buffers: Any = None, **content: Any
    ) -> None:
        content.update(data={} if data is None else data, comm_id=self.comm_id)
        outbox.publish(msg_type, content, metadata=metadata, buffers=buffers)


def install(kernel: Any) -> None:
    """Make the `comm` package's comms ours, and those of ipykernel too, whenever it is imported."""
    global _kernel
    _kernel = kernel
    _take_over()
    for name in _ADAPTERS:
        if name in sys.modules:
            _ADAPTERS[name](sys.modules[name])
    if not any(isinstance(finder, _AfterImport) for finder in sys.meta_path):
        sys.meta_path.insert(0, _AfterImport())


def handle(msg_type: str, content: Dict[str, Any], message: Dict[str, Any]) -> None:
    """A comm_open, comm_msg or comm_close from the front end. Errors of the callbacks are logged by the manager."""
    getattr(manager, msg_type)(None, None, message)


def info(target_name: Optional[str]) -> Dict[str, Any]:
    """The content of a comm_info_reply, of one target or of all."""
    comms = {
        comm_id: {"target_name": found.target_name}
        for comm_id, found in list(manager.comms.items())
        if target_name in (None, found.target_name)
    }
    return {"status": "ok", "comms": comms}


def _take_over(module: Any = None) -> None:
    comm.create_comm = Comm
    comm.get_comm_manager = lambda: manager


class DeprecatedComm(Comm):
    """`ipykernel.comm.Comm`, which takes the target's name first."""

    def __init__(self, target_name: str = "", data: Any = None, metadata: Any = None, buffers: Any = None, **rest: Any):
        rest.pop("show_warning", None)
        rest.pop("kernel", None)
        super().__init__(target_name=target_name or "comm", data=data, metadata=metadata, buffers=buffers, **rest)


def _adapt_comm(module: Any) -> None:
    module.Comm = DeprecatedComm
    if hasattr(module, "BaseComm"):
        module.BaseComm = Comm


_ADAPTERS = {
    "ipykernel.comm.comm": _adapt_comm,
    "ipykernel.comm": _adapt_comm,
    "ipykernel.comm.manager": _adapt_comm,
    "ipykernel.ipkernel": _take_over,  # its import puts its own comms into the comm package
}


class _AfterImport(importlib.abc.MetaPathFinder):
    """Adapts a module right after it has been imported."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name not in _ADAPTERS:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Adapting(spec.loader, _ADAPTERS[name])
        return spec


class _Adapting(importlib.abc.Loader):
    def __init__(self, loader: Any, adapt: Any) -> None:
        self._loader, self._adapt = loader, adapt

    def create_module(self, spec: Any) -> Any:
        return self._loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        self._loader.exec_module(module)
        self._adapt(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)
