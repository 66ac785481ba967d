from datetime import timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.controllers.core.workload_builders import APP, World, a_deployment, a_replica_set, a_template, owned_by
from tests.kube.live import managed, until
from windlass.apis.apps_v1 import Deployment, ReplicaSet, ReplicaSetStatus, WorkloadCondition
from windlass.apis.core_v1 import Event, Pod
from windlass.controllers.core import deployments, replica_sets, service_accounts
from windlass.controllers.core.deployment_history import DESIRED, MAX_REPLICAS_ANNOTATION, REVISION, REVISION_HISTORY
from windlass.controllers.core.deployment_templates import HASH_LABEL, same_template, template_hash
from windlass.controllers.core.pod_from_template import ALPHABET
from windlass.controllers.core.rollout_arithmetic import max_surge, max_unavailable
from windlass.kube import errors
from windlass.kube.client import Client
from windlass.kube.controller import Observed
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.plan import Outcome
from windlass.kube.testing import adopted, created, patched

DEPLOYMENT, POD = KINDS.of(Deployment), KINDS.of(Pod)


def a_world(replicas: int = 3, **spec: Any) -> World:
    """A Deployment whose first template is rolled out."""
    world = World(a_deployment(replicas, **spec))
    world.roll()
    return world


def newest(world: World) -> ReplicaSet:
    return max(world.sets.values(), key=lambda one: int(one.metadata.annotations[REVISION]))


def rolling(surge: Any, unavailable: Any) -> Any:
    return {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}


# --- the first rollout


def test_the_first_replica_set_has_the_template_and_its_hash() -> None:
    world = World(a_deployment(3))
    world.step()

    [(name, one)] = world.sets.items()
    mark = name.removeprefix("web-")
    assert one.metadata.labels == {**APP, HASH_LABEL: mark}
    assert one.spec.selector.match_labels == {**APP, HASH_LABEL: mark}
    assert one.spec.template["metadata"]["labels"] == {**APP, HASH_LABEL: mark}
    assert one.spec.template["spec"] == a_template()["spec"]
    assert one.metadata.annotations == {REVISION: "1", DESIRED: "3", MAX_REPLICAS_ANNOTATION: "4"}
    assert one.spec.replicas == 3
    assert world.events == [f"Scaled up replica set {name} from 0 to 3"]
    assert world.condition("Progressing") == ("True", "NewReplicaSetCreated", f'Created new replica set "{name}"')
    assert world.condition("Available") == (
        "False",
        "MinimumReplicasUnavailable",
        "Deployment does not have minimum availability.",
    )
    assert world.deployment.status.unavailable_replicas == 3


def test_a_rollout_that_is_done_says_so_and_has_its_revision() -> None:
    world = a_world(3)

    [name] = world.sets
    status = world.deployment.status
    assert (status.replicas, status.updated_replicas, status.ready_replicas, status.available_replicas) == (3, 3, 3, 3)
    assert (status.unavailable_replicas, status.observed_generation) == (0, 1)
    assert world.condition("Progressing") == (
        "True",
        "NewReplicaSetAvailable",
        f'ReplicaSet "{name}" has successfully progressed.',
    )
    assert world.condition("Available")[:2] == ("True", "MinimumReplicasAvailable")
    assert world.deployment.metadata.annotations == {REVISION: "1"}


def test_pods_that_come_are_progress() -> None:
    world = World(a_deployment(3))
    world.settle()
    [name] = world.sets
    world.pods(name, ready=1)
    world.step()

    assert world.condition("Progressing") == ("True", "ReplicaSetUpdated", f'ReplicaSet "{name}" is progressing.')


# --- rolling


def test_a_rolling_update_grows_the_new_then_shrinks_the_old() -> None:
    world = a_world(4)
    [old] = world.sets
    world.change(template=a_template("nginx:2"))
    world.step()

    new = newest(world).metadata.name
    assert world.sizes == {old: 4, new: 1}
    world.settle()
    assert world.sizes == {old: 3, new: 2}
    world.roll()
    assert world.sizes == {old: 0, new: 4}
    assert world.events[:3] == [
        f"Scaled up replica set {old} from 0 to 4",
        f"Scaled up replica set {new} from 0 to 1",
        f"Scaled down replica set {old} from 4 to 3",
    ]
    assert world.deployment.metadata.annotations[REVISION] == "2"


@settings(max_examples=60, deadline=None)
@given(
    replicas=st.integers(1, 12),
    surge=st.one_of(st.integers(0, 5), st.sampled_from(["0%", "25%", "50%", "100%"])),
    unavailable=st.one_of(st.integers(0, 5), st.sampled_from(["0%", "25%", "50%", "100%"])),
    order=st.lists(st.integers(0, 12), max_size=30),
)
def test_a_rollout_keeps_its_limits_whatever_becomes_ready_when(
    replicas: int, surge: Any, unavailable: Any, order: list[int]
) -> None:
    world = a_world(replicas, strategy=rolling(surge, unavailable))
    world.change(template=a_template("nginx:2"))
    most = replicas + max_surge(world.deployment)
    least = replicas - max_unavailable(world.deployment)
    for ready in order:
        world.settle()
        new = newest(world).metadata.name
        for name, one in world.sets.items():
            world.pods(name, ready=min(ready, one.spec.replicas or 0) if name == new else None)
        assert sum(one.spec.replicas or 0 for one in world.sets.values()) <= most
        # what is left of the available pods never goes below the least because of us
        if all(one.status.available_replicas == one.spec.replicas for one in world.sets.values()):
            assert sum(one.status.available_replicas for one in world.sets.values()) >= least
    world.roll()
    assert world.sizes[newest(world).metadata.name] == replicas
    assert sum(size or 0 for size in world.sizes.values()) == replicas


@pytest.mark.parametrize(
    ("replicas", "surge", "unavailable", "most_more", "most_less"),
    [
        (10, "25%", "25%", 3, 2),
        (1, "25%", "25%", 1, 0),
        (3, 0, "10%", 0, 1),
        (3, 5, 5, 5, 3),
        (0, "25%", "25%", 0, 0),
    ],
)
def test_surge_rounds_up_and_unavailable_down(
    replicas: int, surge: Any, unavailable: Any, most_more: int, most_less: int
) -> None:
    deployment = a_deployment(replicas, strategy=rolling(surge, unavailable))
    assert (max_surge(deployment), max_unavailable(deployment)) == (most_more, most_less)


def test_old_pods_that_are_not_available_go_first() -> None:
    world = a_world(4, strategy=rolling(0, 1))
    [old] = world.sets
    world.pods(old, ready=2)
    world.change(template=a_template("nginx:2"))
    world.settle()

    assert world.sizes[old] == 3  # one of the two broken ones: three must be available, and are not


def test_recreate_waits_until_the_old_pods_are_gone() -> None:
    world = a_world(2, strategy={"type": "Recreate"})
    [old] = world.sets
    world.change(template=a_template("nginx:2"))
    world.settle()
    assert world.sizes == {old: 0}
    world.pods(old, terminating=2)
    world.settle()
    assert world.sizes == {old: 0}
    world.pods(old)
    world.settle()
    assert world.sizes == {old: 0, newest(world).metadata.name: 2}


# --- scaling


def test_scaling_changes_the_one_replica_set_and_its_annotations() -> None:
    world = a_world(3)
    [name] = world.sets
    world.change(replicas=8)
    world.roll()

    assert world.sizes == {name: 8}
    assert {k: world.sets[name].metadata.annotations[k] for k in (DESIRED, MAX_REPLICAS_ANNOTATION)} == {
        DESIRED: "8",
        MAX_REPLICAS_ANNOTATION: "10",
    }


def test_scaling_in_the_midst_of_a_rollout_is_shared_out_in_proportion() -> None:
    """The example of Kubernetes' documentation: 10 pods become 15 while 8 old and 5 new ones run."""
    world = a_world(10, strategy=rolling(3, 2))
    [old] = world.sets
    world.change(template=a_template("nginx:2"))
    world.settle()
    new = newest(world).metadata.name
    assert world.sizes == {old: 8, new: 5}
    world.change(replicas=15)
    world.step()

    assert world.sizes == {old: 11, new: 7}


def test_scaling_to_nothing_and_back() -> None:
    world = a_world(3)
    world.change(replicas=0)
    world.roll()
    assert set(world.sizes.values()) == {0}
    assert world.condition("Available")[0] == "True"
    world.change(replicas=2)
    world.roll()
    assert set(world.sizes.values()) == {2}


# --- pausing, going back, history


def test_a_paused_deployment_scales_but_does_not_roll() -> None:
    world = a_world(3)
    [name] = world.sets
    world.change(paused=True, template=a_template("nginx:2"))
    world.settle()
    assert world.sizes == {name: 3}
    assert world.condition("Progressing") == ("Unknown", "DeploymentPaused", "Deployment is paused")
    world.change(replicas=5)
    world.settle()
    assert world.sizes == {name: 5}
    world.change(paused=False)
    world.step()
    world.roll()
    assert world.sizes == {name: 0, newest(world).metadata.name: 5}


def test_going_back_takes_the_old_replica_set_under_a_new_revision() -> None:
    world = a_world(2)
    [first] = world.sets
    world.change(template=a_template("nginx:2"))
    world.roll()
    world.change(template=a_template("nginx:1"))
    world.roll()

    assert len(world.sets) == 2
    assert world.sizes[first] == 2
    annotations = world.sets[first].metadata.annotations
    assert (annotations[REVISION], annotations[REVISION_HISTORY]) == ("3", "1")
    assert world.deployment.metadata.annotations[REVISION] == "3"


def test_old_revisions_beyond_the_limit_are_forgotten() -> None:
    world = a_world(1, revision_history_limit=2)
    for number in range(2, 7):
        world.change(template=a_template(f"nginx:{number}"))
        world.roll()

    assert sorted(one.metadata.annotations[REVISION] for one in world.sets.values()) == ["4", "5", "6"]


def test_annotations_are_passed_on_but_for_those_that_are_not_theirs() -> None:
    deployment = a_deployment(1)
    given = {"kubernetes.io/change-cause": "first", "kubectl.kubernetes.io/last-applied-configuration": "{}"}
    metadata = msgspec.structs.replace(deployment.metadata, annotations=given)
    world = World(msgspec.structs.replace(deployment, metadata=metadata))
    world.roll()

    assert newest(world).metadata.annotations == {
        "kubernetes.io/change-cause": "first",
        REVISION: "1",
        DESIRED: "1",
        MAX_REPLICAS_ANNOTATION: "2",
    }


def test_min_ready_seconds_are_passed_on_to_the_new_replica_set() -> None:
    world = a_world(1)
    world.change(min_ready_seconds=30)
    world.settle()
    assert newest(world).spec.min_ready_seconds == 30


# --- when things go wrong


def test_a_rollout_that_stands_still_times_out() -> None:
    world = World(a_deployment(2, progress_deadline_seconds=60))
    world.settle()
    plan = world.step()
    assert plan.again_in == timedelta(seconds=61)
    world.world.wait(61)
    world.step()

    [name] = world.sets
    assert world.condition("Progressing") == (
        "False",
        "ProgressDeadlineExceeded",
        f'ReplicaSet "{name}" has timed out progressing.',
    )
    world.pods(name)
    world.step()
    assert world.condition("Progressing")[1] == "NewReplicaSetAvailable"


def test_without_a_deadline_there_is_no_such_condition() -> None:
    world = a_world(1, progress_deadline_seconds=2**31 - 1)
    assert [condition.type for condition in world.deployment.status.conditions] == ["Available"]


def test_what_a_replica_set_was_refused_is_told_on_the_deployment() -> None:
    world = a_world(2)
    [name] = world.sets
    failure = WorkloadCondition(type="ReplicaFailure", status="True", reason="FailedCreate", message="quota")
    status = ReplicaSetStatus(replicas=1, conditions=[failure])
    world.sets[name] = msgspec.structs.replace(world.sets[name], status=status)
    world.step()
    assert world.condition("ReplicaFailure") == ("True", "FailedCreate", "quota")
    world.pods(name)
    world.step()
    assert "ReplicaFailure" not in [condition.type for condition in world.deployment.status.conditions]


def test_a_replica_set_that_is_refused_is_told() -> None:
    deployment, why = a_deployment(1), errors.Forbidden("no more")
    plan = deployments.reconcile(deployment, Observed.just(of=deployment))
    assert plan.status_if_refused is not None
    outcome = Outcome("create", created(plan)[0], why)
    status: Any = plan.status_if_refused([outcome])
    note = deployments.event_for(deployment, outcome)

    [name] = [child.metadata.name for child in created(plan) if isinstance(child, ReplicaSet)]
    progressing = next(c for c in status.conditions if c.type == "Progressing")
    assert (progressing.status, progressing.reason) == ("False", "ReplicaSetCreateError")
    assert note is not None
    assert note.message == progressing.message == f'Failed to create new replica set "{name}": no more'


def test_a_name_that_is_taken_counts_as_a_collision_and_another_is_made() -> None:
    world = World(a_deployment(1))
    taken = f"web-{template_hash(a_template(), None)}"
    world.sets[taken] = a_replica_set(1, name=taken, labels={"app": "other"})
    world.step()
    assert world.deployment.status.collision_count == 1
    world.settle()
    assert len(world.sets) == 2


def test_an_orphan_that_matches_is_adopted_and_a_stray_let_go() -> None:
    deployment = a_deployment(3)
    orphan = a_replica_set(3, name="orphan")
    stray = a_replica_set(3, name="stray", labels={"app": "x"}, owner_references=owned_by(deployment))
    plan = deployments.reconcile(deployment, Observed.just(orphan, stray, of=deployment))

    assert list(adopted(plan)) == [orphan]
    assert (stray, {"metadata": {"ownerReferences": None}}) in patched(plan)
    assert list(created(plan)) == []


# --- templates


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": 1}, {"a": 1, "resources": {}, "creationTimestamp": None}, True),
        ({"resources": {"limits": {"cpu": "1000m"}}}, {"resources": {"limits": {"cpu": "1"}}}, True),
        ({"hostNetwork": False}, {}, True),
        ({"runAsUser": 0}, {}, False),
        ({"image": "a"}, {"image": "b"}, False),
    ],
)
def test_one_template_may_be_written_in_several_ways(one: Any, other: Any, same: bool) -> None:
    marked = {"metadata": {"labels": {HASH_LABEL: "x"}}, "spec": other}
    assert same_template({"spec": one}, marked) is same
    assert (template_hash({"spec": one}, None) == template_hash(marked, None)) is same


def test_a_hash_is_stable_safe_and_changed_by_a_collision() -> None:
    template = a_template()
    assert template_hash(template, None) == template_hash(dict(reversed(template.items())), None)
    assert template_hash(template, None) != template_hash(template, 1)
    assert set(template_hash(template, None)) <= set(ALPHABET)


# --- live

RUNNING = (deployments.CONTROLLER, replica_sets.REPLICA_SETS, service_accounts.CONTROLLER)


def a_manifest(room: str, image: str = "nginx:1", replicas: int = 3) -> dict[str, Any]:
    spec = {"replicas": replicas, "selector": {"matchLabels": APP}, "template": a_template(image)}
    metadata = {"name": "web", "namespace": room}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}


async def make_ready(client: Client, room: str) -> None:
    """As a node would: every pod runs and is ready."""
    for pod in (await client.list(Pod, room)).items:
        if not pod.status.conditions:
            ready = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
            try:
                await client.set_status(POD, pod.metadata.key, ready)
            except errors.NotFound:
                continue


async def test_an_image_is_rolled_out_with_enough_pods_at_every_moment(client: Client, room: str) -> None:
    async with managed(client, *RUNNING):
        await client.create(a_manifest(room))

        async def done(image: str) -> bool:
            await make_ready(client, room)
            pods = (await client.list(Pod, room)).items
            found = await client.get(Deployment, "web", room)
            if found.metadata.annotations.get(REVISION) == "2":
                ready = [pod for pod in pods if pod.status.conditions]
                assert len(ready) >= 3
                assert len(pods) <= 4
            images = [pod.spec.containers[0].image for pod in pods]
            status = found.status
            return images == [image] * 3 and status.available_replicas == status.updated_replicas == 3

        await until(lambda: done("nginx:1"))
        patch = {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "nginx:2"}]}}}}
        await client.patch(DEPLOYMENT, Key(room, "web"), patch)
        await until(lambda: done("nginx:2"))

        async def events() -> list[str]:
            return [e.message for e in (await client.list(Event, room)).items if e.reason == "ScalingReplicaSet"]

        async def told() -> bool:
            return len(await events()) == 7

        await until(told)
        steps = ["0 to 3", "0 to 1", "3 to 2", "1 to 2", "2 to 1", "2 to 3", "1 to 0"]
        assert sorted(message.rpartition("from ")[2] for message in await events()) == sorted(steps)


async def test_a_manager_killed_at_any_moment_leaves_one_rollout(client: Client, room: str) -> None:
    await client.create(a_manifest(room, replicas=20))
    for number in range(2, 6):
        async with managed(client, *RUNNING):
            patch = {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": f"nginx:{number}"}]}}}}
            await client.patch(DEPLOYMENT, Key(room, "web"), patch)
            await make_ready(client, room)
    async with managed(client, *RUNNING):

        async def done() -> bool:
            await make_ready(client, room)
            pods = (await client.list(Pod, room)).items
            return [pod.spec.containers[0].image for pod in pods] == ["nginx:5"] * 20

        await until(done, 180)
    sets = (await client.list(ReplicaSet, room)).items
    assert len({one.metadata.annotations[REVISION] for one in sets}) == len(sets)
