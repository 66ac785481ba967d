"""A real Windlass for tests: its API server as a process of its own, driven over HTTP or with a real kubectl."""

import http.client
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from tests.manager_rights import audit_flags, check_rights

OLDEST_KUBECTL = 27
"""The minor version from which on kubectl has all that the tests use (--subresource, events, OpenAPI 3)."""
MOST_KEPT = 4


def find_kubectl() -> str | None:
    """A kubectl on the PATH that is new enough."""
    found = shutil.which("kubectl")
    if found is None:
        return None
    told = subprocess.run([found, "version", "--client", "-o", "json"], capture_output=True, text=True, check=False)
    try:
        minor = json.loads(told.stdout)["clientVersion"]["minor"]
    except (ValueError, KeyError):
        return None
    return found if int(minor.rstrip("+")) >= OLDEST_KUBECTL else None


KUBECTL = find_kubectl()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def eventually(check: Callable[[], Any], within: float = 60.0, what: str = "") -> Any:
    """Wait until `check` answers something true, and give that back."""
    deadline = time.monotonic() + within
    while True:
        found = check()
        if found:
            return found
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {within} s: {what or check}; last: {found!r}")
        time.sleep(0.02)


def end_of(log: Path) -> int:
    """The size of a log file, for `text_after`; 0 where there is none."""
    return log.stat().st_size if log.exists() else 0


def text_after(log: Path, end: int) -> str:
    """What was written to a log file since it had that size, or all of a file that was rotated in between."""
    written = log.read_bytes() if log.exists() else b""
    return written[end if end <= len(written) else 0 :].decode(errors="replace")


@dataclass
class Answer:
    """What the server said."""

    status: int
    body: bytes
    headers: dict[str, list[str]]

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def warnings(self) -> list[str]:
        return self.headers.get("warning", [])


class Kept:
    """Connections that are kept for whoever asks next: making one costs ten times what a question does."""

    def __init__(self) -> None:
        self._idle: deque[http.client.HTTPSConnection] = deque()

    def take(self) -> http.client.HTTPSConnection | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def give(self, connection: http.client.HTTPSConnection) -> None:
        if len(self._idle) < MOST_KEPT:
            self._idle.append(connection)
        else:
            connection.close()

    def close(self) -> None:
        while connection := self.take():
            connection.close()

    def __del__(self) -> None:
        self.close()


@cache
def trusting(ca: str) -> ssl.SSLContext:
    """How a server with this authority is talked to."""
    return ssl.create_default_context(cadata=ca) if ca else ssl._create_unverified_context()


@dataclass
class Windlass:
    """One API server of a test's own."""

    PROGRAM: ClassVar[tuple[str, ...]] = ("-m", "windlass")

    data_dir: Path
    port: int
    flags: list[str] = field(default_factory=list)
    manager: bool = False
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    kept: Kept = field(default_factory=Kept, init=False, repr=False, compare=False)

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    @property
    def kubeconfig(self) -> Path:
        return self.data_dir / "kubeconfig"

    @property
    def token(self) -> str:
        return (self.data_dir / "credentials" / "admin.token").read_text()

    @property
    def ca(self) -> Path:
        return self.data_dir / "pki" / "ca.crt"

    def start(self) -> None:
        self._run("server", "--port", str(self.port), *self.flags)
        eventually(self.is_ready, 120, f"server on {self.data_dir}")
        if self.manager:
            self._run("manager")

    def _run(self, command: str, *flags: str) -> None:
        argv = [sys.executable, *self.PROGRAM, command, "--data-dir", str(self.data_dir), *flags]
        with self._log_file(command).open("ab") as log:
            self.processes.append(subprocess.Popen(argv, stdout=log, stderr=log, stdin=subprocess.DEVNULL))

    def kill_manager(self) -> None:
        """End the manager as a crash would, and start another."""
        self.processes[-1].kill()
        self.processes.pop().wait(60)
        self._run("manager")

    def log(self, command: str = "server") -> str:
        """The end of a log, for a message. Assert on `log_after`: other tests write into the same log."""
        return text_after(self._log_file(command), 0)[-3000:]

    def end_of_log(self, command: str = "server") -> int:
        """The size of the log, for `log_after`."""
        return end_of(self._log_file(command))

    def log_after(self, end: int, command: str = "server") -> str:
        """All that was logged since then."""
        return text_after(self._log_file(command), end)

    def _log_file(self, command: str) -> Path:
        return self.data_dir.parent / f"{self.data_dir.name}-{command}.log"

    def is_ready(self) -> bool:
        if self.processes[0].poll() is not None:
            raise AssertionError(f"the server ended: {self.log()}")
        try:
            return self.request("GET", "/readyz", token="").status == 200
        except OSError:
            return False

    def stop(self, number: int = signal.SIGTERM) -> None:
        self.kept.close()
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(number)
            process.wait(60)
        self.processes.clear()

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = None,
        headers: dict[str, str] | None = None,
        content_type: str = "application/json",
    ) -> Answer:
        """One request as the administrator, or with another token ("" for none)."""
        given = {"content-type": content_type} if body is not None else {}
        token = self.token if token is None else token
        if token:
            given["authorization"] = f"Bearer {token}"
        given.update(headers or {})
        raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        kept = self.kept.take() if method == "GET" else None  # what changes something is not said twice
        if kept is not None:
            try:
                return self._exchange(kept, method, path, raw, given)
            except TimeoutError:
                raise
            except (OSError, http.client.HTTPException):
                pass  # the server has let it go since
        context = trusting(self.ca.read_text() if self.ca.exists() else "")
        fresh = http.client.HTTPSConnection("127.0.0.1", self.port, context=context, timeout=60)
        return self._exchange(fresh, method, path, raw, given)

    def _exchange(
        self, connection: http.client.HTTPSConnection, method: str, path: str, raw: Any, headers: dict[str, str]
    ) -> Answer:
        try:
            connection.request(method, path, raw, headers)
            response = connection.getresponse()
            collected: dict[str, list[str]] = {}
            for name, value in response.getheaders():
                collected.setdefault(name.lower(), []).append(value)
            answer = Answer(response.status, response.read(), collected)
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            self.kept.give(connection)
        return answer

    def get(self, path: str, **more: Any) -> Any:
        answer = self.request("GET", path, **more)
        assert answer.status == 200, answer.body
        return answer.json()

    def create(self, path: str, obj: Any, **more: Any) -> Any:
        answer = self.request("POST", path, obj, **more)
        assert answer.status == 201, answer.body
        return answer.json()

    def patch(self, path: str, patch: Any, kind: str = "merge", **more: Any) -> Answer:
        media = "application/apply-patch+yaml" if kind == "apply" else f"application/{kind}-patch+json"
        return self.request("PATCH", path, patch, content_type=media, **more)

    def kubectl(
        self, *arguments: str, stdin: str | None = None, check: bool = True, program: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a real kubectl as the administrator."""
        words = list(arguments) if len(arguments) != 1 else arguments[0].split()
        home = self.data_dir.parent / "home"
        home.mkdir(exist_ok=True)
        environment = {**os.environ, "KUBECONFIG": str(self.kubeconfig), "HOME": str(home)}
        done = subprocess.run(
            [program or KUBECTL or "kubectl", *words],
            input=stdin, capture_output=True, text=True, env=environment, timeout=150, check=False,
        )  # fmt: skip
        if check:
            assert done.returncode == 0, f"kubectl {' '.join(words)}\n{done.stdout}\n{done.stderr}"
        return done


@contextmanager
def running(folder: Path, *flags: str, manager: bool = False) -> Iterator[Windlass]:
    """A fresh server in `folder`, stopped afterwards."""
    windlass = Windlass(folder / "data", free_port(), list(flags), manager)
    windlass.data_dir.mkdir(parents=True, exist_ok=True)
    if manager:
        windlass.flags += audit_flags(folder)
    try:
        windlass.start()
        yield windlass
    finally:
        windlass.stop()
    check_rights(folder)
