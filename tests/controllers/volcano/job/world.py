"""A world of one Job of Volcano, in memory: plans are carried out as the applier would, or cut short as by a kill."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import msgspec

from tests.controllers.training.engine.world import World
from windlass.apis.batch_volcano_v1alpha1 import GROUP_VERSION, Job
from windlass.apis.bus_volcano_v1alpha1 import Command
from windlass.apis.core_v1 import Secret
from windlass.apis.scheduling_volcano_v1beta1 import PodGroup
from windlass.controllers.volcano.job import marks
from windlass.controllers.volcano.job.children import VIEWS
from windlass.controllers.volcano.job.keys import KeyPair, secret, uses_keys
from windlass.controllers.volcano.job.phases import AT_WORK
from windlass.controllers.volcano.job.plugins import ssh
from windlass.controllers.volcano.job.reconcile import CONTROLLER
from windlass.kube.cache import Store
from windlass.kube.controller import Plan, Seen
from windlass.kube.json import timestamp
from windlass.kube.kind import KINDS
from windlass.kube.meta import Object, ObjectMeta, OwnerReference, PartialObjectMetadata
from windlass.kube.objects import key_of, metadata_of, wire
from windlass.kube.patch import merge_patch
from windlass.kube.view import View, typed, untyped

GROUP = "demo-job-uid"
KEYS = KeyPair("private", "public\n")
METADATA_ONLY = {kind: form for kind, form in VIEWS.items() if form.form is PartialObjectMetadata}


def task(name: str, replicas: int = 1, *policies: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A task of pods with one container."""
    pod = {"spec": {"containers": [{"name": name, "image": "trainer"}]}}
    return {"name": name, "replicas": replicas, "template": pod, "policies": list(policies), **more}


def on(event: str | int, action: str, timeout: str | None = None) -> dict[str, Any]:
    """A policy for an event, or for an exit code."""
    what: dict[str, Any] = {"exitCode": event} if isinstance(event, int) else {"event": event}
    return {**what, "action": action} | ({"timeout": timeout} if timeout else {})


class JobWorld(World):
    """demo in team-a. `lingers`: pods that are deleted end only when `gone` is called."""

    def __init__(self, *tasks: dict[str, Any], lingers: bool = False, **spec: Any) -> None:
        self.controller: Any = CONTROLLER
        self.objects = {}
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.events, self.made_pods, self.sent = [], [], {}
        self.writes = self._count = 0
        self.lingers = lingers
        metadata = {
            "name": "demo",
            "namespace": "team-a",
            "uid": "job-uid",
            "resourceVersion": "1",
            "creationTimestamp": timestamp(self.now),
            **spec.pop("metadata", {}),
        }
        given = {"tasks": list(tasks) or [task("worker", 2)], **spec}
        self.job: Any = msgspec.convert({"metadata": metadata, "spec": given}, Job)

    # --- what can be seen

    @property
    def there(self) -> Any:
        assert self.job is not None, "the job is gone"
        return self.job

    @property
    def status(self) -> Any:
        return self.there.status

    @property
    def phase(self) -> str:
        return self.status.state.phase

    @property
    def group(self) -> dict[str, Any] | None:
        return self.objects.get(("PodGroup", GROUP))

    @property
    def kinds(self) -> list[str]:
        """What there is beside pods."""
        return sorted(f"{kind}/{name}" for kind, name in self.objects if kind not in ("Pod", "Command"))

    def versions(self) -> dict[str, str]:
        return {name: pod.metadata.annotations[marks.JOB_VERSION] for name, pod in self.pods.items()}

    def seen(self) -> Seen:
        stores: dict[View[Any], Store[Any]] = {}
        for (kind, _), obj in self.objects.items():
            form: View[Any] = typed(type(obj)) if isinstance(obj, Object) else untyped(KINDS.of(PodGroup))
            if kind in METADATA_ONLY:
                form = METADATA_ONLY[kind]
                obj = PartialObjectMetadata(metadata=metadata_of(obj))
            stores.setdefault(form, Store()).put(obj)
        empty: Store[Any] = Store()
        return Seen(lambda form: stores.get(form, empty), self.job, self.now)

    # --- what others do

    def admit(self, phase: str = "Inqueue", **status: Any) -> None:
        """The scheduler lets the group in."""
        assert self.group is not None
        self._put("PodGroup", {**self.group, "status": {"phase": phase, **status}})

    def command(self, action: str, uid: str = "", name: str = "") -> None:
        target = OwnerReference(api_version=GROUP_VERSION, kind="Job", name="demo", uid=uid)
        name = name or f"{action.lower()}-{self._count}"
        self.put(Command(metadata=ObjectMeta(name=name), action=action, target=target))

    def gone(self, *names: str) -> None:
        """Pods that were deleted have ended."""
        for name in names or [name for name, pod in self.pods.items() if pod.metadata.deletion_timestamp]:
            del self.objects["Pod", name]

    def started(self) -> "JobWorld":
        """All pods run."""
        self.settle()
        self.admit()
        self.settle()
        self.run()
        self.settle()
        return self

    # --- what the controller does

    def step(self) -> Plan:
        self.make_keys()
        return super().step()

    def make_keys(self) -> None:
        if self.job is not None and uses_keys(self.job) and self.status.state.phase in AT_WORK:
            name = ssh.secret_name(self.job)
            if ("Secret", name) not in self.objects:
                made: Secret = secret(self.job, lambda: KEYS)
                self.put(made, owned=True)

    def carried_out(self, plan: Plan) -> Iterator[None]:
        for obj, patch in plan.patch:
            kind, name = wire(obj)["kind"], key_of(obj).name
            if kind == "Job":
                self.edit(patch)
            elif (kind, name) in self.objects:
                self._put(kind, merge_patch.apply(wire(self.objects[kind, name]), patch))
            yield
        yield from super().carried_out(replace(plan, patch=()))

    def _create(self, made: dict[str, Any]) -> None:
        metadata = {**made["metadata"], "creationTimestamp": timestamp(self.now)}
        super()._create({**made, "metadata": metadata})

    def _delete(self, obj: Any) -> None:
        kind, name = wire(obj)["kind"], key_of(obj).name
        if kind == "Pod" and self.lingers and name in self.pods:
            self.delete(name, lingers=True)
        else:
            super()._delete(obj)
