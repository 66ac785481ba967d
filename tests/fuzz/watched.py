"""A whole platform under watch: a traceback in a log, and a process that ended or was started again, is a finding."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.e2e.node.platforms import USER, Platform
from tests.support import eventually, free_port

TRACEBACK = "Traceback (most recent call last)"
CONTEXT_LINES = 60


class Finding(Exception):
    """Something that must not happen, in words."""


class Watched:
    """Server, manager (with the scheduler) and node agent, as `windlass up` starts them."""

    def __init__(self, platform: Platform) -> None:
        self.platform = platform
        self._read: dict[Path, int] = {}
        self._pids = self._components()

    def _components(self) -> dict[str, tuple[int, int]]:
        state = json.loads((self.platform.data_dir / "run" / "state.json").read_bytes())
        return {each["name"]: (each["pid"], each["restarts"]) for each in state["components"]}

    def look(self) -> list[Finding]:
        """What has happened since the last look."""
        found = [each for log in sorted((self.platform.data_dir / "logs").glob("*.log")) for each in self._in_log(log)]
        now = self._components()
        if now != self._pids:
            found.append(Finding(f"a component was started again: {self._pids}, now {now}\n{self._last_words()}"))
            self._pids = now
        return found

    def _in_log(self, log: Path) -> Iterator[Finding]:
        with log.open("rb") as opened:
            opened.seek(self._read.get(log, 0))
            fresh = opened.read()
        end = fresh.rfind(b"\n") + 1
        self._read[log] = self._read.get(log, 0) + end
        text = fresh[:end].decode(errors="replace")
        lines = text.splitlines()
        for number, line in enumerate(lines):
            if line.lstrip().startswith(TRACEBACK):
                shown = lines[max(number - 1, 0) : number + CONTEXT_LINES]
                yield Finding(f"{log.name} has a traceback:\n" + "\n".join(shown))

    def _last_words(self) -> str:
        return "\n".join(f"{name}: {self.platform.log(name)[-1500:]}" for name in self._pids)

    def assert_at_work(self) -> None:
        """The controllers answer to a namespace, the scheduler and the node to a pod."""
        made: Any = self.platform.create("/api/v1/namespaces", {"metadata": {"generateName": "canary-"}})
        name = made["metadata"]["name"]
        account = f"/api/v1/namespaces/{name}/serviceaccounts/default"
        eventually(lambda: self.platform.request("GET", account).status == 200, 120, "the manager answers")
        spec = {"restartPolicy": "Never", "priority": None, "terminationGracePeriodSeconds": 0}
        pod = {**spec, "containers": [{"name": "c", "image": "busybox", "command": ["true"]}]}
        pod["nodeSelector"] = {"kubernetes.io/hostname": self._node()}
        self.platform.create(f"/api/v1/namespaces/{name}/pods", {"metadata": {"name": "canary"}, "spec": pod})
        path = f"/api/v1/namespaces/{name}/pods/canary"

        def has_ended() -> bool:
            return self.platform.get(path).get("status", {}).get("phase") in ("Succeeded", "Failed")

        eventually(has_ended, 180, "scheduler and node answer")
        self.platform.request("DELETE", f"/api/v1/namespaces/{name}")

    def _node(self) -> str:
        """The node that an agent stands behind."""
        nodes = self.platform.get("/api/v1/nodes")["items"]
        return next(each["metadata"]["name"] for each in nodes if not each["metadata"]["name"].startswith("fz-"))


@contextmanager
def watched(folder: Path, *flags: str) -> Iterator[Watched]:
    """A platform in `folder` that listens on the loopback alone, stopped afterwards."""
    home = folder / "home"
    home.mkdir(parents=True)
    platform = Platform(data_dir=folder / "data", port=free_port(), flags=list(flags), user=USER, home=home)
    platform.up()
    try:
        yield Watched(platform)
    finally:
        platform.down()
