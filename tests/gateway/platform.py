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

from tests.manager_rights import audit_flags, check_rights
from tests.support import Windlass, end_of, eventually, text_after
from windlass.cli.components.gateway import AUDIT_POLICY

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

    @property
    def audit_log(self) -> Path:
        """Of the API server: what Windlass logs by itself, and each request of the manager."""
        return self.data_dir / "logs" / "audit-api.log"

    def up(self, *flags: str) -> None:
        flags = (*self.flags, *flags)
        if "--no-manager" not in flags:
            shipped = json.loads(AUDIT_POLICY.read_text())["rules"]
            flags += audit_flags(self.home, self.audit_log, shipped)
        done = self.windlass("up", "--detach", "--port=0", "--gateway-port=0", *flags, **self.environment)
        self.output = done.stdout
        assert done.returncode == 0, f"{done.stdout}{done.stderr}{self.log()}"

    def down(self) -> None:
        self.windlass("down", "--kill")
        check_rights(self.home, self.audit_log)

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
        """The end of a log, for a message. Assert on `log_after`: other tests write into the same log."""
        return text_after(self._log_file(component), 0)[-3000:]

    def end_of_log(self, component: str = "gateway") -> int:
        """The size of the log, for `log_after`."""
        return end_of(self._log_file(component))

    def log_after(self, end: int, component: str = "gateway") -> str:
        """All that was logged since then."""
        return text_after(self._log_file(component), end)

    def _log_file(self, component: str) -> Path:
        return self.data_dir / "logs" / f"{component}.log"
