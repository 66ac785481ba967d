"""A world of one JobSet, in memory."""

from datetime import datetime
from typing import Any, cast

import msgspec

from tests.apps.jobset.builders import jobset
from windlass.apis.batch_v1 import Job, JobCondition, JobStatus
from windlass.apps.jobset.controllers import CONTROLLER
from windlass.apps.jobset.kinds import JobSet, ReplicatedJobStatus
from windlass.apps.jobset.names import JOB_RESTART_ATTEMPT, RESTART_ATTEMPT
from windlass.kube import testing
from windlass.kube.json import timestamp
from windlass.kube.kind import KINDS
from windlass.kube.plan import Event, Plan


class World:
    """`demo` in team-a, as admission hands it on. `settle` reconciles until nothing changes."""

    def __init__(self, *jobs: Any, **spec: Any) -> None:
        annotations = spec.pop("annotations", {})
        self.world = testing.World(CONTROLLER, namespace="team-a")
        self.world.server.lingering = lambda obj: self.lingering and obj["kind"] == "Job"
        self.lingering = False
        self.last = Plan()
        given = jobset(*jobs, annotations=annotations, **spec)
        given["metadata"] |= {"uid": "set-uid"}
        self.world.put(given)

    # --- what can be seen

    @property
    def now(self) -> datetime:
        return self.world.now

    @property
    def events(self) -> list[Event]:
        return self.world.events

    @property
    def jobset(self) -> JobSet | None:
        return self.world.find(JobSet, "demo")

    @property
    def there(self) -> JobSet:
        return self.world.get(JobSet, "demo")

    @property
    def jobs(self) -> testing.Objects[Job]:
        return self.world.all(Job)

    @property
    def objects(self) -> dict[tuple[str, str], Any]:
        """All but the set."""
        own = KINDS.of(JobSet)
        kept = [(kind, key) for kind, key in self.world.server.objects if kind != own]
        return {(kind.name, key.name): self.world.get(cast(Any, kind.struct), key.name) for kind, key in kept}

    @property
    def sent(self) -> dict[str, Any]:
        return {obj["metadata"]["name"]: obj for obj in self.world.server.created}

    @property
    def made(self) -> list[tuple[str, int, int]]:
        """Jobs in the order of their creation, with the attempt of the set and their own."""
        labelled = [
            (obj["metadata"]["name"], obj["metadata"]["labels"])
            for obj in self.world.server.created
            if obj["kind"] == "Job"
        ]
        return [
            (name, int(labels[RESTART_ATTEMPT]), int(labels.get(JOB_RESTART_ATTEMPT, 0))) for name, labels in labelled
        ]

    @property
    def again_in(self) -> Any:
        return self.last.again_in

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

    def with_conditions(self) -> list[str]:
        return [note.reason for note in self.events]

    # --- what others do

    def edit(self, change: Any) -> None:
        self.world.change(JobSet, "demo", change)

    def job(self, name: str, **status: Any) -> None:
        """The Job's status becomes this."""
        self.put(msgspec.structs.replace(self.jobs[name], status=JobStatus(**status)))

    def run(self, *names: str) -> None:
        """All pods of these Jobs (or of all that are not suspended) are ready."""
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
        self.world.put(obj)

    def wait(self, seconds: float) -> None:
        self.world.wait(seconds)

    def vanish(self, name: str) -> None:
        """A deleted Job is gone, with its pods."""
        self.world.finish_deletion(Job, name)

    # --- what the controller does

    def plan(self) -> Plan:
        self.last = self.world.plan("demo")
        return self.last

    def step(self, kill_after: int | None = None) -> Plan:
        self.last = self.world.step("demo", kill_after=kill_after)
        return self.last

    def settle(self) -> None:
        for _ in range(50):
            before = self.world.server.version
            self.step()
            if self.world.server.version == before:
                return
        raise AssertionError("the set does not settle")
