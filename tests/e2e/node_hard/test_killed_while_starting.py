"""The agent, or what starts pods for it, is killed while it starts pods: each runs once, and all run."""

from typing import Any

import pytest

from tests.e2e.node_hard.platform import Platform, pod
from tests.support import eventually

pytestmark = [pytest.mark.crash, pytest.mark.timeout(300)]

PODS_AT_ONCE, KILLS = 24, 3
_MOUNT = {"volumeMounts": [{"name": "own", "mountPath": "/own"}]}
_OWN: dict[str, Any] = {"volumes": [{"name": "own", "emptyDir": {}}]}


@pytest.mark.parametrize("victim", ["node", "zygote", "network helper"])
def test_each_pod_runs_once(windlass: Platform, victim: str) -> None:
    name = victim.replace(" ", "-")
    script = "echo started >> /own/starts; exec sleep infinity"
    made = [pod(f"{name}{i}", script, labels={"for": name}, container=_MOUNT, **_OWN) for i in range(PODS_AT_ONCE)]
    for number in range(KILLS):
        windlass.run(*made[number::KILLS])
        eventually(lambda: windlass.pid_lives(victim), 60, f"the {victim}")
        windlass.kill(victim)

    def running() -> int:
        return sum(each["status"].get("phase") == "Running" for each in windlass.pods(f"for={name}").values())

    eventually(lambda: running() == PODS_AT_ONCE, 150, "all pods that run")
    for each in windlass.pods(f"for={name}").values():
        assert each["status"]["containerStatuses"][0]["restartCount"] == 0
        starts = windlass.folder_of(each) / "volumes" / "own" / "starts"
        eventually(lambda starts=starts: starts.exists() and starts.read_text(), 60, "the start of a program")
        assert starts.read_text() == "started\n", each["metadata"]["name"]
