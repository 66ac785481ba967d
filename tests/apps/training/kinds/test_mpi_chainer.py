"""MPIJob v2beta1 and ChainerJob as their schemas have them."""

from windlass.apis import crd
from windlass.apps.training.frameworks import mpi
from windlass.apps.training.kinds.chainer_v1alpha1 import ChainerJob
from windlass.apps.training.kinds.mpi_v2beta1 import CREATED_AS, MPIJob, MPIJobSpec, is_v2beta1
from windlass.kube.kind import KINDS
from windlass.kube.meta import ObjectMeta


def test_the_fields_of_v2beta1_have_upstreams_defaults_and_choices() -> None:
    fields = crd.schema(MPIJob)["properties"]["spec"]["properties"]

    assert {name: field["default"] for name, field in fields.items() if "default" in field} == {
        "slotsPerWorker": 1,
        "sshAuthMountPath": "/root/.ssh",
        "launcherCreationPolicy": "AtStartup",
        "mpiImplementation": "OpenMPI",
    }
    assert fields["mpiImplementation"]["enum"] == ["Intel", "MPICH", "OpenMPI"]
    assert fields["launcherCreationPolicy"]["enum"] == ["AtStartup", "WaitForWorkersReady"]
    assert crd.schema(MPIJob)["properties"]["spec"]["required"] == ["mpiReplicaSpecs"]


def test_both_versions_of_mpijob_are_one_resource() -> None:
    first, second = KINDS.of(mpi.MPIJob), KINDS.of(MPIJob)

    assert first.group_resource == second.group_resource == "mpijobs.kubeflow.org"
    assert (first.version, second.version) == ("v1", "v2beta1")
    assert [column.name for column in first.columns] == ["Age", "State"]
    assert [column.name for column in second.columns] == ["Age"]


def test_what_a_job_was_created_as_is_read_at_either_version() -> None:
    marked = ObjectMeta(annotations={CREATED_AS: "v2beta1"})
    spec = mpi.MPIJobSpec(mpi_replica_specs={})

    assert is_v2beta1(mpi.MPIJob(metadata=marked, spec=spec))
    assert is_v2beta1(MPIJob(metadata=marked, spec=MPIJobSpec(mpi_replica_specs={})))
    assert not is_v2beta1(mpi.MPIJob(spec=spec))


def test_a_chainerjob_is_known_by_its_short_names_and_its_containers_need_none() -> None:
    kind = KINDS.of(ChainerJob)
    spec = crd.schema(ChainerJob)["properties"]["spec"]

    assert (kind.short, kind.categories) == (("chj", "chjs", "chjob", "chjobs"), ("all",))
    assert spec["required"] == ["master"]
    assert spec["properties"]["master"]["properties"]["template"] == {
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
    }
