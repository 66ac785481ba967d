from typing import Any

import pytest

from tests.controllers.core.snapshot_builders import a_content, a_shared_class, a_shared_volume, a_snapshot
from tests.controllers.core.volume_builders import a_claim, a_node
from windlass.apis.local_volumes import SHARED_DRIVER, Source
from windlass.controllers.core.volume_claims import STORAGE_PROVISIONER, reconcile
from windlass.kube.controller import Observed
from windlass.kube.objects import AnyObject
from windlass.kube.plan import Plan
from windlass.kube.testing import created_unowned

OURS = {"annotations": {STORAGE_PROVISIONER: SHARED_DRIVER}}
CLONE = {"kind": "PersistentVolumeClaim", "name": "old"}
RESTORE = {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "s"}
OLD = a_claim("old", class_="windlass-shared", phase="Bound", volume_name="pvc-old")
READY = a_content(ready=True)


def plan_of(source: Any, *objects: AnyObject, size: str = "1Gi", **spec: Any) -> Plan:
    claim = a_claim("new", size, class_="windlass-shared", metadata=OURS, data_source_ref=source, **spec)
    return reconcile(claim, Observed.just(claim, a_shared_class(), a_node(), *objects, of=claim))


@pytest.mark.parametrize("modes", [["ReadWriteMany"], ["ReadOnlyMany", "ReadWriteOnce"], ["ReadWriteOncePod"]])
def test_a_shared_volume_has_every_access_mode_and_no_source(modes: list[str]) -> None:
    (made,) = created_unowned(plan_of(None, access_modes=modes))

    assert isinstance(made, dict)
    assert made["spec"]["accessModes"] == modes
    assert made["spec"]["csi"] == {"driver": SHARED_DRIVER, "volumeHandle": "pvc-new-uid_n_new"}


@pytest.mark.parametrize(
    ("source", "objects", "attribute"),
    [
        (CLONE, [OLD, a_shared_volume("pvc-old")], "volumes/pvc-old"),
        (RESTORE, [a_snapshot(ready=True), READY], "snapshots/snapshot-1"),
    ],
)
def test_the_volume_says_what_it_is_a_copy_of(source: Any, objects: list[AnyObject], attribute: str) -> None:
    (made,) = created_unowned(plan_of(source, *objects))

    assert isinstance(made, dict)
    assert made["spec"]["csi"]["volumeAttributes"] == {"windlass.dev/source": attribute}
    assert str(Source.parse(attribute)) == attribute


@pytest.mark.parametrize(
    ("source", "objects", "size", "part"),
    [
        (CLONE, [], "1Gi", '"old" does not exist'),
        (CLONE, [a_claim("old")], "1Gi", "is not bound"),
        (CLONE, [OLD, a_shared_volume("pvc-old", driver="local-path.windlass.dev")], "1Gi", "not of the driver"),
        (CLONE, [OLD, a_shared_volume("pvc-old")], "1Mi", "smaller than that of"),
        (RESTORE, [], "1Gi", "does not exist"),
        (RESTORE, [a_snapshot(), a_content()], "1Gi", "not ready"),
        (RESTORE, [a_snapshot(ready=True), a_content(ready=True, of="another")], "1Gi", "another snapshot"),
        (RESTORE, [a_snapshot(ready=True), a_content(ready=True, driver="x")], "1Gi", "not of the driver"),
        (RESTORE, [a_snapshot(ready=True), READY], "1Mi", "smaller than that of"),
        ({**RESTORE, "namespace": "other"}, [a_snapshot(ready=True), READY], "1Gi", "another namespace"),
        ({"apiGroup": "x", "kind": "Y", "name": "z"}, [], "1Gi", 'kind "Y"'),
    ],
)
def test_why_a_source_cannot_be_used_is_reported(source: Any, objects: list[AnyObject], size: str, part: str) -> None:
    plan = plan_of(source, *objects, size=size)

    assert not created_unowned(plan)
    (event,) = plan.events
    assert event.reason == "ProvisioningFailed"
    assert part in event.message
