"""The user's IPython profile: configuration and start-up files, when there are any."""

import os
from typing import Any

from traitlets.config.loader import Config, ConfigFileNotFound, JSONFileConfigLoader, PyFileConfigLoader

_NAMES = ("ipython_config", "ipython_kernel_config")


def apply(shell: Any) -> None:
    """Do what the profile says. Costs two looks at the disk when there is none; errors are shown, not raised."""
    where = os.path.join(_home_of_ipython(), "profile_default")
    if os.environ.get("PYTHONSTARTUP") or os.path.isdir(where):
        _start(shell, _configuration(where))


def _home_of_ipython() -> str:
    return os.environ.get("IPYTHONDIR") or os.path.expanduser("~/.ipython")


def _configuration(where: str) -> Config:
    found = Config()
    for name in _NAMES:
        for loader in (PyFileConfigLoader(name + ".py", path=where), JSONFileConfigLoader(name + ".json", path=where)):
            try:
                found.merge(loader.load_config())
            except ConfigFileNotFound:
                continue
            except Exception as error:
                print(f"{where}/{name} is not used: {type(error).__name__}: {error}")
    return found


def _start(shell: Any, config: Config) -> None:
    from IPython.core.shellapp import InteractiveShellApp

    if config:
        shell.update_config(config)
        for part in shell.configurables[1:]:
            part.update_config(config)
        shell.history_manager.configured(config.get("HistoryManager", {}).get("enabled", True))
    app = InteractiveShellApp(parent=shell, config=shell.config, default_extensions=[])
    app.shell, app.profile_dir, app.extra_args = shell, shell.profile_dir, []
    app.init_extensions()
    app.init_code()
