"""The manager is killed in every state of a job: no pod is made twice, no restart forgotten, nothing told twice."""

import json
import os
import signal
import subprocess

import pytest

from tests.e2e.node.platforms import Platform
from tests.e2e.node.pods import PYTHON, Object
from tests.e2e.training.jobs import JobShell, conditions, job, template
from tests.support import eventually

pytestmark = [pytest.mark.kubectl, pytest.mark.crash, pytest.mark.timeout(300)]


class Manager:
    """The manager of a platform, which can be killed."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform

    def pid(self) -> int:
        argv = self._platform._command("status", "-o", "json")  # pyright: ignore[reportPrivateUsage] - as its user
        said = subprocess.run(argv, cwd=self._platform.home, capture_output=True, text=True, timeout=60, check=False)
        components = json.loads(said.stdout).get("components", []) if said.stdout else []
        return next((each.get("pid") or 0 for each in components if each["name"] == "manager"), 0)

    def kill(self) -> None:
        old = self.pid()
        os.kill(old, signal.SIGKILL)
        eventually(lambda: self.pid() not in (0, old), 60, "the manager runs again")


@pytest.fixture
def manager(platform: Platform) -> Manager:
    return Manager(platform)


def uids(kubectl: JobShell) -> dict[str, str]:
    return {pod["metadata"]["name"]: pod["metadata"]["uid"] for pod in kubectl.pods()}


def counted(obj: Object) -> Object:
    return json.loads(obj["metadata"]["annotations"]["training.windlass.dev/restarts"])


def test_a_job_lives_through_kills_of_the_manager(kubectl: JobShell, manager: Manager) -> None:
    """Its one worker is told by exec to go on, to die, and to end."""
    script = "until test -e /tmp/end; do test -e /tmp/die && exit 137; sleep 0.05; done"
    pod = template("TFJob", PYTHON, ["sh", "-c", script])
    kubectl.apply(job("TFJob", "tough", {"Worker": 2}, pod, "ExitCode", runPolicy={"backoffLimit": 3}))
    manager.kill()
    kubectl.has("tfjobs/tough", "Running")
    for name in ("tough-worker-0", "tough-worker-1"):
        kubectl.phase(name, "Running")
    before = uids(kubectl)
    assert sorted(before) == ["tough-worker-0", "tough-worker-1"]

    manager.kill()
    assert uids(kubectl) == before

    kubectl("exec tough-worker-1 -- touch /tmp/die")
    manager.kill()
    kubectl.until(
        "pods/tough-worker-1",
        lambda pod: pod["metadata"]["uid"] != before["tough-worker-1"] and pod["status"]["phase"] == "Running",
    )
    kubectl.until("tfjobs/tough", lambda obj: conditions(obj)[-1] == ("Running", "True"))
    manager.kill()
    now = kubectl.until("tfjobs/tough", lambda obj: conditions(obj)[-1] == ("Running", "True"))
    assert counted(now)["recreated"] == 1
    assert uids(kubectl)["tough-worker-0"] == before["tough-worker-0"]

    kubectl("exec tough-worker-0 -- touch /tmp/end")
    manager.kill()
    ended = kubectl.ends("tfjobs/tough")
    assert ("Succeeded", "True") in conditions(ended)
    manager.kill()
    assert kubectl.get("tfjobs/tough")["status"] == ended["status"]
    told = [reason for reason, _ in kubectl.events("tfjobs/tough")]
    assert told.count("TFJobSucceeded") <= 1
    assert told.count("SuccessfulCreatePod") <= 3


def test_a_job_at_rest_stays_so_over_a_kill(kubectl: JobShell, manager: Manager) -> None:
    pod = template("TFJob", PYTHON, ["sh", "-c", "exec sleep infinity"])
    kubectl.apply(job("TFJob", "rest", {"Worker": 1}, pod, runPolicy={"suspend": True}))
    kubectl.has("tfjobs/rest", "Suspended")
    manager.kill()
    kubectl("""patch tfjob rest --type=merge -p '{"spec":{"runPolicy":{"suspend":false}}}'""")
    kubectl.has("tfjobs/rest", "Running")
