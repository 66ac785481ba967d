"""What an MPIJob v2beta1 is made of."""

from typing import Any

import pytest

from tests.apps.training.controllers.mpi.world import MpiWorld, role
from windlass.apis.core_v1 import ConfigMap, Secret, Service
from windlass.apps.training.controllers.mpi.keys import secret
from windlass.apps.training.job import JOB_NAME, JOB_ROLE, OPERATOR_NAME, REPLICA_INDEX
from windlass.apps.training.options import Options
from windlass.controllers.ssh_keys import make_keys
from windlass.kube.json import Object
from windlass.kube.objects import wire
from windlass.kube.testing import created

SELECTOR = {OPERATOR_NAME: "mpi-operator", JOB_NAME: "demo"}


def settled(**spec: Any) -> MpiWorld:
    """All workers are ready, and so the launcher has its pod."""
    world = MpiWorld(**spec)
    world.settle()
    world.ready()
    world.settle()
    world.launch()
    world.settle()
    return world


def launcher(world: MpiWorld) -> Object:
    """The template of the launcher's pods."""
    return world.there_launcher.spec.template


def worker(number: int = 0, **spec: Any) -> Object:
    """A worker's pod as it is made."""
    made = [wire(obj) for obj in created(MpiWorld(**spec).plan())]
    return next(pod for pod in made if pod["metadata"]["name"] == f"demo-worker-{number}")


def environment(pod: Object) -> dict[str, str]:
    return {one["name"]: one["value"] for one in pod["spec"]["containers"][0]["env"]}


def hosts(world: MpiWorld) -> dict[str, str]:
    config: ConfigMap = world.objects["ConfigMap", "demo-config"]
    return config.data


def test_a_headless_service_names_the_pods() -> None:
    service: Service = settled().objects["Service", "demo"]

    assert service.spec.cluster_ip == "None"
    assert service.spec.selector == SELECTOR
    assert not service.spec.publish_not_ready_addresses
    assert service.metadata.labels == {"app": "demo"}


def test_a_worker_runs_sshd_under_its_own_name() -> None:
    pod = worker(1)

    assert pod["spec"]["containers"][0]["command"] == ["/usr/sbin/sshd", "-De"]
    assert (pod["spec"]["hostname"], pod["spec"]["subdomain"]) == ("demo-worker-1", "demo")
    assert pod["metadata"]["labels"] == {**SELECTOR, JOB_ROLE: "worker", REPLICA_INDEX: "1"}
    assert environment(pod) == {"K_MPI_JOB_ROLE": "worker"}
    assert pod["spec"]["restartPolicy"] == "Never"


@pytest.mark.parametrize("given", [{"command": ["serve"]}, {"args": ["-x"]}])
def test_a_command_or_arguments_of_the_workers_own_stay(given: dict[str, Any]) -> None:
    container = worker(workers=role(1, **given))["spec"]["containers"][0]

    assert container.get("command") == given.get("command")


def test_a_worker_finds_names_of_the_job_without_their_domain() -> None:
    assert worker()["spec"]["dnsConfig"] == {"searches": ["demo.team-a.svc.cluster.local"]}


@pytest.mark.parametrize(("path", "mode"), [("/root/.ssh", 0o600), ("/home/mpiuser/.ssh", None)])
def test_keys_are_mounted_where_ssh_looks(path: str, mode: int | None) -> None:
    spec = worker(sshAuthMountPath=path)["spec"]
    volume = spec["volumes"][0]["secret"]

    assert [mount["mountPath"] for mount in spec["containers"][0]["volumeMounts"]] == [path]
    assert {item["path"]: item["key"] for item in volume["items"]} == {
        "id_rsa": "ssh-privatekey",
        "id_rsa.pub": "ssh-publickey",
        "authorized_keys": "ssh-publickey",
    }
    assert volume.get("defaultMode") == mode


@pytest.mark.parametrize(
    ("implementation", "line"),
    [
        ("OpenMPI", "demo-worker-0.demo.team-a.svc slots=2\n"),
        ("Intel", "demo-worker-0.demo.team-a.svc:2\n"),
        ("MPICH", "demo-worker-0.demo.team-a.svc:2\n"),
    ],
)
def test_the_hostfile_is_in_the_words_of_each_implementation(implementation: str, line: str) -> None:
    world = settled(workers=role(1), mpiImplementation=implementation, slotsPerWorker=2)

    assert hosts(world)["hostfile"] == line


def test_names_may_end_in_a_cluster_domain() -> None:
    world = settled(workers=role(1), options=Options(cluster_domain="example.org"))

    assert hosts(world)["hostfile"] == "demo-worker-0.demo.team-a.svc.example.org slots=1\n"


def test_running_workers_are_discovered() -> None:
    world = settled()
    assert hosts(world)["discover_hosts.sh"] == (
        "#!/bin/sh\necho demo-worker-0.demo.team-a.svc\necho demo-worker-1.demo.team-a.svc\n"
    )
    world.set_pod("demo-worker-0", "Pending")
    world.settle()

    assert hosts(world)["discover_hosts.sh"] == "#!/bin/sh\necho demo-worker-1.demo.team-a.svc\n"


OPEN = {
    "K_MPI_JOB_ROLE": "launcher",
    "OMPI_MCA_orte_keep_fqdn_hostnames": "true",
    "OMPI_MCA_orte_default_hostfile": "/etc/mpi/hostfile",
    "OMPI_MCA_plm_rsh_args": "-o ConnectionAttempts=10",
    "OMPI_MCA_orte_set_default_slots": "2",
}
INTEL = {
    "K_MPI_JOB_ROLE": "launcher",
    "I_MPI_HYDRA_HOST_FILE": "/etc/mpi/hostfile",
    "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS": "-o ConnectionAttempts=10",
    "I_MPI_PERHOST": "2",
}
MPICH = {
    "K_MPI_JOB_ROLE": "launcher",
    "HYDRA_HOST_FILE": "/etc/mpi/hostfile",
    "HYDRA_LAUNCH_EXTRA_ARGS": "-o ConnectionAttempts=10",
}
NO_GPU = {"NVIDIA_VISIBLE_DEVICES": "", "NVIDIA_DRIVER_CAPABILITIES": ""}


@pytest.mark.parametrize(("implementation", "wanted"), [("OpenMPI", OPEN), ("Intel", INTEL), ("MPICH", MPICH)])
def test_the_launcher_is_told_of_hosts_in_the_words_of_each_implementation(
    implementation: str, wanted: dict[str, str]
) -> None:
    world = settled(mpiImplementation=implementation, slotsPerWorker=2)

    assert environment(launcher(world)) == {**wanted, **NO_GPU}


def test_a_launcher_that_works_too_is_the_first_host() -> None:
    world = settled(runLauncherAsWorker=True)
    service: Service = world.objects["Service", "demo"]

    assert hosts(world)["hostfile"].splitlines()[0] == "demo-launcher.demo.team-a.svc slots=1"
    assert hosts(world)["discover_hosts.sh"].splitlines()[1] == "echo demo-launcher.demo.team-a.svc"
    assert launcher(world)["metadata"]["labels"][REPLICA_INDEX] == "0"
    assert world.pods["demo-worker-0"].metadata.labels[REPLICA_INDEX] == "1"
    assert service.spec.publish_not_ready_addresses
    assert "NVIDIA_VISIBLE_DEVICES" not in environment(launcher(world))


def test_the_launchers_job_has_the_limits_of_the_run_policy() -> None:
    policy = {"ttlSecondsAfterFinished": 60, "activeDeadlineSeconds": 600, "backoffLimit": 2}
    world = settled(policy=policy)
    job = world.there_launcher

    assert job.spec.ttl_seconds_after_finished == 60
    assert (job.spec.active_deadline_seconds, job.spec.backoff_limit) == (600, 2)
    assert job.spec.pod_replacement_policy == "Failed"
    pod = launcher(world)["spec"]
    assert pod["restartPolicy"] == "OnFailure"
    assert (pod["hostname"], pod["subdomain"]) == ("demo-launcher", "demo")


def test_a_sidecar_does_not_keep_a_launcher_from_completing() -> None:
    two = role()
    two["template"]["spec"]["containers"].append({"name": "proxy", "image": "proxy"})

    metadata = launcher(settled(launcher=two))["metadata"]

    assert metadata["annotations"] == {"training.windlass.dev/main-container": "mpi"}


def test_keys_are_those_that_ssh_takes() -> None:
    keys = make_keys()
    made: Secret = secret(MpiWorld().job, keys)

    assert keys.private.startswith(b"-----BEGIN EC PRIVATE KEY-----\n")
    assert keys.public.startswith(b"ecdsa-sha2-nistp521 ")
    assert (made.metadata.name, made.type) == ("demo-ssh", "kubernetes.io/ssh-auth")
    assert {*made.data} == {"ssh-privatekey", "ssh-publickey"}
    assert make_keys() != keys
