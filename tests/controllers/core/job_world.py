"""A world of one Job and its pods, in memory: plans are carried out as the applier would, or cut short as by a kill."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from windlass.apis.batch_v1 import Job, JobSpec
from windlass.apis.core_v1 import ContainerStatus, Pod, PodCondition, PodStatus
from windlass.controllers.core import job_ends, jobs
from windlass.kube.applier import merge_difference
from windlass.kube.controller import Note, Plan, Seen
from windlass.kube.json import timestamp
from windlass.kube.meta import LabelSelector, ObjectMeta, OwnerReference
from windlass.kube.objects import wire
from windlass.kube.patch import merge_patch

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
    def __init__(self, **spec: Any) -> None:
        self.job = a_job(**spec)
        self.pods: dict[str, Pod] = {}
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.events: list[Note] = []
        self.created = 0
        self.sent: dict[str, Any] = {}
        self._version = 1

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
        self._put(msgspec.structs.replace(self.pods[pod.metadata.name], status=status))

    def succeed(self, *pods: Pod) -> None:
        for pod in pods or self.active():
            self.end(pod, "Succeeded")

    def fail(self, *pods: Pod, code: int = 1) -> None:
        for pod in pods or self.active():
            self.end(pod, "Failed", code)

    def set_pod(self, pod: Pod, **status: Any) -> None:
        self._put(msgspec.structs.replace(self.pods[pod.metadata.name], status=PodStatus(**status)))

    def delete(self, pod: Any) -> None:
        """The pod is told to go; the tracking finalizer keeps it."""
        self._change_metadata(pod, deletion_timestamp=timestamp(self.now))

    def change(self, **spec: Any) -> None:
        self._write_job(spec=msgspec.structs.replace(self.job.spec, **spec))

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

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
        return [note.reason for note in self.events]

    def index(self, number: int) -> Pod:
        """The active pod of an index."""
        [found] = [
            pod
            for pod in self.active()
            if pod.metadata.annotations["batch.kubernetes.io/job-completion-index"] == str(number)
        ]
        return found

    # --- looks

    def look(self, steps: int | None = None) -> Plan:
        """One look. With `steps`, the manager is killed after that many of its writes."""
        plan = jobs.reconcile(self.job, Seen.just(*self.pods.values(), of=self.job, now=self.now))
        for done, write in enumerate(self._writes(plan)):
            if done == steps:
                return plan
            write()
        self.events += plan.events
        return plan

    def settle(self) -> "World":
        """Looks until nothing changes any more, and those of the controllers that follow."""
        for _ in range(50):
            before = self._version
            self.look()
            for pod in list(self.pods.values()):
                for obj, patch in job_ends.let_go(pod, Seen.just(self.job, of=pod, now=self.now)).patch:
                    self._patch(obj, patch)
            if self._version == before:
                return self
        raise AssertionError("it never settles")

    def _writes(self, plan: Plan) -> Iterator[Any]:
        for obj, patch in plan.patch:
            yield lambda obj=obj, patch=patch: self._patch(obj, patch)
        for orphan in plan.adopt:
            yield lambda orphan=orphan: self._change_metadata(orphan, owner_references=[OWNER])
        for child in plan.create:
            yield lambda child=child: self._create(child)
        for child in plan.delete:
            yield lambda child=child: self.delete(child)
        if plan.status is not None:
            yield lambda: self._set_status(plan.status)

    def _patch(self, obj: Any, patch: Any) -> None:
        changed = merge_patch.apply(wire(self.pods[obj.metadata.name]), patch)
        self._put(msgspec.convert(changed, Pod))

    def _create(self, child: Any) -> None:
        assert child["metadata"]["name"] not in self.pods
        self.created += 1
        self.sent[child["spec"].get("hostname", "")] = child
        made = {**child, "metadata": {**child["metadata"], "uid": f"uid-{self.created}"}}
        pod = msgspec.convert(made, Pod)
        metadata = msgspec.structs.replace(
            pod.metadata, owner_references=[OWNER], creation_timestamp=timestamp(self.now)
        )
        self._put(msgspec.structs.replace(pod, metadata=metadata, status=PodStatus(phase="Pending")))

    def _set_status(self, status: Any) -> None:
        if merge_difference(msgspec.to_builtins(self.job.status), msgspec.to_builtins(status)):
            self._write_job(status=status)

    def _write_job(self, **changes: Any) -> None:
        self._version += 1
        metadata = msgspec.structs.replace(self.job.metadata, resource_version=str(self._version))
        self.job = msgspec.structs.replace(self.job, metadata=metadata, **changes)

    def _change_metadata(self, pod: Any, **changes: Any) -> None:
        known = self.pods[pod.metadata.name]
        if known.metadata.deletion_timestamp is None or "deletion_timestamp" not in changes:
            self._put(msgspec.structs.replace(known, metadata=msgspec.structs.replace(known.metadata, **changes)))

    def _put(self, pod: Pod) -> None:
        """As a server without a kubelet: a pod that was told to go goes when no finalizer holds it."""
        self._version += 1
        if pod.metadata.deletion_timestamp and not pod.metadata.finalizers:
            del self.pods[pod.metadata.name]
        else:
            self.pods[pod.metadata.name] = pod
