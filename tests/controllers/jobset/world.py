"""A world of one JobSet, in memory: its plans are carried out as the applier would, or cut short as by a kill."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from tests.apis.jobset.builders import jobset
from windlass.apis.batch_v1 import Job, JobCondition, JobStatus
from windlass.apis.core_v1 import PersistentVolumeClaim, Service
from windlass.apis.jobset.names import JOB_RESTART_ATTEMPT, RESTART_ATTEMPT
from windlass.apis.jobset_v1alpha2 import JobSet, ReplicatedJobStatus
from windlass.controllers.jobset.reconcile import reconcile
from windlass.kube.controller import Note, Plan, Seen
from windlass.kube.json import timestamp
from windlass.kube.kind import KINDS
from windlass.kube.objects import AnyObject, key_of, owner_reference, wire
from windlass.kube.patch import merge_patch

TYPES: dict[str, Any] = {"Job": Job, "Service": Service, "PersistentVolumeClaim": PersistentVolumeClaim}


class World:
    """`demo` in team-a, as admission hands it on. `settle` looks until nothing changes."""

    def __init__(self, *jobs: Any, **spec: Any) -> None:
        annotations = spec.pop("annotations", {})
        made = jobset(*jobs, annotations=annotations, **spec)
        made["metadata"] |= {"uid": "set-uid", "resourceVersion": "1"}
        self.jobset: JobSet | None = msgspec.convert(made, JobSet)
        self.objects: dict[tuple[str, str], Any] = {}
        self.sent: dict[str, Any] = {}
        self.made: list[tuple[str, int, int]] = []
        self.events: list[Note] = []
        self.again_in: timedelta | None = None
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.lingering = False
        self._count = 1

    # --- what can be seen

    @property
    def there(self) -> JobSet:
        assert self.jobset is not None, "the set is gone"
        return self.jobset

    @property
    def jobs(self) -> dict[str, Job]:
        return {name: obj for (kind, name), obj in self.objects.items() if kind == "Job"}

    @property
    def conditions(self) -> list[str]:
        """`Type` of those that are true, `Type=False` of the others."""
        shown = {"True": "", "False": "=False", "Unknown": "=Unknown"}
        return [one.type + shown[one.status] for one in self.there.status.conditions]

    def condition(self, type: str) -> tuple[str, str]:
        found = next(one for one in self.there.status.conditions if one.type == type)
        return found.reason, found.message

    def counts(self, replicated: str) -> ReplicatedJobStatus:
        return next(one for one in self.there.status.replicated_jobs_status if one.name == replicated)

    def told(self) -> list[str]:
        return [note.reason for note in self.events]

    # --- what others do

    def edit(self, change: Any) -> None:
        self.jobset = self._typed(JobSet, merge_patch.apply(wire(self.there), change))

    def job(self, name: str, **status: Any) -> None:
        """The Job's status becomes this."""
        self.objects["Job", name] = msgspec.structs.replace(self.jobs[name], status=JobStatus(**status))

    def run(self, *names: str) -> None:
        """All pods of these Jobs (or of all that do not rest) are ready."""
        for name in names or [n for n, job in self.jobs.items() if not job.spec.suspend and not job.status.conditions]:
            pods = self.jobs[name].spec.parallelism or 1
            self.job(name, active=pods, ready=pods, start_time=timestamp(self.now))

    def end(self, name: str, how: str = "Complete", reason: str = "", message: str = "") -> None:
        moment = timestamp(self.now)
        ended = JobCondition(type=how, status="True", reason=reason, message=message, last_transition_time=moment)
        self.job(name, conditions=[ended], start_time=moment)

    def fail(self, name: str, reason: str = "BackoffLimitExceeded", message: str = "") -> None:
        self.end(name, "Failed", reason, message)

    def put(self, obj: Any) -> None:
        """An object appears that the set has not made."""
        self.objects[obj["kind"], obj["metadata"]["name"]] = self._typed(TYPES[obj["kind"]], obj)

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def vanish(self, name: str) -> None:
        """What was deleted has gone, with its pods."""
        del self.objects["Job", name]

    # --- what the controller does

    def look(self) -> Plan:
        plan = reconcile(self.there, Seen.just(*self.objects.values(), of=self.there, now=self.now))
        self.again_in = plan.again_in
        return plan

    def settle(self) -> None:
        for _ in range(50):
            before = (self.jobset, dict(self.objects))
            for _ in self.carried_out(self.look()):
                pass
            if self.jobset is None or before == (self.jobset, self.objects):
                return
        raise AssertionError("the set never comes to rest")

    def carried_out(self, plan: Plan) -> Iterator[None]:
        """One write after the other; to stop half-way is to be killed there."""
        for obj, patch in (*plan.patch, *((obj, {"status": status}) for obj, status in plan.reset)):
            kind, name = wire(obj)["kind"], key_of(obj).name
            self.objects[kind, name] = self._typed(
                TYPES[kind], merge_patch.apply(wire(self.objects[kind, name]), patch)
            )
            yield
        for child in (*plan.beside, *plan.create):
            self._make(wire(child), owned=child not in plan.beside)
            yield
        for child in (*plan.delete, *plan.delete_last):
            self._remove(child)
            yield
        if plan.status is not None and self.jobset is not None:
            self.jobset = msgspec.structs.replace(self.there, status=plan.status)
        self.events += plan.events
        yield

    def _make(self, child: Any, *, owned: bool) -> None:
        kind, name = child["kind"], child["metadata"]["name"]
        assert (kind, name) not in self.objects, f"{kind} {name} is made twice"
        if owned:
            owner = msgspec.to_builtins(owner_reference(self.there, KINDS.of(JobSet)))
            child = {**child, "metadata": {**child["metadata"], "ownerReferences": [owner]}}
        self.sent[name] = child
        if kind == "Job":
            labels = child["metadata"]["labels"]
            self.made.append((name, int(labels[RESTART_ATTEMPT]), int(labels.get(JOB_RESTART_ATTEMPT, 0))))
        self.objects[kind, name] = self._typed(TYPES[kind], child)

    def _remove(self, child: AnyObject) -> None:
        kind, name = wire(child)["kind"], key_of(child).name
        if kind == "JobSet":
            self.jobset = None
        elif (kind, name) in self.objects and self.lingering:
            obj = self.objects[kind, name]
            metadata = msgspec.structs.replace(obj.metadata, deletion_timestamp=timestamp(self.now))
            self.objects[kind, name] = msgspec.structs.replace(obj, metadata=metadata)
        else:
            self.objects.pop((kind, name), None)

    def _typed(self, of: Any, obj: Any) -> Any:
        self._count += 1
        metadata = {"uid": f"uid-{self._count}", **obj["metadata"], "resourceVersion": str(self._count)}
        return msgspec.convert({**obj, "metadata": metadata}, of)
