"""A whole Windlass with its gateway, as `windlass up` runs it, for the tests of the gateway."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests

from tests.support import Windlass, eventually

WINDLASS = (sys.executable, "-P", "-m", "windlass")


@dataclass
class Platform:
    """One `windlass up` with a gateway on a free port."""

    home: Path
    flags: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    """Variables of its processes."""
    output: str = ""

    @property
    def data_dir(self) -> Path:
        return self.home / "data"

    @property
    def state(self) -> dict[str, Any]:
        return json.loads((self.data_dir / "run" / "state.json").read_text())

    @property
    def url(self) -> str:
        return self.state["gateway_url"]

    @property
    def api(self) -> Windlass:
        """The API server, as its administrator."""
        return Windlass(self.data_dir, int(self.state["url"].rpartition(":")[2]))

    def pid(self, component: str) -> int:
        return next(one["pid"] for one in self.state["components"] if one["name"] == component)

    def up(self, *flags: str) -> None:
        done = self.windlass("up", "--detach", "--port=0", "--gateway-port=0", *self.flags, *flags, **self.environment)
        self.output = done.stdout
        assert done.returncode == 0, f"{done.stdout}{done.stderr}{self.log()}"

    def down(self) -> None:
        self.windlass("down", "--kill")

    def windlass(self, *words: str, stdin: str = "", **more: str) -> subprocess.CompletedProcess[str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("WINDLASS_", "XDG_", "KUBE"))}
        environment = {**kept, "HOME": str(self.home), "WINDLASS_DATA_DIR": str(self.data_dir), **more}
        return subprocess.run(
            [*WINDLASS, *words],
            env=environment,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=150,
            check=False,
        )

    def kill_gateway(self) -> None:
        self.kill("gateway")

    def kill(self, component: str) -> None:
        """End a component as a crash would, and wait until another runs, and gateway and API server answer."""
        old = self.pid(component)
        os.kill(old, signal.SIGKILL)
        eventually(
            lambda: self.pid(component) not in (0, old) and self.is_healthy() and self.is_api_ready(),
            60,
            f"another {component}",
        )

    def is_api_ready(self) -> bool:
        try:
            return self.api.request("GET", "/readyz", token="").status == 200
        except OSError:
            return False

    def is_healthy(self) -> bool:
        try:
            return requests.get(f"{self.url}/healthz", timeout=5).text == "ok"
        except requests.ConnectionError:
            return False

    def log(self, component: str = "gateway") -> str:
        path = self.data_dir / "logs" / f"{component}.log"
        return path.read_text()[-3000:] if path.exists() else ""

    def end_of_log(self) -> int:
        """How long the gateway's log is, for `log_after`."""
        path = self.data_dir / "logs" / "gateway.log"
        return path.stat().st_size if path.exists() else 0

    def log_after(self, end: int) -> str:
        """Lines that the gateway has logged since then; earlier tests write into the same log."""
        written = (self.data_dir / "logs" / "gateway.log").read_bytes()
        return written[end if end <= len(written) else 0 :].decode(errors="replace")
