"""What is refused of an old TFJob, and the field that is named."""

from typing import Any

import pytest

from tests.apps.training.conversion.legacy_jobs import Json, a_job, a_replica, alpha1
from windlass.apps.training.conversion import convert, legacy_problems

MASTER = a_replica("MASTER", 1)
WORKER = a_replica("WORKER", 2)


def chief(name: str, index: int = 0) -> Json:
    return {"chief": {"replicaName": name, "replicaIndex": index}}


@pytest.mark.parametrize(
    ("job", "field", "words"),
    [
        (alpha1(MASTER, WORKER, WORKER), "spec.replicaSpecs[2].tfReplicaType", "Duplicate value"),
        (alpha1(MASTER, a_replica("worker"), WORKER), "spec.replicaSpecs[2].tfReplicaType", "Duplicate value"),
        (alpha1(a_replica(), MASTER), "spec.replicaSpecs[1].tfReplicaType", "Duplicate value"),
        (alpha1(MASTER, a_replica("BOSS")), "spec.replicaSpecs[1].tfReplicaType", "Unsupported value"),
        (alpha1(a_replica("MASTER", 2)), "spec.replicaSpecs[0].replicas", "Invalid value: 2"),
        (alpha1(a_replica("MASTER", 0)), "spec.replicaSpecs[0].replicas", "Invalid value: 0"),
        (alpha1(a_replica("MASTER", "1")), "spec.replicaSpecs[0].replicas", "must be an integer"),
        (alpha1(a_replica("MASTER", tfPort=70000)), "spec.replicaSpecs[0].tfPort", "65535"),
        (alpha1(WORKER), "spec.terminationPolicy.chief.replicaName", "no replica of this type"),
        (alpha1(MASTER, terminationPolicy=chief("PS")), "spec.terminationPolicy.chief.replicaName", "Unsupported"),
        (
            alpha1(MASTER, terminationPolicy=chief("WORKER")),
            "spec.terminationPolicy.chief.replicaName",
            "no replica of this type",
        ),
        (
            alpha1(MASTER, WORKER, terminationPolicy=chief("WORKER")),
            "spec.terminationPolicy.chief.replicaName",
            "Forbidden",
        ),
        (alpha1(MASTER, terminationPolicy=chief("MASTER", 1)), "spec.terminationPolicy.chief.replicaIndex", "be 0"),
        (alpha1(MASTER, cleanupPodPolicy="Some"), "spec.cleanupPodPolicy", "Unsupported"),
        (alpha1(), "spec.replicaSpecs", "Required value"),
        (a_job("v1alpha1", replicaSpecs={}), "spec.replicaSpecs", "must be a list"),
        (a_job("v1alpha1", replicaSpecs=["PS"]), "spec.replicaSpecs[0]", "must be an object"),
        (a_job("v1alpha2", replicaSpecs=[MASTER], tfReplicaSpecs={}), "spec.replicaSpecs", "Forbidden"),
        (a_job("v1alpha2", replicaSpecs=[MASTER, MASTER]), "spec.replicaSpecs[1].tfReplicaType", "Duplicate value"),
    ],
)
def test_a_bad_field_is_named(job: Json, field: str, words: str) -> None:
    (found,) = legacy_problems(job)
    assert found.field == field
    assert words in found.message


def test_all_bad_fields_are_named_at_once() -> None:
    job = alpha1(a_replica("MASTER", 3), a_replica("BOSS"), cleanupPodPolicy="Some")
    assert [cause.field for cause in legacy_problems(job)] == [
        "spec.replicaSpecs[1].tfReplicaType",
        "spec.replicaSpecs[0].replicas",
        "spec.cleanupPodPolicy",
    ]


@pytest.mark.parametrize(
    "job",
    [
        alpha1(MASTER, WORKER, a_replica("PS", 2)),
        alpha1(WORKER, terminationPolicy=chief("WORKER")),
        a_job("v1alpha2", tfReplicaSpecs={}),
        a_job("v1alpha2", replicaSpecs=[WORKER, a_replica("PS")]),
        a_job("v1", replicaSpecs=[]),
        a_job("v2beta1", "MPIJob", replicaSpecs=[]),
        a_job("v1alpha1"),
    ],
)
def test_nothing_is_wrong_with_the_others(job: Json) -> None:
    assert legacy_problems(job) == []


@pytest.mark.parametrize(
    "roles", [{"Master": {}}, {"Chief": {}, "Worker": {}}, {"Worker": {}, "ps": {}, "Evaluator": {}}]
)
def test_what_v1alpha1_shows_of_a_v1_job_may_be_written_back(roles: dict[str, Any]) -> None:
    assert legacy_problems(convert(a_job("v1", tfReplicaSpecs=roles), "kubeflow.org/v1alpha1")) == []
