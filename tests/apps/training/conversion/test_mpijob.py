"""Both versions of MPIJob, each readable at the other, and none turned into the other by that."""

from typing import Any

from tests.apps.training.conversion.legacy_jobs import a_job
from windlass.apps.training.conversion import convert
from windlass.apps.training.job import OURS
from windlass.apps.training.kinds.mpi_v2beta1 import CREATED_AS

V1, V2 = "kubeflow.org/v1", "kubeflow.org/v2beta1"
ROLES: dict[str, Any] = {"Launcher": {"template": {"spec": {}}}, "Worker": {"replicas": 2}}


def first(**spec: Any) -> Any:
    return a_job("v1", "MPIJob", mpiReplicaSpecs=ROLES, **spec)


def second(**spec: Any) -> Any:
    return a_job("v2beta1", "MPIJob", mpiReplicaSpecs=ROLES, **spec)


def test_what_was_created_at_v2beta1_is_stored_as_such() -> None:
    job = second(slotsPerWorker=2, mpiImplementation="Intel", sshAuthMountPath="/home/mpiuser/.ssh")
    stored = convert(job, V1)
    assert stored["metadata"]["annotations"][CREATED_AS] == "v2beta1"
    assert stored["spec"] == {"mpiReplicaSpecs": ROLES, "slotsPerWorker": 2}
    shown = convert(stored, V2)
    assert shown["spec"] == job["spec"]
    assert shown["metadata"]["annotations"] == {CREATED_AS: "v2beta1"}
    assert convert(shown, V1) == stored


def test_what_was_created_at_v1_stays_so_when_it_is_written_back_at_v2beta1() -> None:
    job = first(mainContainer="mpi", cleanPodPolicy="All", slotsPerWorker=4)
    shown = convert(job, V2)
    assert shown["spec"] == {"mpiReplicaSpecs": ROLES, "slotsPerWorker": 4, "runPolicy": {"cleanPodPolicy": "All"}}
    assert shown["metadata"]["annotations"][CREATED_AS] == "v1"
    assert convert(shown, V1) == job


def test_a_change_at_the_other_version_counts() -> None:
    shown = convert(first(mainContainer="mpi", cleanPodPolicy="All"), V2)
    shown["spec"]["runPolicy"]["cleanPodPolicy"] = "None"
    stored = convert(shown, V1)
    assert stored["spec"]["runPolicy"] == {"cleanPodPolicy": "None"}
    assert stored["spec"]["mainContainer"] == "mpi"
    assert "annotations" not in stored["metadata"]


def test_the_run_policy_wins_over_what_stands_beside_the_replicas() -> None:
    job = first(cleanPodPolicy="All", runPolicy={"cleanPodPolicy": "Running"})
    assert convert(job, V2)["spec"]["runPolicy"] == {"cleanPodPolicy": "Running"}
    assert convert(convert(job, V2), V1) == job


def test_defaults_that_v2beta1_adds_to_a_job_of_v1_are_not_its_own() -> None:
    shown = convert(first(), V2)
    shown["spec"] |= {"mpiImplementation": "OpenMPI", "slotsPerWorker": 1}
    stored = convert(shown, V1)
    assert CREATED_AS not in stored["metadata"]["annotations"]
    assert [*stored["metadata"]["annotations"]] == [f"{OURS}v2beta1"]
    assert convert(stored, V2)["spec"] == shown["spec"]


def test_the_status_is_the_same_at_both_versions() -> None:
    status = {"conditions": [{"type": "Created", "status": "True"}], "replicaStatuses": {"Worker": {"active": 1}}}
    assert convert({**first(), "status": status}, V2)["status"] == status
