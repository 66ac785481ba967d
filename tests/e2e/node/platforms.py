"""A whole Windlass, with a node that runs pods, as root or as a user without rights."""

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.support import Windlass, free_port

ROOT = Path(__file__).parents[3]
USERS = ("root", "ordinary")
ORDINARY = 1000
"""The user id to become where the tests run as root."""


@dataclass(kw_only=True)
class Platform(Windlass):
    """Started with `windlass up --detach`, stopped with `windlass down`."""

    program: list[str]
    environment: dict[str, str] = field(default_factory=dict)

    def windlass(self, *words: str) -> subprocess.CompletedProcess[str]:
        """One command of the user who owns this platform."""
        done = subprocess.run(
            [*self.program, *words, "--data-dir", str(self.data_dir)],
            env=self.environment, cwd=self.data_dir.parent, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=100, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"windlass {' '.join(words)}\n{done.stdout}{done.stderr}{self.log('node')}"
        return done

    def up(self) -> None:
        self.windlass("up", "--detach", "--port", str(self.port), *self.flags)

    def down(self, *flags: str) -> None:
        self.windlass("down", *flags)

    def log(self, command: str = "server") -> str:
        path = self.data_dir / "logs" / f"{command}.log"
        return path.read_text()[-3000:] if path.exists() else ""


@dataclass
class Platforms:
    """The platform of each user, started when it is first asked for."""

    started: dict[str, Platform] = field(default_factory=dict)
    folders: list[Path] = field(default_factory=list)

    def of(self, user: str) -> Platform:
        if user not in self.started:
            platform = self.fresh(user)
            platform.up()
            self.started[user] = platform
        return self.started[user]

    def fresh(self, user: str) -> Platform:
        """One that has never been started; its folder goes when the tests end."""
        # not below pytest's own folders, which other users may not enter
        folder = Path(tempfile.mkdtemp(prefix=f"windlass-{user}-"))
        self.folders.append(folder)
        (folder / "home").mkdir()
        become, environment = [], {**os.environ, "HOME": str(folder / "home")}
        program = [sys.executable]
        if becomes_another(user):
            for path in (folder, folder / "home"):
                os.chown(path, ORDINARY, ORDINARY)
            become, program = _become(), [_python_for_all()]
            packages = next(path for path in sys.path if path.endswith("site-packages"))
            environment["PYTHONPATH"] = f"{ROOT / 'src'}:{packages}"
        return Platform(
            folder / "data", free_port(), program=[*become, *program, "-P", "-m", "windlass"], environment=environment
        )

    def stop(self) -> None:
        for platform in self.started.values():
            platform.down()
        for folder in self.folders:
            shutil.rmtree(folder, ignore_errors=True)


def becomes_another(user: str) -> bool:
    return user == "ordinary" and os.geteuid() == 0


def _become() -> list[str]:
    return ["setpriv", "--reuid", str(ORDINARY), "--regid", str(ORDINARY), "--clear-groups"]


def _python_for_all() -> str:
    """An interpreter that other users may run, of the version for which the packages were installed."""
    return f"/usr/bin/python3.{sys.version_info.minor}"


@cache
def why_not(user: str) -> str:
    """Why Windlass cannot run as that user here; "" if it can."""
    if user == "root":
        return "" if os.geteuid() == 0 else "the tests do not run as root"
    if not becomes_another(user):
        return _refused(["unshare", "--user", "--map-root-user", "--net", "true"], "user namespaces are refused")
    if shutil.which("setpriv") is None:
        return "there is no setpriv to become another user"
    wanted: list[tuple[list[str], str]] = [
        ([*_become(), _python_for_all(), "-c", "pass"], f"an ordinary user has no {_python_for_all()}"),
        ([*_become(), "ls", str(ROOT / "src")], "an ordinary user may not read the source"),
        ([*_become(), "unshare", "--user", "--map-root-user", "--net", "true"], "user namespaces are refused"),
    ]
    reasons = (_refused(argv, reason) for argv, reason in wanted)
    return next((reason for reason in reasons if reason), "")


def _refused(argv: list[str], reason: str) -> str:
    try:
        return "" if subprocess.run(argv, capture_output=True, timeout=20, check=False).returncode == 0 else reason
    except FileNotFoundError:
        return reason
