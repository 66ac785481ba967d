"""Reviews in, answers out: every path of the table, without a network."""

import base64
import json
from typing import Any

import pytest

from tests.apis.verdicts import NO_CHECKS
from tests.webhooks.builders import Object, a_job, a_role, admission, asked, conversion
from windlass.apiserver.builtin.app_checks import checks_of_apps
from windlass.apps import all_apps
from windlass.apps.training.app import APP as TRAINING
from windlass.apps.training.kinds.mpi_v2beta1 import CREATED_AS
from windlass.kube.json import dig
from windlass.webhooks.handlers import handlers
from windlass.webhooks.reviews import BadReview

GOOD = a_job(pytorchReplicaSpecs={"Master": a_role("pytorch"), "Worker": a_role("pytorch", replicas=2)})
NO_IMAGE = {"template": {"spec": {"containers": [{"name": "pytorch"}]}}}
OLD: Object = a_job(
    "TFJob",
    "v1alpha1",
    tfImage="tensorflow/tensorflow:1.3.0",
    replicaSpecs=[{"tfReplicaType": "MASTER", "tfPort": 5555, **a_role("tensorflow")}],
)


NOBODY: Any = None
"""Training jobs are judged by themselves: no webhook of theirs asks the API server for anything."""


async def validated(kind: str, review: Object) -> Object:
    return await asked(f"/validate-kubeflow-org-v1-{kind.lower()}", review, checks=checks_of_apps())


def test_there_is_a_path_for_every_training_kind_one_for_conversion_and_one_that_mutates() -> None:
    kinds = ("tfjob", "pytorchjob", "xgboostjob", "paddlejob", "jaxjob", "mxjob", "mpijob")

    assert set(handlers([TRAINING], NOBODY, NO_CHECKS)) == {
        *(f"/validate-kubeflow-org-v1-{kind}" for kind in kinds),
        "/validate-kubeflow-org-v1alpha1-chainerjob",
        "/mutate-kubeflow-org-v1-mpijob",
        "/convert",
    }


async def test_a_good_job_is_allowed() -> None:
    assert await validated("PyTorchJob", admission(GOOD)) == {"allowed": True}


async def test_a_bad_job_is_denied_in_upstreams_words_with_every_bad_field() -> None:
    job = a_job(pytorchReplicaSpecs={"Master": a_role("main", replicas=2), "Worker": NO_IMAGE})

    status = (await validated("PyTorchJob", admission(job)))["status"]

    at = "spec.pytorchReplicaSpecs"
    assert (status["code"], status["reason"]) == (403, "Forbidden")
    assert status["message"].startswith("[")
    assert f"{at}[Master].template.spec.containers: Required value: must have at least one" in status["message"]
    assert f"{at}[Master].replicas: Forbidden: must be 1" in status["message"]
    assert f"{at}[Worker].template.spec.containers[0].image: Required value" in status["message"]
    assert {cause["field"] for cause in status["details"]["causes"]} >= {f"{at}[Master].replicas"}


async def test_one_bad_field_is_told_without_brackets() -> None:
    job = a_job(pytorchReplicaSpecs={"Worker": NO_IMAGE})

    told = (await validated("PyTorchJob", admission(job)))["status"]["message"]

    assert told.startswith("spec.pytorchReplicaSpecs[Worker].template.spec.containers[0].image: Required value")


async def test_what_is_only_unwise_comes_back_as_warnings() -> None:
    role = a_role("pytorch")
    role["template"]["spec"]["restartPolicy"] = "Always"

    answer = await validated("PyTorchJob", admission(a_job(pytorchReplicaSpecs={"Worker": role})))

    assert answer["allowed"] is True
    assert [told.partition(":")[0] for told in answer["warnings"]] == [
        "spec.pytorchReplicaSpecs[Worker].template.spec.restartPolicy"
    ]


async def test_an_update_is_compared_with_what_it_replaces() -> None:
    handed_over = {**GOOD, "spec": {**GOOD["spec"], "runPolicy": {"managedBy": "kueue.x-k8s.io/multikueue"}}}

    status = (await validated("PyTorchJob", admission(handed_over, GOOD, "UPDATE")))["status"]

    assert "spec.runPolicy.managedBy: Invalid value" in status["message"]
    assert "field is immutable" in status["message"]


async def test_a_bad_job_that_is_there_already_may_be_marked_and_deleted() -> None:
    bad = a_job(pytorchReplicaSpecs={})
    marked = {**bad, "metadata": {**bad["metadata"], "labels": {"seen": "yes"}}}

    assert await validated("PyTorchJob", admission(marked, bad, "UPDATE")) == {"allowed": True}
    assert await validated("PyTorchJob", admission(None, bad, "DELETE")) == {"allowed": True}


async def test_an_old_version_is_checked_as_the_v1_object_that_it_becomes() -> None:
    nameless = a_job("TFJob", "v1alpha1", replicaSpecs=[{"tfReplicaType": "MASTER", **a_role("other")}])

    assert await validated("TFJob", admission(OLD)) == {"allowed": True}
    told = (await validated("TFJob", admission(nameless)))["status"]["message"]
    assert told.startswith("spec.tfReplicaSpecs[Master].template.spec.containers: Required value")


async def test_an_old_version_that_v1_has_no_words_for_is_invalid_by_its_own_fields() -> None:
    role = {"tfReplicaType": "MASTER", **a_role("tensorflow")}

    status = (await validated("TFJob", admission(a_job("TFJob", "v1alpha1", replicaSpecs=[role, role]))))["status"]

    assert (status["code"], status["reason"]) == (422, "Invalid")
    assert "spec.replicaSpecs[1].tfReplicaType: Duplicate value" in status["message"]


async def test_an_old_version_that_could_not_be_read_as_v1_is_refused() -> None:
    spec = {"Worker": {**a_role("tensorflow"), "replicas": "many"}}

    status = (await validated("TFJob", admission(a_job("TFJob", "v1alpha2", tfReplicaSpecs=spec))))["status"]

    assert (status["code"], status["reason"]) == (422, "Invalid")
    assert [cause["field"] for cause in status["details"]["causes"]] == ["spec.tfReplicaSpecs.Worker.replicas"]


async def test_a_webhook_that_is_asked_about_another_kind_says_so() -> None:
    assert (await validated("XGBoostJob", admission(GOOD)))["status"]["message"] == (
        "this webhook handles kind XGBoostJob, not PyTorchJob"
    )


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
async def test_a_job_is_converted_and_comes_back_as_it_was_written(version: str) -> None:
    raised = await asked("/convert", conversion("kubeflow.org/v1", OLD, OLD, version=version))
    stored = raised["convertedObjects"][0]
    lowered = (await asked("/convert", conversion("kubeflow.org/v1alpha1", stored)))["convertedObjects"]

    assert raised["result"] == {"status": "Success"}
    assert len(raised["convertedObjects"]) == 2
    assert stored["apiVersion"] == "kubeflow.org/v1"
    assert list(stored["spec"]["tfReplicaSpecs"]) == ["Master"]
    assert {**stored["metadata"], "annotations": 0} == {**OLD["metadata"], "annotations": 0}
    assert [one["spec"] for one in lowered] == [OLD["spec"]]


async def test_what_v1_would_lose_is_kept_for_the_way_back() -> None:
    stray = a_job("TFJob", "v1alpha2", tfReplicaSpecs={"Worker": {**a_role("tensorflow"), "stray": {"left": 1}}})

    stored = (await asked("/convert", conversion("kubeflow.org/v1", stray)))["convertedObjects"][0]
    back = (await asked("/convert", conversion("kubeflow.org/v1alpha2", stored)))["convertedObjects"][0]

    assert "stray" not in stored["spec"]["tfReplicaSpecs"]["Worker"]
    assert back["spec"] == stray["spec"]


async def test_a_conversion_answers_in_the_group_in_which_it_is_asked() -> None:
    copy = {**OLD, "apiVersion": "jobs.example/v1alpha1"}

    stored = (await asked("/convert", conversion("jobs.example/v1", copy)))["convertedObjects"][0]

    assert stored["apiVersion"] == "jobs.example/v1"


@pytest.mark.parametrize(
    ("desired", "obj", "why"),
    [
        ("kubeflow.org/v1", {"apiVersion": "v1", "kind": "Pod"}, "there is no conversion for kind Pod"),
        ("kubeflow.org/v9", OLD, 'TFJob has no version "v9": it has v1, v1alpha1, v1alpha2, v1beta1, v1beta2'),
        ("kubeflow.org/v1", {**OLD, "apiVersion": "kubeflow.org/v7"}, 'TFJob has no version "v7"'),
        ("kubeflow.org/v1", "a word", "objects to convert must be JSON objects"),
    ],
)
async def test_what_cannot_be_converted_is_refused_with_the_reason(desired: str, obj: Any, why: str) -> None:
    answer = await asked("/convert", conversion(desired, OLD, obj))

    assert answer["convertedObjects"] == []
    assert answer["result"]["status"] == "Failure"
    assert answer["result"]["message"].startswith(why)


@pytest.mark.parametrize(
    ("review", "why"),
    [
        ([], "the body must be a ConversionReview"),
        (admission(OLD), "not admission.k8s.io/v1, Kind=AdmissionReview"),
        ({"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview"}, "request: Required value"),
        (
            {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "request": {"uid": 3}},
            "request.uid: Required value",
        ),
    ],
)
async def test_what_is_no_review_is_refused_with_the_reason(review: Any, why: str) -> None:
    with pytest.raises(BadReview) as refused:
        await handlers(all_apps(), NOBODY, NO_CHECKS)["/convert"](review)

    assert why in str(refused.value)


async def test_a_review_that_is_answered_is_left_as_it_was() -> None:
    review = conversion("kubeflow.org/v1", OLD)
    before = str(review)

    await handlers(all_apps(), NOBODY, NO_CHECKS)["/convert"](review)

    assert str(review) == before
    assert dig(review, "request", "objects") == [OLD]


def an_mpi_job(version: str, created_as: str = "") -> Object:
    made = a_job("MPIJob", version)
    return {**made, "metadata": {**made["metadata"], "annotations": {CREATED_AS: created_as} if created_as else {}}}


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        (an_mpi_job("v1", "v2beta1"), an_mpi_job("v1"), "v2beta1"),
        (an_mpi_job("v2beta1", "v1"), an_mpi_job("v2beta1"), "v1"),
        (an_mpi_job("v2beta1", "v2beta1"), an_mpi_job("v2beta1"), ""),
        (an_mpi_job("v1"), an_mpi_job("v1"), ""),
        (an_mpi_job("v1"), an_mpi_job("v1", "v2beta1"), "v1"),
        (None, an_mpi_job("v1", "v2beta1"), ""),
    ],
)
async def test_an_mpi_job_stays_what_it_was_created_as(old: Object | None, new: Object, kept: str) -> None:
    answer = await asked("/mutate-kubeflow-org-v1-mpijob", admission(new, old, "UPDATE" if old else "CREATE"))

    assert answer["allowed"] is True
    patch = json.loads(base64.b64decode(answer["patch"])) if "patch" in answer else []
    assert [operation["value"][CREATED_AS] for operation in patch] == ([kept] if kept else [])
