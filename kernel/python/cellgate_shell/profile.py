"""The user's IPython profile: configuration and start-up files, when there are any."""

import logging
import os
import sys
import traceback
from copy import deepcopy
from typing import Any, List

from IPython.core.application import ENV_CONFIG_DIRS, SYSTEM_CONFIG_DIRS
from IPython.core.shellapp import InteractiveShellApp
from traitlets.config.loader import Config, ConfigFileNotFound, JSONFileConfigLoader, PyFileConfigLoader

_NAMES = ("ipython_config", "ipython_kernel_config")


def apply(shell: Any) -> None:
    """Do what the profile says. Costs a few looks at the disk when there is none; errors are shown, not raised."""
    places = [where for where in _places() if os.path.isdir(where)]
    if not places and not os.environ.get("PYTHONSTARTUP"):
        return
    try:
        _start(shell, _configuration(places))
    except Exception:
        traceback.print_exc()


def _places() -> List[str]:
    """Directories with configuration, the most particular last."""
    home = os.environ.get("IPYTHONDIR") or os.path.expanduser("~/.ipython")
    return [*SYSTEM_CONFIG_DIRS, *ENV_CONFIG_DIRS, os.path.join(home, "profile_default")]


def _configuration(places: List[str]) -> Config:
    found = Config()
    for where in places:
        for name in _NAMES:
            for loader in (PyFileConfigLoader(f"{name}.py", path=where), JSONFileConfigLoader(f"{name}.json", path=where)):
                try:
                    found.merge(loader.load_config())
                except ConfigFileNotFound:
                    continue
                except Exception as error:
                    print(f"{where}/{name} is not used: {type(error).__name__}: {error}", file=sys.stderr)
    return found


class IPKernelApp(InteractiveShellApp):
    """IPython's own way to load extensions and to run start-up files; by the name that ipykernel's has in profiles."""

    log = logging.getLogger("cellgate")
    extra_args: List[str] = []

    @property
    def ipython_dir(self) -> str:
        return str(self.shell.ipython_dir)

    @property
    def profile_dir(self) -> Any:
        return self.shell.profile_dir


def _start(shell: Any, config: Config) -> None:
    if config:
        shell.update_config(config)
        for part in shell.configurables[1:]:
            part.update_config(config)
        shell.history_manager.configured(config.get("HistoryManager", {}).get("enabled", True))
    asked = deepcopy(shell.config)
    asked.IPKernelApp.pop("tqdm", None)  # a mark for tqdm, nothing to configure
    app = IPKernelApp(config=asked)
    app.shell, app.default_extensions = shell, []
    app.init_gui_pylab()
    app.init_extensions()
    app.init_code()
