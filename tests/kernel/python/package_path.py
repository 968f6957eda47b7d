"""Where the package is: last on sys.path here too, as in a kernel."""

import pathlib
import sys

PACKAGE_DIR = str(pathlib.Path(__file__).resolve().parents[3] / "kernel" / "python")
if PACKAGE_DIR not in sys.path:
    sys.path.append(PACKAGE_DIR)
