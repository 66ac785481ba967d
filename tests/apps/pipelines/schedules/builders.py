"""A ScheduledWorkflow, and runs that leave Workflows behind, against a server that may be killed at any write."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.deploy.permitted import Permitted
from windlass.apps.pipelines.app import APP as PIPELINES
from windlass.apps.pipelines.kinds.argo import Workflow
from windlass.apps.pipelines.kinds.scheduled_workflow import ScheduledWorkflow
from windlass.apps.pipelines.names import COMPLETED_LABEL, IR_LABEL, PHASE_LABEL, RUN_ID_LABEL
from windlass.apps.pipelines.schedules.controller import WORKFLOWS, controller
from windlass.apps.pipelines.schedules.naming import workflow_labels
from windlass.kube import errors
from windlass.kube.api import Api
from windlass.kube.cache import Store
from windlass.kube.client import Client
from windlass.kube.events import Recorder
from windlass.kube.json import Object, encode, timestamp
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key
from windlass.kube.objects import AnyObject, labels_of
from windlass.kube.patch import merge_patch
from windlass.kube.testing import Killed, MemoryServer
from windlass.kube.transport import Request, Response
from windlass.kube.view import View, view
from windlass.kube.worker import Actor

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC).timestamp()
NAME = "nightly"
KEY = Key("default", NAME)
SCHEDULES, OF_WORKFLOWS = KINDS.of(ScheduledWorkflow), KINDS.of(Workflow)


def at(passed: float) -> str:
    """A time so many seconds after noon."""
    return timestamp(datetime.fromtimestamp(NOON + passed, UTC))


def every(seconds: int, **bounds: str) -> Object:
    return {"periodicSchedule": {"intervalSecond": seconds, **bounds}}


def by_cron(expression: str, **bounds: str) -> Object:
    return {"cronSchedule": {"cron": expression, **bounds}}


def a_schedule(trigger: Object, name: str = NAME, namespace: str = "default", **spec: Any) -> Object:
    return {
        "apiVersion": SCHEDULES.api_version,
        "kind": SCHEDULES.name,
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"enabled": True, "trigger": trigger, **spec},
    }


def a_workflow(schedule: ScheduledWorkflow, name: str, run_id: str, index: int, scheduled_at: float) -> Object:
    labels = {RUN_ID_LABEL: run_id, IR_LABEL: "true", **workflow_labels(schedule.metadata.name, index, scheduled_at)}
    metadata = {"name": name, "namespace": schedule.metadata.namespace, "labels": labels}
    return {
        "apiVersion": OF_WORKFLOWS.api_version,
        "kind": OF_WORKFLOWS.name,
        "metadata": metadata,
        "spec": {"entrypoint": "root"},
    }


FINISHED: Object = {"metadata": {"labels": {COMPLETED_LABEL: "true", PHASE_LABEL: "Succeeded"}}}


class Runs:
    """Starts runs as the manager does: a record that outlives everything, then a Workflow, each unless it exists."""

    def __init__(self, api: Api, recorded: Callable[[], None] = lambda: None) -> None:
        self._api, self._recorded = api, recorded
        self.records: dict[str, tuple[int, float]] = {}
        """Index and slot by run id."""
        self.refusal: Exception | None = None

    async def start(
        self, schedule: ScheduledWorkflow, api: Api, /, *, name: str, run_id: str, index: int, scheduled_at: float
    ) -> None:
        del api  # the runs of a test are started by a client of their own
        if self.refusal is not None:
            raise self.refusal
        if run_id not in self.records:
            self.records[run_id] = index, scheduled_at
            self._recorded()
        try:
            await self._api.create(a_workflow(schedule, name, run_id, index, scheduled_at))
        except errors.AlreadyExists:
            assert scheduled_at == self.records[run_id][1], "the run of another slot"

    @property
    def slots(self) -> list[float]:
        """The slots that were started, by the index of their runs."""
        return [slot for _, slot in sorted(self.records.values())]


class _Events(Recorder):
    def __init__(self) -> None:
        self.recorded: list[str] = []

    def record(self, component: str, obj: AnyObject, kind: Kind, reason: str, message: str, **how: Any) -> None:
        self.recorded.append(reason)


class _Server(MemoryServer):
    """Calls `before_patch` once, before the next patch: another client's write comes in between."""

    before_patch: Callable[[], None] | None = None

    async def request(self, request: Request) -> Response:
        if request.method == "PATCH" and self.before_patch is not None:
            before_patch, self.before_patch = self.before_patch, None
            before_patch()
        return await super().request(request)


class World:
    """One schedule and its controller, at one moment of a clock that only tests move."""

    def __init__(self, schedule: Object) -> None:
        self.now = NOON
        self.server = _Server(lambda: datetime.fromtimestamp(self.now, UTC))
        self.server.changed = self._changed
        self.client = Client(Permitted(self.server, PIPELINES))
        self.runs = Runs(self.client, self._recorded)
        self._events = _Events()
        self._stores: dict[View[Any], Store[Any]] = {view(ScheduledWorkflow): Store(), WORKFLOWS: Store()}
        self._unseen: list[tuple[Kind, Key, Object | None]] = []
        self.is_lagging = False
        """Whether the caches stand still."""
        self.again_in: timedelta | None = None
        self.server.put({**schedule, "metadata": {**schedule["metadata"], "creationTimestamp": at(0)}})

    def _recorded(self) -> None:
        """A record is a write, too."""
        self.server.writes += 1
        if self.server.kill_at is not None and self.server.writes >= self.server.kill_at:
            raise Killed

    def _changed(self, kind: Kind, key: Key, obj: Object | None) -> None:
        self._unseen.append((kind, key, obj))
        if not self.is_lagging:
            self.catch_up()

    def catch_up(self) -> None:
        self.is_lagging = False
        for kind, key, obj in self._unseen:
            form = next(form for form in self._stores if form.kind == kind)
            if obj is None:
                self._stores[form].remove(key)
            else:
                self._stores[form].put(form.decode(encode(obj)))
        self._unseen.clear()

    @property
    def events(self) -> list[str]:
        return self._events.recorded

    @property
    def status(self) -> Object:
        return self.server.objects[SCHEDULES, KEY].get("status", {})

    @property
    def conditions(self) -> dict[str, str]:
        return {condition["type"]: condition["message"] for condition in self.status.get("conditions", [])}

    def wait(self, seconds: float) -> None:
        self.now += seconds

    def edit(self, **spec: Any) -> None:
        known = self.server.objects[SCHEDULES, KEY]
        changed = merge_patch.apply(known, {"spec": spec})
        assert isinstance(changed, dict)
        self.server.put(changed)

    def workflows(self, *, finished: bool = False) -> list[Key]:
        return [
            key
            for (kind, key), obj in self.server.objects.items()
            if kind == OF_WORKFLOWS and (labels_of(obj).get(COMPLETED_LABEL) == "true") == finished
        ]

    def finish(self, which: int = 0) -> None:
        """Let one of the active runs finish."""
        active = self.workflows()
        if active:
            key = active[which % len(active)]
            changed = merge_patch.apply(self.server.objects[OF_WORKFLOWS, key], FINISHED)
            assert isinstance(changed, dict)
            self.server.put(changed)

    def remove(self, key: Key) -> None:
        self.server.finish_deletion(OF_WORKFLOWS, key)

    def step(self, kill_after: int | None = None) -> bool:
        """Act once, or until so many writes; answers whether it came to its end."""
        acting = controller(self.runs.start, clock=lambda: self.now)
        actor = Actor(acting, self.client, self._stores, self._events)
        self.server.kill_at = None if kill_after is None else self.server.writes + kill_after
        try:
            self.again_in = asyncio.run(actor.step(KEY))
        except (errors.Conflict, Killed):
            return False
        finally:
            self.server.kill_at = None
        return True

    def settle(self) -> None:
        """Act until nothing is written any more, with caches that follow."""
        for _ in range(50):
            self.catch_up()
            before = self.server.version
            self.step()
            if self.server.version == before:
                return
        raise AssertionError("the schedule does not settle")
