"""Installs distributions into a session's site directory; the gateway runs it with the Python of the session's kernel.

    python -I cellgate_installer < request.json > answer.json

The request is {"requirements": ["scikit-learn", ...], "site": DIRECTORY, "staging": DIRECTORY, "upgrade": false,
"max_bytes": N, "max_distributions": N}; the answer {"installed": [{"name", "version"}...], "refused": [{"requirement",
"reason"}...]}. `staging` is an empty directory of this run alone, on the file system of `site`. Where packages come from,
and pip's cache, are pip's environment variables.

Nothing that it installs is ever run or imported here: only wheels are taken, and pip's own modules come first.
"""

import json
import os
import sys
import traceback
from typing import Any, Dict

sys.path.pop(0)  # this directory: from here on only Python's own modules and the environment's
sys.path_importer_cache.clear()


def main() -> None:
    # What pip prints must not be mixed with the answer, nor with what the gateway logs: a traceback of ours.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    errors = os.fdopen(os.dup(2), "w", encoding="utf-8", errors="replace")
    sys.excepthook = lambda kind, value, trace: errors.write(_for_the_log("".join(traceback.format_exception(kind, value, trace))))
    request = json.load(sys.stdin)
    log = os.open(os.path.join(request["staging"], "pip.log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for descriptor in (1, 2):
        os.dup2(log, descriptor)
    json.dump(_answer(request, answers), answers)
    answers.close()


def _answer(request: Dict[str, Any], answers: Any) -> Dict[str, Any]:
    # By its place: a package of this name in the environment is another's.
    from importlib.util import module_from_spec, spec_from_file_location

    place = os.path.join(os.path.dirname(os.path.abspath(__file__)), "__init__.py")
    spec = spec_from_file_location("cellgate_installer", place, submodule_search_locations=[os.path.dirname(place)])
    assert spec is not None and spec.loader is not None
    package = module_from_spec(spec)
    sys.modules["cellgate_installer"] = package
    spec.loader.exec_module(package)
    from cellgate_installer import run

    return run.install(request, answers)


def _for_the_log(text: str) -> str:
    reasons = sys.modules.get("cellgate_installer.reasons")
    return reasons.clean(text, reasons.addresses(dict(os.environ))) if reasons is not None else text


main()
