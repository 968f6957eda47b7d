"""Cells in a shell of IPython's own in this process, with the corrections installed: what a test says."""

import contextlib
import io
import itertools
import json
import sys

import package_path  # noqa: F401
from cellgate_kernel import corrections, settings
from cellgate_kernel.corrections import handovers, reports, sources
from IPython.core.interactiveshell import InteractiveShell


class Ran:
    """What became of a cell."""

    def __init__(self, result, out, err, sent, shown):
        self.result, self.out, self.sent, self.shown = result, out, sent, shown
        self.told = [line for line in err.splitlines() if line.startswith("cellgate: ")]
        self.err = err

    @property
    def value(self):
        assert self.result.success, self.result.error_in_exec or self.result.error_before_exec
        return self.result.result

    @property
    def error(self):
        return self.result.error_in_exec or self.result.error_before_exec

    @property
    def notes(self):
        return list(getattr(self.error, "__notes__", ()))

    @property
    def kinds(self):
        return [correction["kind"] for correction in self.sent]


class Parent:
    """Stands for a kernel, as far as the package looks at it: the message of the request that is being handled."""

    def __init__(self):
        self.message = {}

    def get_parent(self, channel=None):
        return self.message


class Shell:
    """`mode` is what each request asks for."""

    def __init__(self, mode=True):
        InteractiveShell.clear_instance()
        self.ip = InteractiveShell.instance(colors="nocolor")
        self.ip.kernel = self.parent = Parent()
        self.mode = mode
        self._numbers = itertools.count()
        corrections.install(self.ip)
        self.hook = self.ip._cellgate_corrections

    def begin(self):
        """As a new kernel: without the cells and the modules of before."""
        self.ip.reset(new_session=True)
        sources.cells().clear()
        handovers.begin()

    def run(self, code, mode=None, request=None):
        sent = []
        asked = self.mode if mode is None else mode
        self.parent.message = {
            "header": {"msg_id": request or "request-%d" % next(self._numbers)},
            "metadata": {} if asked == "default" else {"cellgate": {"error_correction": asked}},
        }
        settings.keep(settings.Settings("key", "/nowhere", 1.0))
        shown = []
        keep_shown, self.ip._showtraceback = self.ip._showtraceback, lambda kind, error, lines: shown.extend(lines)
        keep_post, reports.gateway.post = reports.gateway.post, _recorder(sent)
        out, err = io.StringIO(), io.StringIO()
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                result = self.ip.run_cell(code, store_history=True)
        finally:
            self.ip._showtraceback = keep_shown
            reports.gateway.post = keep_post
        return Ran(result, out.getvalue(), err.getvalue(), sent, "\n".join(shown))

    def close(self):
        for name in ("__cellgate_read__",):
            sys.modules["builtins"].__dict__.pop(name, None)
        InteractiveShell.clear_instance()


def _recorder(sent):
    def post(connection, path, body, limit_s=None):
        assert path == "/v1/corrections"
        sent.append(json.loads(body))
        return 200, {}

    return post
