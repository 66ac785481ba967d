"""Pods, and what a node sees of them, for the tables of the lifecycle's tests."""

from typing import Any

from windlass.kube.json import Object
from windlass.node.lifecycle.observed import ImageRef, Observed
from windlass.node.runtimes.base import ContainerFacts, PodFacts

NOW = 1_800_000_000.0
IMAGE = "python:3.11"


def a_container(name: str = "main", **fields: Any) -> Object:
    return {"name": name, "image": IMAGE, "imagePullPolicy": "IfNotPresent", **fields}


def a_sidecar(name: str = "side", **fields: Any) -> Object:
    return a_container(name, restartPolicy="Always", **fields)


def a_pod(*containers: Object, inits: tuple[Object, ...] = (), status: Object | None = None, **spec: Any) -> Object:
    return {
        "metadata": {"name": "p", "namespace": "ns", "uid": "u", "generation": 1},
        "spec": {"containers": list(containers) or [a_container()], "initContainers": list(inits), **spec},
        "status": status or {"phase": "Pending", "qosClass": "BestEffort"},
    }


def deleted(pod: Object, grace: float = 30, at: str = "2027-01-15T08:00:30Z") -> Object:
    return pod | {"metadata": pod["metadata"] | {"deletionTimestamp": at, "deletionGracePeriodSeconds": grace}}


def ran(name: str = "main", attempt: int = 0, *, code: int | None = None, ago: float = 5, took: float = 1, **more: Any):
    """A run that began `ago` seconds ago; with a code it ended after `took`."""
    begun = NOW - ago
    ended: dict[str, Any] = {} if code is None else {"finished_at": begun + took, "exit_code": code}
    state = "running" if code is None else "exited"
    return ContainerFacts(name, attempt, f"{name}-{attempt}", state, started_at=begun, **ended, **more)


def saw(*runs: ContainerFacts, alive: bool = True, pod: Object | None = None, **more: Any) -> Observed:
    """A prepared pod with all its images, in a sandbox of an hour ago."""
    names = [each["name"] for each in _all(pod)] if pod else ["main", "other", "side", "init", "init2", "debug"]
    fields: dict[str, Any] = {
        "now": NOW,
        "host_ip": "10.244.0.1",
        "address": "10.244.0.7",
        "prepared": True,
        "facts": PodFacts("u", 1, alive, NOW - 3600, runs),
        "images": {name: ImageRef(IMAGE, "sha256:1") for name in names},
    }
    return Observed(**(fields | more))


def _all(pod: Object) -> list[Object]:
    spec = pod["spec"]
    return [*spec.get("initContainers", ()), *spec["containers"], *spec.get("ephemeralContainers", ())]
