"""A gateway process of its own: fresh directories, a free port, an administrator's key; checked when it ends."""

import os
import re
import secrets
import shutil
import signal
import stat
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest

from support.agent import Agent
from support.jupyter import Jupyter
from support.processes import resident_bytes
from support.waiting import eventually

ROOT = Path(__file__).resolve().parents[2]


def build_of(preset: str) -> Path:
    """The build that a test runs; TEST_PRESET names one for all tests."""
    return ROOT / "build" / os.environ.get("TEST_PRESET", preset)


BUILD = build_of("dev")
KERNELS = ROOT / ".venv" / "kernels"
LAB = ROOT / ".venv" / "lab"
CLIENTS = ROOT / ".venv" / "clients"

LISTENING = re.compile(r"listening on (https?://\S+)")
BROKEN = ("ERROR: AddressSanitizer", "ERROR: LeakSanitizer", "runtime error:", "terminate called", "Assertion `")


ORDINARY = 1000


def ordinary_user() -> int | None:
    """Whom Gateway(user=…) may be: None when the tests themselves run as one."""
    if os.getuid() != 0:
        return None
    if not all(parent.stat().st_mode & stat.S_IXOTH for parent in [ROOT, *ROOT.parents]):
        pytest.skip("an ordinary user cannot reach this checkout; run the tests as one, or put it elsewhere")
    return ORDINARY


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return ",".join(f"{key}={number}" for key, number in value.items())
    if isinstance(value, (list, tuple)):
        return ",".join(str(item) for item in value)
    return str(value)


class Gateway:
    """`settings` are those of docs/configuration.md, with __ for the dot: Gateway(kernels__max=3)."""

    def __init__(self, *, config: str = "", environment: dict[str, str] | None = None, keep: "Gateway | None" = None,
                 preset: str = "dev", user: int | None = None, within: list[str] | None = None,
                 **settings: object) -> None:
        # Short: a Unix socket's path has 108 bytes.
        self.directory = keep.directory if keep else Path(tempfile.mkdtemp(prefix="cg", dir="/tmp"))
        self.token = keep.token if keep else secrets.token_hex(16)
        self.settings = {"server__port": 0, "storage__data_dir": self.directory / "data",
                         "storage__runtime_dir": self.directory / "run", "kernels__prefixes": [KERNELS],
                         "server__token": self.token, **settings}
        self._preset = preset
        self.user = user  # none: whoever runs the tests
        if user is not None:
            os.chown(self.directory, user, user)
        self._within = within or []  # a command that starts another: in a network of its own
        self._config = config
        self._environment = environment or {}
        self.output: list[str] = []
        self.log: list[str] = []
        self._listening = threading.Event()
        self.url = ""
        self.expected_status = 0
        self._start()

    def _start(self) -> None:
        path = self.directory / "cellgate.toml"
        path.write_text(self._config)
        self.process = subprocess.Popen(
            [*self._within, self.program(), "--config", str(path)], env=self._variables(), cwd=self.directory, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", user=self.user, group=self.user,
            extra_groups=None if self.user is None else [])
        self._readers = [threading.Thread(target=self._read, args=pair, daemon=True)
                         for pair in ((self.process.stdout, self.output), (self.process.stderr, self.log))]
        for reader in self._readers:
            reader.start()
        eventually(lambda: self._listening.is_set() or self.process.poll() is not None, 60, "the gateway listens")
        if not self._listening.is_set():
            for reader in self._readers:
                reader.join(5)
            raise AssertionError(f"the gateway ended with {self.process.returncode}:\n" + "".join(self.output + self.log))

    def program(self) -> str:
        return str(build_of(self._preset) / "gateway" / "main" / "cellgate")

    def _variables(self) -> dict[str, str]:
        variables = {name: os.environ[name] for name in ("PATH", "LANG", "TZ") if name in os.environ}
        variables |= {"HOME": str(self.directory), "ASAN_OPTIONS": "abort_on_error=0:detect_leaks=0:exitcode=99",
                      "UBSAN_OPTIONS": "print_stacktrace=1"}
        for name, value in self.settings.items():
            variables["CELLGATE_" + name.replace("__", "_").upper()] = _text(value)
        return variables | self._environment

    def _read(self, stream, into: list[str]) -> None:
        for line in stream:
            into.append(line)
            if into is self.output and not self._listening.is_set() and (found := LISTENING.search(line)):
                self.url = found[1].rstrip("/")
                self._listening.set()

    @property
    def pid(self) -> int:
        return self.process.pid

    def resident_bytes(self) -> int:
        return resident_bytes(self.pid)

    def warm_up(self, token: str | None = None) -> None:
        """Starts a kernel and ends it. nbclient behind a gateway gives up when the first answer takes over a second, and
        while the process is started that kernels are forked from, it does."""
        jupyter = self.jupyter(token)
        kernel = jupyter.start_kernel()
        with jupyter.connect(kernel) as channels:
            channels.run("1")
        jupyter.delete(kernel)

    def jupyter(self, key: str | None = None) -> Jupyter:
        return Jupyter(self.url, self.token if key is None else key)

    def agent(self, key: str | None = None) -> Agent:
        return Agent(self.url, self.token if key is None else key)

    def command(self, *words: str, check: bool = True) -> str:
        """Runs `cellgate WORDS…` on the same data, e.g. keys add."""
        done = subprocess.run([self.program(), *words], env=self._variables(), cwd=self.directory, text=True,
                              capture_output=True, timeout=60)
        if check and done.returncode != 0:
            raise AssertionError(f"cellgate {' '.join(words)} ended with {done.returncode}: {done.stderr}")
        return done.stdout

    def placed(self, path: str, session: str = "*") -> list[Path]:
        """What has this path among sessions' own directories on this machine, in the disk image or beside it."""
        data = self.directory / "data"
        return [*data.glob(f"sessions/{session}/{path}"), *data.glob(f"disk/sessions/{session}/{path}"),
                *data.glob(f"disk/sessions/{session}/mount/{path}")]

    def kill(self) -> None:
        """As a crash would end it."""
        self.process.kill()
        self.process.wait()

    def terminate(self, seconds: float = 60) -> int:
        """Asks it to end; its status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        return self.process.wait(seconds)

    def restart(self) -> "Gateway":
        """Another gateway on the same directories and port, after this one ended."""
        port = self.url.rsplit(":", 1)[1]
        return Gateway(config=self._config, environment=self._environment, keep=self, preset=self._preset,
                       user=self.user, within=self._within, **{**self.settings, "server__port": port})

    def finish(self) -> None:
        """Ends it if it still runs, and checks what must hold for every gateway at every end."""
        killed = self.process.poll() == -signal.SIGKILL
        try:
            status = self.process.returncode if killed else self.terminate()
            for reader in self._readers:
                reader.join(10)
            text = "".join(self.output + self.log)
            assert not any(word in text for word in BROKEN), text[-20_000:]
            assert killed or status == self.expected_status, f"the gateway ended with {status}:\n{text[-20_000:]}"
            assert self.token not in "".join(self.log), "the log holds a key"
        finally:
            if self.process.poll() is None:
                self.kill()

    def remove(self) -> None:
        for each in self.directory.glob("*/disk"):  # of one that was killed
            if each.is_mount():
                subprocess.run(["umount", "-l", each], check=True)
        shutil.rmtree(self.directory, ignore_errors=True)
