"""A world of one Job and its pods, in memory: plans are carried out as the applier would, or cut short as by a kill."""

from datetime import datetime
from typing import Any

import msgspec

from windlass.apis.batch_v1 import Job, JobSpec
from windlass.apis.core_v1 import ContainerStatus, Pod, PodCondition, PodStatus
from windlass.controllers.core import job_cleanup, jobs
from windlass.kube import testing
from windlass.kube.json import timestamp
from windlass.kube.meta import LabelSelector, ObjectMeta, OwnerReference
from windlass.kube.plan import Plan

TEMPLATE: dict[str, Any] = {
    "metadata": {"labels": {"job-name": "pi"}},
    "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "perl"}]},
}
SELECTOR = LabelSelector(match_labels={"job-name": "pi"})
OWNER = OwnerReference(api_version="batch/v1", kind="Job", name="pi", uid="job-uid", controller=True)


def a_job(**spec: Any) -> Job:
    given: dict[str, Any] = {
        "parallelism": 1,
        "completions": 1,
        "backoff_limit": 6,
        "completion_mode": "NonIndexed",
        "template": TEMPLATE,
        "selector": SELECTOR,
        **spec,
    }
    metadata = ObjectMeta(name="pi", namespace="n", uid="job-uid", resource_version="1")
    return Job(metadata=metadata, spec=JobSpec(**given))


def held(pod: Pod) -> Pod:
    """The pod as on a node: told to go, it stays until its containers have ended."""
    metadata = msgspec.structs.replace(pod.metadata, finalizers=[*pod.metadata.finalizers, "test/kubelet"])
    return msgspec.structs.replace(pod, metadata=metadata)


class World:
    """One Job; `settle` also runs the controller that releases the pods of Jobs that are gone."""

    def __init__(self, **spec: Any) -> None:
        self.world = testing.World(jobs.CONTROLLER, job_cleanup.RELEASE, namespace="n")
        self.world.put(a_job(**spec))

    @property
    def now(self) -> datetime:
        return self.world.now

    @property
    def job(self) -> Job:
        return self.world.get(Job, "pi")

    @property
    def pods(self) -> testing.Objects[Pod]:
        return self.world.all(Pod)

    @property
    def created(self) -> int:
        return len(self.world.server.created)

    @property
    def sent(self) -> dict[str, Any]:
        """Pods by host name, as they were sent."""
        return {pod["spec"].get("hostname", ""): pod for pod in self.world.server.created}

    # --- what others do

    def end(self, pod: Pod, phase: str, code: int | None = None, *, conditions: Any = ()) -> None:
        """The pod's containers end, as the kubelet would say."""
        code = (0 if phase == "Succeeded" else 1) if code is None else code
        ended = {"terminated": {"exitCode": code, "finishedAt": timestamp(self.now)}}
        status = PodStatus(
            phase=phase,
            container_statuses=[ContainerStatus(name="c", state=ended)],
            conditions=[PodCondition(type=type, status="True") for type in conditions],
        )
        self.world.put(msgspec.structs.replace(self.pods[pod.metadata.name], status=status))

    def succeed(self, *pods: Pod) -> None:
        for pod in pods or self.active():
            self.end(pod, "Succeeded")

    def fail(self, *pods: Pod, code: int = 1) -> None:
        for pod in pods or self.active():
            self.end(pod, "Failed", code)

    def set_pod(self, pod: Pod, **status: Any) -> None:
        self.world.put(msgspec.structs.replace(self.pods[pod.metadata.name], status=PodStatus(**status)))

    def delete(self, pod: Any) -> None:
        """A user deletes the pod; the tracking finalizer keeps it."""
        self.world.delete(Pod, pod.metadata.name)

    def change(self, **spec: Any) -> None:
        job = self.job
        self.world.put(msgspec.structs.replace(job, spec=msgspec.structs.replace(job.spec, **spec)))

    def wait(self, seconds: float) -> None:
        self.world.wait(seconds)

    # --- what is seen

    def active(self) -> list[Pod]:
        return [
            pod
            for pod in self.pods.values()
            if not pod.metadata.deletion_timestamp and pod.status.phase not in ("Succeeded", "Failed")
        ]

    def conditions(self) -> list[tuple[str, str, str]]:
        return [(c.type, c.status, c.reason) for c in self.job.status.conditions]

    def reasons(self) -> list[str]:
        """Of the events on the Job, but for those about its pods."""
        return [note.reason for note in self.world.events if not note.reason.startswith("Successful")]

    def index(self, number: int) -> Pod:
        """The active pod of an index."""
        [found] = [
            pod
            for pod in self.active()
            if pod.metadata.annotations["batch.kubernetes.io/job-completion-index"] == str(number)
        ]
        return found

    # --- reconciling

    def step(self, kill_after: int | None = None) -> Plan:
        return self.world.step("pi", kill_after=kill_after)

    def settle(self) -> "World":
        self.world.settle()
        return self
