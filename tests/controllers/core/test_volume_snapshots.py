import pytest

from tests.controllers.core.snapshot_builders import (
    BOUND_NAME,
    a_content,
    a_shared_volume,
    a_snapshot,
    a_snapshot_class,
)
from tests.controllers.core.volume_builders import a_claim
from windlass.apis.snapshot_storage_v1 import (
    BOUND_PROTECTION,
    CONTENT_PROTECTION,
    VolumeSnapshot,
    VolumeSnapshotStatus,
)
from windlass.controllers.core.volume_snapshots import reconcile
from windlass.kube.controller import Observed
from windlass.kube.objects import AnyObject, key_of
from windlass.kube.plan import Delete, Plan
from windlass.kube.testing import created_unowned, patched

OLD = a_claim("old", class_="windlass-shared", phase="Bound", volume_name="pvc-old")
DELETED = "2026-01-01T00:00:00Z"


def plan_of(snapshot: VolumeSnapshot, *objects: AnyObject) -> Plan:
    return reconcile(snapshot, Observed.just(snapshot, *objects, of=snapshot))


def deleted(plan: Plan) -> list[str]:
    return [key_of(action.obj).name for action in plan.actions if isinstance(action, Delete)]


def test_a_snapshot_is_protected_before_anything_else() -> None:
    ((_, patch),) = patched(plan_of(a_snapshot(finalizers=[])))

    assert patch == {"metadata": {"finalizers": [BOUND_PROTECTION]}}


def test_the_default_class_is_written_to_the_snapshot_and_then_its_content_created() -> None:
    objects = (OLD, a_shared_volume(), a_snapshot_class("other", "example.com/disk"), a_snapshot_class())

    ((_, patch),) = patched(plan_of(a_snapshot(by=None), *objects))
    (content,) = created_unowned(plan_of(a_snapshot(), *objects))

    assert patch == {"spec": {"volumeSnapshotClassName": "windlass-shared"}}
    assert isinstance(content, dict)
    assert content["metadata"] == {"name": BOUND_NAME, "finalizers": [CONTENT_PROTECTION]}
    assert content["spec"]["source"] == {"volumeHandle": "pvc-old"}
    assert content["spec"]["volumeSnapshotRef"]["uid"] == "s-uid"


@pytest.mark.parametrize(
    ("snapshot", "objects", "part"),
    [
        (a_snapshot(), [], 'PersistentVolumeClaim "old" not found'),
        (a_snapshot(), [a_claim("old")], "is not bound"),
        (a_snapshot(), [OLD, a_shared_volume(driver="local-path.windlass.dev")], "have no snapshots"),
        (a_snapshot(), [OLD, a_shared_volume()], 'VolumeSnapshotClass "windlass-shared" not found'),
        (a_snapshot(by=None), [OLD, a_shared_volume()], "no default VolumeSnapshotClass"),
        (a_snapshot(), [OLD, a_shared_volume(), a_snapshot_class(driver="x")], "is of the driver x"),
        (a_snapshot(content="made"), [], 'VolumeSnapshotContent "made" is missing'),
        (a_snapshot(content="made"), [a_content("made", of="another")], "different snapshot"),
    ],
)
def test_why_there_is_no_snapshot_is_reported_once(
    snapshot: VolumeSnapshot, objects: list[AnyObject], part: str
) -> None:
    plan = plan_of(snapshot, *objects)

    (event,) = plan.events
    assert event.warning
    assert part in event.message
    assert isinstance(plan.status, VolumeSnapshotStatus)
    assert plan.status.error is not None
    assert plan.status.error.message == event.message
    snapshot = VolumeSnapshot(metadata=snapshot.metadata, spec=snapshot.spec, status=plan.status)
    assert plan_of(snapshot, *objects) == Plan()


def test_the_status_of_the_content_is_shown_on_the_snapshot() -> None:
    plan = plan_of(a_snapshot(), a_content(ready=True))

    assert plan.status == VolumeSnapshotStatus(
        bound_volume_snapshot_content_name=BOUND_NAME,
        creation_time="2023-11-14T22:13:20Z",
        ready_to_use=True,
        restore_size="1Gi",
    )
    assert [event.reason for event in plan.events] == ["SnapshotReady"]


def test_existing_content_is_bound_by_the_uid_of_its_snapshot() -> None:
    ((content, patch),) = patched(plan_of(a_snapshot(content="made"), a_content("made", of=None)))

    assert key_of(content).name == "made"
    assert patch == {"spec": {"volumeSnapshotRef": {"uid": "s-uid"}}}


@pytest.mark.parametrize(
    ("contents", "gone", "is_released"),
    [
        ([a_content()], [BOUND_NAME], False),
        ([a_content(deletion_timestamp=DELETED)], [], False),
        ([a_content(policy="Retain")], [], True),
        ([a_content(of="another")], [], True),
        ([], [], True),
    ],
    ids=["deleted first", "being deleted", "retained", "of another", "gone"],
)
def test_a_deleted_snapshot_stays_until_its_content_is_gone(
    contents: list[AnyObject], gone: list[str], is_released: bool
) -> None:
    plan = plan_of(a_snapshot(deletion_timestamp=DELETED), *contents)

    assert deleted(plan) == gone
    assert [patch for _, patch in patched(plan)] == ([{"metadata": {"finalizers": []}}] if is_released else [])
