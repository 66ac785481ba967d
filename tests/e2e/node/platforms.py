"""A whole Windlass, with a node that runs pods, as root or as a user without rights."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.e2e.ordinary_user import command, uid_of
from tests.manager_rights import audit_flags, check_rights
from tests.support import Windlass, eventually, free_port

ENDS_WITH_THE_TESTS = ["--pdeathsig", "TERM"]
USER = "root" if os.geteuid() == 0 else "ordinary user"
"""Who runs the tests."""


@dataclass(kw_only=True)
class Platform(Windlass):
    """Started with `windlass up`, stopped with `windlass down`."""

    user: str
    home: Path

    def up(self) -> None:
        argv = self._command("up", "--port", str(self.port), *self.flags)
        argv = ["setpriv", *ENDS_WITH_THE_TESTS, *(argv[1:] if argv[0] == "setpriv" else argv)]
        screen = self.home / "screen"
        with screen.open("wb") as out:
            process = subprocess.Popen(argv, cwd=self.home, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        self.processes.append(process)
        eventually(lambda: "Ready in" in screen.read_text() or process.poll(), 200, "Windlass is ready")
        assert process.poll() is None, screen.read_text()

    def down(self, *flags: str) -> None:
        argv = self._command("down", *flags)
        done = subprocess.run(argv, cwd=self.home, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, f"{done.stdout}{done.stderr}{self.log('node')}"
        self.processes.pop().wait(60)

    def runtime(self) -> str:
        """How the node runs pods, such as windlass-sandbox://0.1.0."""
        return self.get("/api/v1/nodes")["items"][0]["status"]["nodeInfo"]["containerRuntimeVersion"]

    def _command(self, *words: str) -> list[str]:
        return command(self.user, [*words, "--data-dir", str(self.data_dir)], self.home)

    def log(self, command: str = "server") -> str:
        path = self.data_dir / "logs" / f"{command}.log"
        return path.read_text()[-3000:] if path.exists() else ""


@dataclass
class Platforms:
    """The platform of each user, started when it is first asked for."""

    flags: tuple[str, ...] = ()
    """More for `windlass up`."""
    started: dict[str, Platform] = field(default_factory=dict[str, Platform])
    folders: list[Path] = field(default_factory=list[Path])

    def of(self, user: str) -> Platform:
        if user not in self.started:
            self.started[user] = self.fresh(user)
            self.started[user].up()
        return self.started[user]

    def fresh(self, user: str) -> Platform:
        """One that has never been started; its folder goes when the tests end."""
        # not below pytest's own folders, which other users may not enter
        folder = Path(tempfile.mkdtemp(prefix="windlass-story-"))
        self.folders.append(folder)
        home = folder / "home"
        home.mkdir()
        for path in (folder, home):
            os.chown(path, uid_of(user), -1)
        audit = () if "--audit-log-path" in self.flags else audit_flags(home)
        return Platform(folder / "data", free_port(), user=user, home=home, flags=[*self.flags, *audit])

    def stop(self) -> None:
        try:
            for platform in self.started.values():
                if platform.processes:
                    platform.down()
                check_rights(platform.home)
        finally:
            for folder in self.folders:
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def platform_with_sandboxes(*flags: str, user: str = USER) -> Iterator[Platform]:
    """A Windlass of one's own; the test is skipped where its pods would be plain processes."""
    platforms = Platforms(flags=flags)
    try:
        platform = platforms.of(user)
        skip_without_sandboxes(platform)
        yield platform
    finally:
        platforms.stop()


def skip_without_sandboxes(platform: Platform) -> None:
    if not platform.runtime().startswith("windlass-sandbox:"):
        pytest.skip("user namespaces are refused here, so that pods are plain processes")


@contextmanager
def a_namespace(platform: Platform, generate_name: str = "story-") -> Iterator[str]:
    """A fresh namespace, deleted afterwards with all that runs in it."""
    name = new_namespace(platform, generate_name)
    yield name
    platform.request("DELETE", f"/api/v1/namespaces/{name}")


def new_namespace(platform: Platform, generate_name: str = "story-") -> str:
    made = platform.create(
        "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"generateName": generate_name}}
    )
    name = made["metadata"]["name"]
    account = f"/api/v1/namespaces/{name}/serviceaccounts/default"
    eventually(lambda: platform.request("GET", account).status == 200, 120, f"the service account of {name}")
    return name
