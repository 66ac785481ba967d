"""After a reboot nothing of a pod runs any more: it has failed, or starts again, as its policy says."""

import json
import os
import signal
from contextlib import suppress
from typing import Any

import pytest

from tests.e2e.node_hard.platform import Platform, pod, processes_of
from tests.support import eventually

pytestmark = [pytest.mark.crash, pytest.mark.timeout(300)]

_ANOTHER_BOOT = "00000000-0000-4000-8000-000000000000"
_MOUNT = {"volumeMounts": [{"name": "own", "mountPath": "/own"}]}
_OWN: dict[str, Any] = {"volumes": [{"name": "own", "emptyDir": {}}]}


def _reboot(windlass: Platform) -> None:
    """All processes end at once, and what they wrote down is from before."""
    for pid in processes_of(windlass.data_dir):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    eventually(lambda: not processes_of(windlass.data_dir), 60, "the end of all")
    for file in (windlass.data_dir / "node" / "pods").glob("*/facts.json"):
        facts = json.loads(file.read_bytes())
        file.write_text(json.dumps(facts | {"boot": _ANOTHER_BOOT}))


def test_pods_fail_or_start_again_by_their_policy(windlass: Platform) -> None:
    script = "echo started >> /own/starts; exec sleep infinity"
    for policy in ("Always", "OnFailure", "Never"):
        windlass.run(pod(policy.lower(), script, restart=policy, container=_MOUNT, **_OWN))
    windlass.run(pod("done", "exit 3"))
    for name in ("always", "onfailure", "never"):
        starts = windlass.folder_of(windlass.phase(name, "Running")) / "volumes" / "own" / "starts"
        eventually(lambda starts=starts: starts.exists() and starts.read_text(), 60, f"the start of {name}")
    windlass.ended("done")
    done = windlass.pod("done")["status"]["containerStatuses"]

    _reboot(windlass)
    windlass.start()

    failed = windlass.phase("never", "Failed")["status"]
    assert failed["containerStatuses"][0]["restartCount"] == 0
    assert failed["containerStatuses"][0]["state"]["terminated"]["exitCode"] != 0
    for name in ("always", "onfailure"):
        eventually(lambda name=name: _restarts(windlass, name) == 1, 60, f"{name} starts again")
        found = windlass.phase(name, "Running")
        assert found["status"]["containerStatuses"][0]["lastState"]["terminated"]["exitCode"] != 0
        starts = windlass.folder_of(found) / "volumes" / "own" / "starts"
        eventually(lambda starts=starts: starts.read_text() == "started\n" * 2, 60, "its volume as it was")
    assert windlass.pod("done")["status"]["containerStatuses"] == done


def _restarts(windlass: Platform, name: str) -> int:
    return windlass.pod(name)["status"]["containerStatuses"][0].get("restartCount", 0)
