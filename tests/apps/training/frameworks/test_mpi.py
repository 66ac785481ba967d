"""MPIJob v1: what the launcher is given to reach its workers with."""

from typing import Any

import pytest

from tests.apps.training.controllers.engine.world import World, replicas
from windlass.apis.core_v1 import ConfigMap
from windlass.apis.rbac_v1 import Role, RoleBinding
from windlass.apps.training.exec_agent import script
from windlass.apps.training.job import JOB_ROLE, REPLICA_TYPE
from windlass.apps.training.kinds.mpi_v2beta1 import CREATED_AS
from windlass.kube.json import Object
from windlass.kube.objects import wire
from windlass.kube.testing import created


def a_world(launcher: dict[str, Any] | None = None, workers: int | None = 2, **more: Any) -> World:
    annotations = more.pop("annotations", None)
    launcher = launcher or replicas(container="mpi", terminationGracePeriodSeconds=1)
    roles = {"Launcher": launcher, "Worker": replicas(workers, container="mpi")}
    return World("MPIJob", {"mpiReplicaSpecs": roles, **more}, annotations=annotations)


def config(world: World) -> ConfigMap:
    return world.objects["ConfigMap", "demo-config"]


def pod(world: World, name: str = "demo-launcher") -> Object:
    """A pod as the first reconcile creates it."""
    made = [wire(obj) for obj in created(world.plan())]
    return next(obj for obj in made if obj["metadata"]["name"] == name)


def environment(pod: Object, container: int = 0) -> dict[str, str]:
    return {one["name"]: one["value"] for one in pod["spec"]["containers"][container].get("env", [])}


def mounted(container: Object) -> set[str]:
    return {mount["mountPath"] for mount in container.get("volumeMounts", [])}


def test_workers_are_made_before_their_launcher() -> None:
    world = a_world()
    world.settle()

    assert world.created_pods == ["demo-worker-0", "demo-worker-1", "demo-launcher"]
    labels = world.pods["demo-launcher"].metadata.labels
    assert (labels[JOB_ROLE], labels[REPLICA_TYPE]) == ("master", "launcher")
    assert world.services == []


def test_absent_workers_are_none() -> None:
    world = a_world(workers=None)
    world.settle()

    assert world.created_pods == ["demo-launcher"]


def test_the_hostfile_has_each_worker_with_its_slots() -> None:
    world = a_world(slotsPerWorker=2)
    world.settle()

    assert config(world).data["hostfile"] == "demo-worker-0 slots=2\ndemo-worker-1 slots=2\n"
    assert config(world).metadata.labels == {"app": "demo"}


def test_a_launcher_with_a_gpu_is_a_host_too_and_sees_it() -> None:
    trains = replicas(container="mpi")
    trains["template"]["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": 1}}
    world = a_world(trains)
    assert "NVIDIA_VISIBLE_DEVICES" not in environment(pod(world))
    world.settle()

    assert config(world).data["hostfile"].startswith("demo-launcher slots=1\ndemo-worker-0 slots=1\n")


def test_hosts_are_discovered_as_they_run() -> None:
    world = a_world()
    world.settle()
    assert config(world).data["discover_hosts.sh"] == "#!/bin/sh\n"

    world.run("demo-worker-1", "demo-launcher")
    world.settle()

    assert config(world).data["discover_hosts.sh"] == "#!/bin/sh\necho demo-worker-1:1\n"


def test_the_agent_runs_a_command_in_the_container_that_is_named() -> None:
    assert 'exec /opt/kube/kubectl exec "$pod" -- /bin/sh -c "$*"' in script("/opt/kube")
    world = a_world(mainContainer="trainer")
    world.settle()

    assert '"$pod" --container trainer -- ' in config(world).data["kubexec.sh"]


def test_the_container_that_a_job_names_is_the_one_that_mpi_runs_in() -> None:
    two = replicas(container="proxy")
    two["template"]["spec"]["containers"].append({"name": "trainer", "image": "trainer"})
    world = a_world(two, mainContainer="trainer")
    launcher = pod(world)

    assert environment(launcher, 0) == {}
    assert mounted(launcher["spec"]["containers"][0]) == set()
    assert "OMPI_MCA_plm_rsh_agent" in environment(launcher, 1)
    assert launcher["metadata"]["annotations"] == {"training.windlass.dev/main-container": "trainer"}
    worker = pod(world, "demo-worker-0")["spec"]["containers"][0]
    assert worker["command"] == ["sleep"], "which has no such container"


def test_the_launcher_is_told_where_agent_and_hosts_are() -> None:
    assert environment(pod(a_world())) == {
        "OMPI_MCA_plm_rsh_agent": "/etc/mpi/kubexec.sh",
        "OMPI_MCA_orte_default_hostfile": "/etc/mpi/hostfile",
        "NVIDIA_VISIBLE_DEVICES": "",
        "NVIDIA_DRIVER_CAPABILITIES": "",
        "I_MPI_HYDRA_BOOTSTRAP": "rsh",
        "I_MPI_HYDRA_BOOTSTRAP_EXEC": "/etc/mpi/kubexec.sh",
    }
    assert environment(pod(a_world(), "demo-worker-0")) == {}


def test_a_bootstrap_of_the_users_own_stays() -> None:
    own = replicas(container="mpi")
    own["template"]["spec"]["containers"][0]["env"] = [{"name": "I_MPI_HYDRA_BOOTSTRAP", "value": "ssh"}]

    assert environment(pod(a_world(own)))["I_MPI_HYDRA_BOOTSTRAP"] == "ssh"


def test_an_init_container_brings_the_exec_client() -> None:
    spec = pod(a_world())["spec"]
    (delivery,) = spec["initContainers"]

    assert (delivery["name"], delivery["image"]) == ("kubectl-delivery", "kubeflow/kubectl-delivery:latest")
    assert {one["name"]: one["value"] for one in delivery["env"]} == {"TARGET_DIR": "/opt/kube", "NAMESPACE": "team-a"}
    assert delivery["resources"]["limits"] == {"cpu": "100m", "memory": "512Mi", "ephemeral-storage": "5Gi"}
    assert mounted(spec["containers"][0]) == {"/etc/mpi", "/opt/kube"}
    modes = {item["key"]: item["mode"] for item in spec["volumes"][0]["configMap"]["items"]}
    assert modes == {"kubexec.sh": 0o555, "hostfile": 0o444, "discover_hosts.sh": 0o555}


def test_workers_without_a_command_wait_and_have_the_agent_at_the_same_place() -> None:
    spec = pod(a_world(), "demo-worker-0")["spec"]
    (container,) = spec["containers"]

    assert (container["command"], container["args"]) == (["sleep"], ["365d"])
    assert mounted(container) == {"/etc/mpi"}
    assert [item["key"] for item in spec["volumes"][0]["configMap"]["items"]] == ["kubexec.sh"]


def test_the_launcher_may_look_at_pods_and_run_commands_in_its_workers_only() -> None:
    world = a_world()
    world.settle()
    role: Role = world.objects["Role", "demo-launcher"]
    binding: RoleBinding = world.objects["RoleBinding", "demo-launcher"]

    assert [(rule.verbs, rule.resources, rule.resource_names) for rule in role.rules] == [
        (["get", "list", "watch"], ["pods"], []),
        (["create"], ["pods/exec"], ["demo-worker-0", "demo-worker-1"]),
    ]
    assert [subject.name for subject in binding.subjects] == ["demo-launcher"]
    assert world.pods["demo-launcher"].spec.service_account_name == "demo-launcher"


@pytest.mark.parametrize("field", ["serviceAccountName", "serviceAccount"])
def test_a_service_account_of_the_users_own_is_used_instead(field: str) -> None:
    world = a_world(replicas(1, "", "mpi", **{field: "mine"}))
    world.settle()

    assert world.pods["demo-launcher"].spec.service_account_name == "mine"
    assert ("Role", "demo-launcher") not in world.objects


def test_a_job_fails_by_name_of_the_eviction_of_a_worker() -> None:
    world = a_world()
    world.settle()
    world.run()
    world.settle()
    world.set_pod("demo-worker-0", "Failed", reason="Evicted", message="The node was low on memory")
    world.settle()

    assert world.condition("Failed").reason == "MPIJobEvicted"


def test_a_job_succeeds_with_its_launcher() -> None:
    world = a_world()
    world.settle()
    world.run()
    world.settle()
    world.end("demo-launcher")
    world.settle()

    assert world.conditions == ["Created", "Running=False", "Succeeded"]
    assert world.condition("Succeeded").reason == "MPIJobSucceeded"


def test_one_that_was_made_as_v2beta1_is_left_alone() -> None:
    world = a_world(annotations={CREATED_AS: "v2beta1"})
    world.settle()

    assert world.objects == {}
    assert world.conditions == []
