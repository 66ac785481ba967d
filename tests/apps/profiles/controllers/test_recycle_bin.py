"""Workloads of a deleted profile: each kind is stopped, and a restore makes of it what it was."""

from typing import Any

import pytest

from tests.deploy.permitted import permissions
from windlass.apis.apps_v1 import Deployment, ReplicaSet, StatefulSet
from windlass.apis.batch_v1 import CronJob, Job
from windlass.apis.rbac_v1 import RoleBinding
from windlass.apis.stops import BEFORE_DELETION, StopOrder
from windlass.apps import stops
from windlass.apps.jobset.kinds import JobSet
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.pipelines.kinds.argo import CronWorkflow, Workflow
from windlass.apps.pipelines.kinds.scheduled_workflow import ScheduledWorkflow
from windlass.apps.profiles.app import APP as PROFILES
from windlass.apps.profiles.controllers import app_controllers
from windlass.apps.profiles.controllers.reconcile import controller
from windlass.apps.profiles.kinds import Profile, ProfileOwner, ProfileSpec
from windlass.apps.profiles.names import DELETED_AT
from windlass.apps.profiles.options import DEFAULTS
from windlass.apps.trainer.kinds import TrainJob
from windlass.apps.training.frameworks import FRAMEWORKS
from windlass.apps.volcano.controllers.job.reconcile import CONTROLLER as VOLCANO_JOBS
from windlass.apps.volcano.kinds.batch import CronJob as VolcanoCronJob
from windlass.apps.volcano.kinds.batch import Job as VolcanoJob
from windlass.apps.volcano.kinds.bus import Command
from windlass.controllers.context import Context
from windlass.kube.controller import Controller
from windlass.kube.json import Object as Json
from windlass.kube.json import dig, timestamp
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key, ObjectMeta
from windlass.kube.testing import World
from windlass.kube.view import view

STOPS = stops()
CONTROLLER = controller(DEFAULTS, STOPS)
SUSPENDED, COUNTED = ("spec", "suspend"), ("spec", "replicas")
CRON_JOB = {"schedule": "* * * * *", "jobTemplate": {"spec": {}}}
CASES = {
    **{
        framework.name: (
            f"kubeflow.org/v1 {framework.name}",
            ("spec", "runPolicy", "suspend"),
            True,
            None,
            {framework.specs_field: {}} | ({"jobMode": "MXTrain"} if framework.name == "MXJob" else {}),
        )
        for framework in FRAMEWORKS
    },
    "TrainJob": ("trainer.kubeflow.org/v1alpha1 TrainJob", SUSPENDED, True, None, {"runtimeRef": {"name": "torch"}}),
    "JobSet": ("jobset.x-k8s.io/v1alpha2 JobSet", SUSPENDED, True, None, {}),
    "Job": ("batch/v1 Job", SUSPENDED, True, None, {}),
    "CronJob": ("batch/v1 CronJob", SUSPENDED, True, None, CRON_JOB),
    "Volcano CronJob": ("batch.volcano.sh/v1alpha1 CronJob", SUSPENDED, True, None, CRON_JOB),
    "Workflow": ("argoproj.io/v1alpha1 Workflow", SUSPENDED, True, None, {"entrypoint": "main"}),
    "CronWorkflow": ("argoproj.io/v1alpha1 CronWorkflow", SUSPENDED, True, None, {"schedules": ["* * * * *"]}),
    "ScheduledWorkflow": ("kubeflow.org/v1beta1 ScheduledWorkflow", ("spec", "enabled"), None, True, {}),
    "Deployment": ("apps/v1 Deployment", COUNTED, 0, 3, {}),
    "StatefulSet": ("apps/v1 StatefulSet", COUNTED, 0, 3, {}),
    "ReplicaSet": ("apps/v1 ReplicaSet", COUNTED, 0, 3, {}),
}
"""Its kind, the field, that field while it is stopped and while it runs, and the rest of its spec."""
EACH = pytest.mark.parametrize(("of", "path", "stopped", "running", "spec"), CASES.values(), ids=CASES.keys())


def a_world(*more: Controller[Any]) -> World:
    world = World(CONTROLLER, *more, namespace="ann")
    owner = ProfileOwner(kind="User", name="ann@example.com")
    world.put(Profile(metadata=ObjectMeta(name="ann"), spec=ProfileSpec(owner=owner)))
    world.settle()
    return world


def into_bin(world: World) -> None:
    world.change(Profile, "ann", {"metadata": {"annotations": {DELETED_AT: timestamp(world.now)}}})
    world.settle()


def restore(world: World) -> None:
    world.change(Profile, "ann", {"metadata": {"annotations": {DELETED_AT: None}}})
    world.settle()


def a_workload(of: str, spec: Json, path: tuple[str, ...] = (), value: Any = None, **metadata: Any) -> Json:
    """A workload with a value in the field that stops it; None leaves the field out."""
    api_version, kind = of.split()
    obj: Json = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "work", **metadata}, "spec": {**spec}}
    if value is not None:
        inner = obj
        for key in path[:-1]:
            inner = inner.setdefault(key, {})
        inner[path[-1]] = value
    return obj


def kind_of(of: str) -> Kind:
    kind = KINDS.find(*of.split())
    assert kind is not None
    return kind


def there(world: World, of: str) -> Json:
    return world.server.objects[kind_of(of), Key("ann", "work")]


@EACH
def test_a_workload_is_stopped_and_comes_back(
    of: str, path: tuple[str, ...], stopped: Any, running: Any, spec: Json
) -> None:
    world = a_world()
    world.put(a_workload(of, spec, path, running))

    into_bin(world)
    assert (dig(there(world, of), *path) or None) == (stopped or None)
    assert BEFORE_DELETION in there(world, of)["metadata"]["annotations"]

    restore(world)
    assert dig(there(world, of), *path) == running
    assert BEFORE_DELETION not in there(world, of)["metadata"].get("annotations", {})


@EACH
def test_a_workload_that_its_user_stopped_stays_stopped(
    of: str, path: tuple[str, ...], stopped: Any, running: Any, spec: Json
) -> None:
    world = a_world()
    world.put(a_workload(of, spec, path, stopped))

    into_bin(world)
    restore(world)

    assert dig(there(world, of), *path) == stopped
    assert BEFORE_DELETION not in there(world, of)["metadata"].get("annotations", {})


def test_each_kind_that_is_stopped_is_covered() -> None:
    covered = {kind_of(of) for of, *_ in CASES.values()} | {KINDS.of(VolcanoJob)}

    in_test_reconcile = {KINDS.of(Notebook), KINDS.of(RoleBinding)}
    assert {KINDS.of(stop.kind) for stop in STOPS} == covered | in_test_reconcile


def test_kinds_that_make_objects_are_stopped_before_the_kinds_that_are_made() -> None:
    """An object of the left kind makes those of the right kinds; it would undo a change of an object that it made."""
    made: dict[type, tuple[type, ...]] = {
        ScheduledWorkflow: (Workflow,),
        CronWorkflow: (Workflow,),
        Workflow: (
            *(framework.kind for framework in FRAMEWORKS),
            VolcanoJob,
            TrainJob,
            Job,
        ),  # by its resource templates
        VolcanoCronJob: (VolcanoJob,),
        CronJob: (Job,),
        TrainJob: (JobSet,),
        JobSet: (Job,),
        Notebook: (StatefulSet,),
        Deployment: (ReplicaSet,),
    }
    place = {stop.kind: place for place, stop in enumerate(STOPS)}

    for maker, kinds in made.items():
        for kind in kinds:
            assert place[maker] < place[kind], (maker, kind)
    assert STOPS[-1].kind is RoleBinding


def test_a_kind_is_stopped_after_the_schedules_that_start_it() -> None:
    orders = {stop.kind: stop.order for stop in STOPS}

    for stop in STOPS:
        for starter in stop.started_by:
            assert orders.get(starter, StopOrder.SCHEDULE) is StopOrder.SCHEDULE < stop.order


@pytest.mark.parametrize(
    ("of", "starter"),
    [
        ("batch/v1 Job", "CronJob"),
        ("argoproj.io/v1alpha1 Workflow", "CronWorkflow"),
        ("argoproj.io/v1alpha1 Workflow", "ScheduledWorkflow"),
    ],
)
def test_what_a_schedule_has_started_is_stopped_too(of: str, starter: str) -> None:
    owner = {"apiVersion": "v1", "kind": starter, "name": "nightly", "uid": "u", "controller": True}
    world = a_world()
    world.put(a_workload(of, {}, ownerReferences=[owner]))

    into_bin(world)
    assert there(world, of)["spec"]["suspend"] is True

    restore(world)
    assert "suspend" not in there(world, of)["spec"]


def test_a_job_of_another_workload_is_left_to_that() -> None:
    owner = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "name": "set", "uid": "u", "controller": True}
    world = a_world()
    world.put(a_workload("batch/v1 Job", {}, ownerReferences=[owner]))

    into_bin(world)

    assert world.get(Job, "work").spec.suspend is None


def test_a_finished_workflow_is_left_as_it_is() -> None:
    of = "argoproj.io/v1alpha1 Workflow"
    world = a_world()
    world.put(a_workload(of, {}, labels={"workflows.argoproj.io/completed": "true"}))

    into_bin(world)

    assert "suspend" not in there(world, of)["spec"]


# --- Volcano Jobs


def with_a_volcano_job() -> World:
    """A world whose Job has a pod."""
    world = a_world(VOLCANO_JOBS)
    template = {"spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"minAvailable": 1, "tasks": [{"name": "t", "replicas": 1, "template": template}]}
    world.put(a_workload("batch.volcano.sh/v1alpha1 Job", spec))
    world.settle()
    return world


def phase(world: World) -> str | None:
    return world.get(VolcanoJob, "work").status.state.phase


def commands(world: World) -> list[str]:
    return [command.action for command in world.all(Command).values()]


def test_a_volcano_job_is_aborted_and_resumed() -> None:
    world = with_a_volcano_job()
    assert phase(world) == "Pending"

    into_bin(world)
    assert (phase(world), commands(world)) == ("Aborted", [])

    restore(world)
    assert (phase(world), commands(world)) == ("Pending", [])
    assert not world.get(VolcanoJob, "work").metadata.annotations.get(BEFORE_DELETION)


@pytest.mark.parametrize(
    ("before", "after"), [("Aborted", "Aborted"), ("Completed", "Completed"), ("Failed", "Failed")]
)
def test_a_volcano_job_that_was_suspended_or_had_ended_stays_so(before: str, after: str) -> None:
    world = a_world()
    world.put(a_workload("batch.volcano.sh/v1alpha1 Job", {}))
    world.change(VolcanoJob, "work", {"status": {"state": {"phase": before}}})

    into_bin(world)
    restore(world)

    assert (phase(world), commands(world)) == (after, [])
    assert BEFORE_DELETION not in world.get(VolcanoJob, "work").metadata.annotations


def test_a_volcano_job_that_went_on_is_aborted_at_the_next_check() -> None:
    world = with_a_volcano_job()
    into_bin(world)
    world.change(VolcanoJob, "work", {"status": {"state": {"phase": "Restarting"}}})

    world.settle()

    assert phase(world) == "Aborted"


@pytest.mark.parametrize("is_restored", [False, True])
@pytest.mark.parametrize("writes", range(1, 8))
def test_killed_after_any_write_a_volcano_job_ends_the_same(is_restored: bool, writes: int) -> None:
    world = with_a_volcano_job()
    if is_restored:
        into_bin(world)
    at = None if is_restored else timestamp(world.now)
    world.change(Profile, "ann", {"metadata": {"annotations": {DELETED_AT: at}}})
    world.step("ann", kill_after=writes)
    world.settle()
    if not is_restored:
        assert phase(world) == "Aborted"
        restore(world)

    assert (phase(world), commands(world)) == ("Pending", [])


# --- clusters


def test_a_cluster_that_serves_none_of_the_kinds_has_a_working_bin() -> None:
    (made,) = app_controllers(Context(is_embedded=False))
    assert isinstance(made, Controller)

    watched = {view(source).kind for source, _ in made.watches}

    assert watched.isdisjoint(KINDS.of(stop.kind) for stop in STOPS if stop.kind is not RoleBinding)


def test_a_cluster_without_commands_does_not_stop_volcano_jobs() -> None:
    served = frozenset(KINDS) - {KINDS.of(Command)}
    (made,) = app_controllers(Context(is_embedded=False, served=served))
    assert isinstance(made, Controller)

    assert KINDS.of(VolcanoJob) not in {view(source).kind for source, _ in made.watches}


def test_a_manager_may_stop_each_kind() -> None:
    granted = permissions(PROFILES)
    kinds = {KINDS.of(stop.kind) for stop in STOPS}

    assert {("patch", kind.group, kind.plural) for kind in kinds} <= granted
    assert ("create", "bus.volcano.sh", "commands") in granted
