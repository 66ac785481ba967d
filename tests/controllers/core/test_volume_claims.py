from typing import Any

import msgspec
import pytest

from tests.controllers.core.volume_builders import a_claim, a_class, a_node, a_user, a_volume, promised_to
from windlass.apis.core_v1 import PersistentVolumeClaim, PersistentVolumeClaimStatus
from windlass.apis.wellknown import CLAIM_REASON_ANNOTATION, DEFAULT_STORAGE_CLASS_ANNOTATION
from windlass.controllers.core.volume_claims import (
    BY_CONTROLLER,
    COMPLETED,
    SELECTED_NODE,
    STORAGE_PROVISIONER,
    reconcile,
)
from windlass.kube.controller import Observed
from windlass.kube.meta import LabelSelector, ObjectMeta
from windlass.kube.objects import AnyObject, key_of
from windlass.kube.plan import Plan
from windlass.kube.testing import created_unowned, patched

LATE = "WaitForFirstConsumer"
OURS = {"annotations": {STORAGE_PROVISIONER: "rancher.io/local-path"}}


def plan_of(claim: PersistentVolumeClaim, *objects: AnyObject) -> Plan:
    return reconcile(claim, Observed.just(claim, *objects, of=claim))


def bound_to(plan: Plan) -> str:
    """The name that the claim gets."""
    obj, patch = patched(plan)[-1]
    assert isinstance(obj, PersistentVolumeClaim)
    return patch.get("spec", {}).get("volumeName", "")


def binding_writes(plan: Plan) -> list[Any]:
    """Patches other than the note of the reason on the claim."""
    return [patch for _, patch in patched(plan) if set(noted(patch)) != {CLAIM_REASON_ANNOTATION}]


def noted(patch: Any) -> dict[str, Any]:
    return patch.get("metadata", {}).get("annotations", {})


def reason_on_claim(plan: Plan) -> list[Any]:
    """The value that the plan writes into the annotation of the claim; None removes it."""
    return [
        noted(patch)[CLAIM_REASON_ANNOTATION] for _, patch in patched(plan) if CLAIM_REASON_ANNOTATION in noted(patch)
    ]


def reasons(plan: Plan) -> list[str]:
    return [note.reason for note in plan.events]


def test_the_smallest_volume_that_is_large_enough_is_taken() -> None:
    plan = plan_of(a_claim(), a_volume("huge", "9Gi"), a_volume("right", "2Gi"), a_volume("small", "1Mi"))
    (volume, promise), (_, mine) = patched(plan)
    assert key_of(volume).name == "right"
    assert promise["metadata"]["annotations"] == {BY_CONTROLLER: "yes"}
    assert promise["spec"]["claimRef"] == {
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "n", "name": "c", "uid": "c-uid",
        "resourceVersion": "7",
    }  # fmt: skip
    assert mine["spec"] == {"volumeName": "right"}
    assert mine["metadata"]["annotations"] == {COMPLETED: "yes", BY_CONTROLLER: "yes"}


@pytest.mark.parametrize(
    ("claim", "volume"),
    [
        ({"access_modes": ["ReadWriteMany"]}, {}),
        ({"volume_mode": "Block"}, {}),
        ({"class_": "fast"}, {}),
        ({}, {"storageClassName": "fast"}),
        ({"selector": LabelSelector(match_labels={"a": "b"})}, {}),
        ({}, {"claimRef": promised_to("other", "u")}),
        ({}, {"phase": "Released"}),
        ({}, {"metadata": {"deletion_timestamp": "2026-01-01T00:00:00Z"}}),
        ({"size": "2Gi"}, {}),
    ],
)
def test_a_volume_that_does_not_fit_is_left(claim: Any, volume: Any) -> None:
    plan = plan_of(a_claim(**claim), a_volume(**volume))
    assert not binding_writes(plan)
    assert plan.status == PersistentVolumeClaimStatus(phase="Pending")


def test_a_binding_that_stopped_half_way_is_finished() -> None:
    kept = a_volume("kept", "5Gi", claimRef=promised_to(), phase="Bound")
    plan = plan_of(a_claim(), a_volume("free"), kept)
    assert len(patched(plan)) == 1
    assert bound_to(plan) == "kept"


def test_a_volume_kept_for_the_claim_by_name_gets_its_uid() -> None:
    plan = plan_of(a_claim(class_="fast"), a_class(mode=LATE), a_volume(claimRef={"namespace": "n", "name": "c"}))
    (_, promise), _ = patched(plan)
    assert promise["spec"]["claimRef"]["uid"] == "c-uid"
    assert "metadata" not in promise
    assert bound_to(plan) == "v"


def test_a_volume_asked_for_by_name_is_bound_without_saying_that_the_binder_chose_it() -> None:
    plan = plan_of(a_claim(volume_name="v"), a_volume())
    assert patched(plan)[-1][1] == {"metadata": {"annotations": {COMPLETED: "yes"}}}


@pytest.mark.parametrize(
    ("volume", "reason", "message"),
    [
        ({"size": "1Mi"}, "VolumeMismatch", 'Cannot bind to requested volume "v": requested PV is too small'),
        (
            {"storageClassName": "x"},
            "VolumeMismatch",
            'Cannot bind to requested volume "v": storageClassName does not match',
        ),
        (
            {"claimRef": promised_to("other", "u")},
            "FailedBinding",
            'volume "v" already bound to a different claim.',
        ),
    ],
)
def test_why_a_volume_asked_for_by_name_is_not_bound_is_told(volume: Any, reason: str, message: str) -> None:
    (note,) = plan_of(a_claim(volume_name="v"), a_volume(**volume)).events
    assert (note.reason, note.message, note.warning) == (reason, message, True)


def done(**more: Any) -> PersistentVolumeClaim:
    return a_claim(**{"metadata": {"annotations": {COMPLETED: "yes"}}, "volume_name": "v", **more})


def test_a_bound_claim_has_its_volumes_size_and_modes() -> None:
    plan = plan_of(done(), a_volume(size="3Gi", claimRef=promised_to()))
    assert plan.status == PersistentVolumeClaimStatus(
        phase="Bound", access_modes=["ReadWriteOnce", "ReadOnlyMany"], capacity={"storage": "3Gi"}
    )


@pytest.mark.parametrize(
    ("volumes", "reason"),
    [([], "ClaimLost"), ([a_volume(claimRef=promised_to("other", "u"))], "ClaimMisbound")],
)
def test_a_claim_whose_volume_is_gone_is_lost(volumes: list[AnyObject], reason: str) -> None:
    plan = plan_of(done(phase="Bound"), *volumes)
    assert plan.status == PersistentVolumeClaimStatus(phase="Lost")
    assert reasons(plan) == [reason]


def test_without_a_class_and_a_volume_it_waits() -> None:
    (note,) = plan_of(a_claim()).events
    assert note.message == "no persistent volumes available for this claim and no storage class is set"


def test_a_default_class_made_later_is_taken() -> None:
    default = a_class(metadata=ObjectMeta(name="d", annotations={DEFAULT_STORAGE_CLASS_ANNOTATION: "true"}))
    (patch,) = patched(plan_of(a_claim(class_=None), default))
    assert patch[1] == {"spec": {"storageClassName": "d"}}
    assert not binding_writes(plan_of(a_claim(class_=""), default))


@pytest.mark.parametrize(
    ("others", "reason", "message"),
    [
        ([], "WaitForFirstConsumer", "waiting for first consumer to be created before binding"),
        ([a_user()], "WaitForPodScheduled", "waiting for pod p to be scheduled"),
    ],
)
def test_a_late_class_waits_for_the_first_consumer(others: list[AnyObject], reason: str, message: str) -> None:
    (note,) = plan_of(a_claim(class_="fast"), a_class(mode=LATE), a_node(), *others).events
    assert (note.reason, note.message) == (reason, message)


@pytest.mark.parametrize(
    ("annotations", "others", "node"),
    [({SELECTED_NODE: "b"}, [], "b"), ({}, [a_user(node="a")], "a")],
)
def test_the_new_volume_is_where_the_consumer_is(
    annotations: dict[str, str], others: list[AnyObject], node: str
) -> None:
    claim = a_claim(class_="fast", metadata={"annotations": {**OURS["annotations"], **annotations}})
    plan = plan_of(claim, a_class(mode=LATE), a_node("a"), a_node("b"), *others)
    (made,) = created_unowned(plan)
    assert reasons(plan) == ["Provisioning"]
    assert isinstance(made, dict)
    assert made["metadata"] == {
        "name": "pvc-c-uid",
        "annotations": {"pv.kubernetes.io/provisioned-by": "rancher.io/local-path"},
        "finalizers": ["kubernetes.io/pv-protection", "local-path.windlass.dev/folder"],
    }
    term = {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}]}
    assert made["spec"]["nodeAffinity"] == {"required": {"nodeSelectorTerms": [term]}}
    assert made["spec"]["csi"] == {"driver": "local-path.windlass.dev", "volumeHandle": "pvc-c-uid_n_c"}
    assert made["spec"]["capacity"] == {"storage": "1Gi"}
    assert made["spec"]["persistentVolumeReclaimPolicy"] == "Delete"


def test_a_claim_as_train_of_the_training_sdk_makes_it_is_served() -> None:
    modes = ["ReadWriteOnce", "ReadOnlyMany"]

    (made,) = created_unowned(plan_of(a_claim(class_="fast", metadata=OURS, access_modes=modes), a_class(), a_node()))

    assert made["spec"]["accessModes"] == modes


def test_a_class_of_an_older_data_directory_is_still_served() -> None:
    old = "windlass.dev/local-path"
    claim = a_claim(class_="fast", metadata={"annotations": {STORAGE_PROVISIONER: old, SELECTED_NODE: "a"}})

    (made,) = created_unowned(plan_of(claim, a_class(mode=LATE, provisioner=old), a_node("a")))

    assert made["spec"]["csi"]["driver"] == "local-path.windlass.dev"


@pytest.mark.parametrize(
    ("claim", "objects", "reason", "part"),
    [
        ({}, [], "ProvisioningFailed", 'storageclass.storage.k8s.io "fast" not found'),
        ({}, [a_class()], "ProvisioningFailed", "no node is there"),
        ({"volume_mode": "Block"}, [a_class(), a_node()], "ProvisioningFailed", 'volumeMode "Block"'),
        ({"data_source": {"kind": "X"}}, [a_class(), a_node()], "ProvisioningFailed", "dataSource"),
        ({"access_modes": ["ReadWriteMany"]}, [a_class(), a_node()], "ProvisioningFailed", "use windlass-shared"),
        ({"access_modes": ["ReadOnlyMany"]}, [a_class(), a_node()], "ProvisioningFailed", "use windlass-shared"),
        ({"selector": LabelSelector()}, [a_class(), a_node()], "ProvisioningFailed", "claim Selector"),
    ],
)
def test_what_cannot_be_provisioned_is_told(claim: Any, objects: list[AnyObject], reason: str, part: str) -> None:
    plan = plan_of(a_claim(class_="fast", metadata=OURS, **claim), *objects)
    (note,) = plan.events
    assert note.reason == reason
    assert part in note.message
    assert plan.again_in is not None


@pytest.mark.parametrize(
    ("claim", "objects", "part"),
    [
        (a_claim(class_="fast", access_modes=["ReadWriteMany"]), [a_class(mode=LATE)], "not ReadWriteMany"),
        (a_claim(class_="fast"), [], '"fast" not found'),
        (a_claim(class_="fast", metadata=OURS, volume_mode="Block"), [a_class(), a_node()], '"Block"'),
        (a_claim(), [], "no persistent volumes available"),
        (a_claim(volume_name="gone"), [], 'volume "gone" not found'),
        (a_claim(volume_name="v"), [a_volume(size="1Mi")], "too small"),
    ],
)
def test_the_reason_is_noted_on_a_claim_without_a_volume(
    claim: PersistentVolumeClaim, objects: list[AnyObject], part: str
) -> None:
    (why,) = reason_on_claim(plan_of(claim, *objects))

    assert part in why


def test_the_reason_goes_when_nothing_is_wrong_any_more() -> None:
    was_stuck = {"annotations": {CLAIM_REASON_ANNOTATION: "no class"}}

    assert reason_on_claim(plan_of(a_claim(class_="fast", metadata=was_stuck), a_class(mode=LATE))) == [None]
    assert reason_on_claim(plan_of(a_claim(metadata=was_stuck), a_volume())) == [None]


def test_a_claim_that_its_class_can_never_serve_is_refused_before_a_pod_gets_a_node() -> None:
    claim, fits = a_claim(class_="fast", access_modes=["ReadWriteMany"]), {"storageClassName": "fast"}
    refused = plan_of(claim, a_class(mode=LATE))
    waits = plan_of(claim, a_class(mode=LATE), a_volume(accessModes=["ReadWriteMany"], **fits))

    assert (reasons(refused), reasons(waits)) == (["ProvisioningFailed"], ["WaitForFirstConsumer"])


def test_a_folder_has_the_names_of_its_claim_and_one_that_a_file_system_takes() -> None:
    metadata = {"uid": "u1", "annotations": {**OURS["annotations"], SELECTED_NODE: "a"}}
    claim = a_claim("c" * 253, class_="fast", metadata=metadata)

    (made,) = created_unowned(plan_of(claim, a_class(mode=LATE), a_node("a")))

    folder = made["spec"]["csi"]["volumeHandle"]
    assert folder.startswith("pvc-u1_n_ccc")
    assert len(folder) == 200


def test_standard_serves_every_access_mode_as_examples_of_pipelines_ask() -> None:
    metadata = {"annotations": {**OURS["annotations"], SELECTED_NODE: "a"}}
    claim = a_claim(class_="standard", metadata=metadata, access_modes=["ReadWriteMany"])

    (made,) = created_unowned(plan_of(claim, a_class("standard", mode=LATE), a_node("a")))

    assert made["spec"]["accessModes"] == ["ReadWriteMany"]


def test_the_provisioner_is_noted_on_the_claim_and_a_foreign_one_waited_for() -> None:
    foreign = a_class(provisioner="example.com/disk")
    (patch,) = patched(plan_of(a_claim(class_="fast"), foreign))
    assert patch[1]["metadata"]["annotations"] == {
        "volume.kubernetes.io/storage-provisioner": "example.com/disk",
        "volume.beta.kubernetes.io/storage-provisioner": "example.com/disk",
    }
    noted = a_claim(class_="fast", metadata={"annotations": {STORAGE_PROVISIONER: "example.com/disk"}})
    assert reasons(plan_of(noted, foreign)) == ["ExternalProvisioning"]


def test_the_volume_grows_first_and_then_the_claim() -> None:
    csi = {"csi": {"driver": "local-path.windlass.dev"}, "claimRef": promised_to()}
    growing = a_class(allow_volume_expansion=True)
    claim = done(size="5Gi", class_="fast", phase="Bound", capacity="1Gi")

    first = plan_of(claim, growing, a_volume(size="1Gi", **csi))
    assert patched(first)[0][1] == {"spec": {"capacity": {"storage": "5Gi"}}}
    second = plan_of(claim, growing, a_volume(size="5Gi", **csi))
    assert isinstance(second.status, PersistentVolumeClaimStatus)
    assert second.status.capacity == {"storage": "5Gi"}
    assert reasons(first) + reasons(second) == ["Resizing", "VolumeResizeSuccessful"]
    foreign = plan_of(claim, growing, a_volume(claimRef=promised_to()))
    assert reasons(foreign) == ["ExternalExpanding"]


@pytest.mark.parametrize(
    "claim",
    [
        a_claim(),
        a_claim(volume_name="nobody"),
        a_claim(volume_name="gone", metadata={"annotations": {COMPLETED: "yes"}}),
    ],
    ids=["pending", "asked by name", "lost"],
)
def test_a_condition_that_another_wrote_outlives_a_change_of_phase(claim: PersistentVolumeClaim) -> None:
    told = {"type": "Resizing", "status": "True", "reason": "Told"}
    claim = msgspec.structs.replace(claim, status=PersistentVolumeClaimStatus(phase="", conditions=[told]))
    status = plan_of(claim).status
    assert isinstance(status, PersistentVolumeClaimStatus)
    assert status.phase
    assert status.conditions == [told]
