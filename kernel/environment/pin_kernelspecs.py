"""Makes every kernelspec of this interpreter's environment start this interpreter, by its path.

Packages ship specs that start "python" or "python3.11", which each reader resolves in its own way.
"""

import json
import re
import sys
from pathlib import Path


def pin(spec_file: Path) -> None:
    spec = json.loads(spec_file.read_text())
    if re.fullmatch(r"python(\d(\.\d+)?)?", spec["argv"][0]):
        spec["argv"][0] = sys.executable
        spec_file.write_text(json.dumps(spec, indent=1) + "\n")


for found in Path(sys.prefix).glob("share/jupyter/kernels/*/kernel.json"):
    pin(found)
