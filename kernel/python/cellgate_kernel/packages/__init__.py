"""Packages on demand: what a cell imports and is not installed, the gateway installs before the cell runs.

Works in every kernel with IPython's shell. docs/packages.md has what is installed and what never.
"""

from typing import Any

from . import hook, pip_magic, pip_service, site_directory

__all__ = ["install"]


def install(shell: Any) -> None:
    """Prepare this kernel; calling it again does nothing."""
    site_directory.make_importable()
    if shell is not None:
        hook.install(shell)
        pip_magic.install(shell)
        pip_service.install(shell)
