"""The two servers that are compared, each a process of its own on a fresh folder: Windlass and the bare handler."""

import http.client
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from pathlib import Path

from windlass.apiserver.pki import Pki

_TICKS = os.sysconf("SC_CLK_TCK")
_ROOT = Path(__file__).parents[2]


class Served:
    """A server process: where it is, how to ask it, and what it uses."""

    name = ""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = _free_port()
        self.url = f"https://127.0.0.1:{self.port}"
        self.token = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._tls = ssl.create_default_context()
        self._tls.check_hostname = False
        self._tls.verify_mode = ssl.CERT_NONE  # a load test on this machine: who answers is known

    def command(self) -> list[str]:
        raise NotImplementedError

    def start(self) -> float:
        """Start it; the seconds until it answered that it is ready."""
        self.folder.mkdir(parents=True, exist_ok=True)
        command = self.command()
        began = time.perf_counter()
        with (self.folder.parent / f"{self.folder.name}.log").open("ab") as log:
            self._process = subprocess.Popen(command, cwd=_ROOT, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        while not self._is_ready():
            if self._process.poll() is not None:
                raise RuntimeError(f"{self.name} ended: {Path(log.name).read_text()[-2000:]}")
            time.sleep(0.005)
        return time.perf_counter() - began

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:  # the bare one waits for its watchers
                self._process.kill()
                self._process.wait()
            self._process = None

    @property
    def pid(self) -> int:
        assert self._process is not None, "not started"
        return self._process.pid

    def cpu_seconds(self) -> float:
        """User and system time of the process so far."""
        after_name = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(after_name[11]) + int(after_name[12])) / _TICKS

    def memory(self) -> float:
        """Resident memory in MB (of a million bytes)."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024 / 1e6
        raise RuntimeError("no VmRSS")

    def connect(self) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection("127.0.0.1", self.port, context=self._tls, timeout=120)

    def headers(self, **more: str) -> dict[str, str]:
        token = {"authorization": f"Bearer {self.token}"} if self.token else {}
        return {**token, "content-type": "application/json", **more}

    def request(self, method: str, path: str, body: bytes | None = None) -> bytes:
        """One request on a connection of its own; raises where it is refused."""
        connection = self.connect()
        try:
            connection.request(method, path, body, self.headers())
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        if answer.status >= 300:
            raise RuntimeError(f"{self.name}: {method} {path}: {answer.status} {content[:500]!r}")
        return content

    def download(self, path: str, accept: str = "application/json") -> tuple[float, int]:
        """Read an answer in pieces and keep none of it: seconds, and bytes."""
        connection = self.connect()
        connection.connect()
        buffer, size = bytearray(1 << 18), 0
        try:
            began = time.perf_counter()
            connection.request("GET", path, headers=self.headers(accept=accept))
            answer = connection.getresponse()
            while read := answer.readinto(buffer):
                size += read
            return time.perf_counter() - began, size
        finally:
            connection.close()

    def _is_ready(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            self.request("GET", "/readyz")
        except OSError:
            return False
        return True


class Windlass(Served):
    """`windlass server`, with what a pod needs in its namespace and a manager would have made."""

    name = "Windlass"

    def command(self) -> list[str]:
        flags = ["--data-dir", str(self.folder), "--port", str(self.port)]
        return [sys.executable, "-m", "windlass", "server", *flags]

    def start(self) -> float:
        took = super().start()
        self.token = (self.folder / "credentials" / "admin.token").read_text()
        return took

    def prepare(self) -> None:
        account = b'{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"default"}}'
        self.request("POST", "/api/v1/namespaces/default/serviceaccounts", account)


class Traced(Windlass):
    """The same with a clock at each step of a create; `trace` is there once it has stopped."""

    name = "traced"

    @property
    def trace(self) -> Path:
        return self.folder.parent / f"{self.folder.name}.trace"

    def command(self) -> list[str]:
        python, _, _, *rest = super().command()
        return [python, "-m", "benchmarks.api.traced", str(self.trace), *rest]


class Bare(Served):
    """The bare handler of `benchmarks.api.bare`."""

    name = "bare"

    def command(self) -> list[str]:
        pki = Pki.load_or_create(self.folder / "pki", ["127.0.0.1"], in_child=True)
        where = ["--port", str(self.port), "--pki", str(pki.directory), "--store", str(self.folder / "store.db")]
        return [sys.executable, "-m", "benchmarks.api.bare", *where]

    def prepare(self) -> None:
        """It needs nothing."""


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
