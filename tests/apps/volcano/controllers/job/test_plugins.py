"""What each job plugin puts into pods and makes for the job, to the letter."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.apps.volcano.controllers.job.world import GROUP, JobWorld, task
from windlass.apps.volcano.controllers.job.children.job_pods import pod
from windlass.apps.volcano.controllers.job.children.ssh_keys import make_keys, secret
from windlass.apps.volcano.controllers.job.plugins import BUILTIN, PluginFault
from windlass.apps.volcano.controllers.job.plugins.arguments import parse
from windlass.apps.volcano.controllers.job.plugins.ssh import client_config
from windlass.apps.volcano.controllers.job.plugins.svc import host_files
from windlass.apps.volcano.controllers.job.tasks import tasks_of

SELECTOR = {"volcano.sh/job-name": "demo", "volcano.sh/job-namespace": "team-a"}


def a_pod(world: JobWorld, role: int = 0, index: int = 0) -> dict[str, Any]:
    return pod(world.job, tasks_of(world.job)[role], index)


def container(made: dict[str, Any], name: str = "containers") -> dict[str, Any]:
    return made["spec"][name][0]


def variables(made: dict[str, Any]) -> dict[str, str]:
    return {one["name"]: one["value"] for one in container(made)["env"] if "value" in one}


def with_init(name: str, replicas: int = 1, **spec: Any) -> dict[str, Any]:
    made = task(name, replicas)
    made["template"]["spec"] |= {"initContainers": [{"name": "first"}], **spec}
    return made


# --- arguments


@pytest.mark.parametrize(
    ("words", "port", "name", "on"),
    [
        ([], 22, "a", False),
        (["--port=23"], 23, "a", False),
        (["-port", "24", "--name", "b"], 24, "b", False),
        (["--on"], 22, "a", True),
        (["--on=false"], 22, "a", False),
        (["--on=T", "--name="], 22, "", True),
        (["--unknown=5", "--port=25"], 25, "a", False),
        (["--unknown", "5", "--port=26"], 26, "a", False),
        (["--port=many"], 22, "a", False),
        (["--on=perhaps"], 22, "a", False),
        (["name=c"], 22, "a", False),
        (["--port"], 22, "a", False),
    ],
)
def test_arguments_are_read_as_on_a_command_line(words: list[str], port: int, name: str, on: bool) -> None:
    assert parse("demo", {"port": 22, "name": "a", "on": False}, words) == {"port": port, "name": name, "on": on}


def test_an_argument_that_is_not_known_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    parse("demo", {"port": 22}, ["--portt=1"])

    assert caplog.messages == ["ignored an argument of the job plugin demo: --portt=1"]


# --- env and svc


def test_env_tells_a_pod_its_index_in_all_containers_after_what_they_have() -> None:
    one = with_init("worker", 2)
    one["template"]["spec"]["containers"][0]["env"] = [{"name": "MINE", "value": "1"}]
    made = a_pod(JobWorld(one, plugins={"env": []}), index=1)
    told = [{"name": "VK_TASK_INDEX", "value": "1"}, {"name": "VC_TASK_INDEX", "value": "1"}]

    assert container(made)["env"] == [{"name": "MINE", "value": "1"}, *told]
    assert container(made, "initContainers")["env"] == told


def test_svc_names_pods_and_mounts_the_names_of_all() -> None:
    world = JobWorld(with_init("ps"), task("big-worker", 2), plugins={"svc": []})
    made = a_pod(world)
    told = [
        {"name": name, "valueFrom": {"configMapKeyRef": {"name": "demo-svc", "key": name}}}
        for name in ("VC_PS_HOSTS", "VC_PS_NUM", "VC_BIG_WORKER_HOSTS", "VC_BIG_WORKER_NUM")
    ]

    assert (made["spec"]["hostname"], made["spec"]["subdomain"]) == ("demo-ps-0", "demo")
    assert made["spec"]["volumes"] == [{"name": "demo-svc", "configMap": {"name": "demo-svc"}}]
    for kind in ("containers", "initContainers"):
        assert container(made, kind)["env"] == told
        assert container(made, kind)["volumeMounts"] == [{"name": "demo-svc", "mountPath": "/etc/volcano"}]


def test_svc_lists_hosts_without_a_newline_at_the_end() -> None:
    assert host_files(JobWorld(task("ps"), task("big-worker", 2)).job) == {
        "ps.host": "demo-ps-0.demo",
        "VC_PS_HOSTS": "demo-ps-0.demo",
        "VC_PS_NUM": "1",
        "big_worker.host": "demo-big-worker-0.demo\ndemo-big-worker-1.demo",
        "VC_BIG_WORKER_HOSTS": "demo-big-worker-0.demo,demo-big-worker-1.demo",
        "VC_BIG_WORKER_NUM": "2",
    }


def test_a_host_name_and_a_domain_of_the_templates_own_stay_and_are_listed_once() -> None:
    world = JobWorld(with_init("worker", 3, hostname="boss", subdomain="there"), plugins={"svc": []})

    assert host_files(world.job)["worker.host"] == "boss.there"
    assert (a_pod(world)["spec"]["hostname"], a_pod(world)["spec"]["subdomain"]) == ("boss", "there")


def test_svc_makes_a_headless_service_the_names_and_a_wall() -> None:
    world = JobWorld(task("worker", 2), plugins={"svc": []})
    world.settle()
    service, wall = world.objects["Service", "demo"], world.objects["NetworkPolicy", "demo"]

    assert world.kinds == ["ConfigMap/demo-svc", "NetworkPolicy/demo", f"PodGroup/{GROUP}", "Service/demo"]
    assert (service.spec.cluster_ip, service.spec.selector, service.spec.ports) == ("None", SELECTOR, [])
    assert not service.spec.publish_not_ready_addresses
    own = {"podSelector": {"matchLabels": SELECTOR}}
    assert wall["spec"] == {**own, "ingress": [{"from": [own]}], "policyTypes": ["Ingress"]}
    assert world.status.controlled_resources == {"plugin-svc": "svc"}


def test_svc_may_publish_early_and_leave_the_wall_out() -> None:
    world = JobWorld(plugins={"svc": ["--publish-not-ready-addresses=true", "--disable-network-policy"]})
    world.settle()

    assert world.objects["Service", "demo"].spec.publish_not_ready_addresses
    assert ("NetworkPolicy", "demo") not in world.objects


def test_a_shell_can_make_json_of_the_hosts(tmp_path: Path) -> None:
    """As scripts of the field do it: this works only if the last line has no newline."""
    (tmp_path / "worker.host").write_text(host_files(JobWorld(task("worker", 2)).job)["worker.host"])
    quote = r"""sed 's/$/&:2222/g' | sed 's/^/"/;s/$/"/' | tr "\n" ","}"""
    done = subprocess.run(
        ["sh", "-c", f'echo "[$(cat worker.host | {quote[:-1]})]"'],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )

    assert json.loads(done.stdout) == ["demo-worker-0.demo:2222", "demo-worker-1.demo:2222"]


# --- ssh


@pytest.mark.parametrize(("path", "mode"), [("/root/.ssh", 0o600), ("/home/me/.ssh", 0o644)])
def test_ssh_mounts_the_keys_where_ssh_looks(path: str, mode: int) -> None:
    made = a_pod(JobWorld(with_init("worker"), plugins={"ssh": [f"--ssh-key-file-path={path}"]}))
    files = ("id_rsa", "id_rsa.pub", "authorized_keys", "config")

    assert made["spec"]["volumes"] == [
        {
            "name": "demo-ssh",
            "secret": {
                "secretName": "demo-ssh",
                "items": [{"key": file, "path": f".ssh/{file}"} for file in files],
                "defaultMode": mode,
            },
        }
    ]
    mount = {"name": "demo-ssh", "mountPath": path, "subPath": ".ssh"}
    assert container(made)["volumeMounts"] == container(made, "initContainers")["volumeMounts"] == [mount]


def test_ssh_knows_all_hosts_by_their_short_names() -> None:
    world = JobWorld(task("master"), task("worker", 2))

    assert client_config(world.job, 22) == (
        "StrictHostKeyChecking no\n"
        "UserKnownHostsFile /dev/null\n"
        "Host demo-master-0\n"
        "  HostName demo-master-0.demo\n"
        "Host demo-worker-0\n"
        "  HostName demo-worker-0.demo\n"
        "Host demo-worker-1\n"
        "  HostName demo-worker-1.demo\n"
    )
    assert "  HostName demo-worker-1.demo\n  Port 2022\n" in client_config(world.job, 2022)


def test_keys_are_rsa_and_a_pair() -> None:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        PublicFormat,
        load_pem_private_key,
    )

    keys = make_keys()
    private = load_pem_private_key(keys.private.encode(), None)

    assert keys.private.startswith("-----BEGIN RSA PRIVATE KEY-----\n")
    assert isinstance(private, RSAPrivateKey)
    assert private.key_size == 2048
    public = private.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    assert keys.public == public.decode() + "\n"


def test_keys_may_be_brought() -> None:
    world = JobWorld(plugins={"ssh": ["--ssh-private-key=mine", "--ssh-public-key=yours"]})
    made = secret(world.job, make_keys).data

    assert {name: text for name, text in made.items() if name != "config"} == {
        "id_rsa": "bWluZQ==",
        "id_rsa.pub": "eW91cnM=",
        "authorized_keys": "eW91cnM=",
    }


def test_pods_wait_for_the_keys() -> None:
    world = JobWorld(plugins={"ssh": []})
    for _ in range(4):
        world.world.step("demo")
    world.admit()
    world.world.step("demo")
    assert world.pods == {}

    world.settle()  # now they are made

    assert len(world.pods) == 2
    assert world.status.controlled_resources == {"plugin-ssh": "ssh"}


# --- frameworks


def test_tensorflow_tells_every_role_of_all_in_the_names_that_it_knows() -> None:
    world = JobWorld(task("servers"), task("worker", 2), task("other"), plugins={"tensorflow": ["--ps=servers"]})

    assert variables(a_pod(world, 1, 1))["TF_CONFIG"] == (
        '{"cluster":{"ps":["demo-servers-0.demo:2222"],'
        '"worker":["demo-worker-0.demo:2222","demo-worker-1.demo:2222"]},'
        '"task":{"type":"worker","index":1}}'
    )
    assert json.loads(variables(a_pod(world, 0))["TF_CONFIG"])["task"] == {"type": "ps", "index": 0}
    assert json.loads(variables(a_pod(world, 2))["TF_CONFIG"])["task"] == {"type": "other", "index": 0}


def test_tensorflow_has_nothing_to_tell_to_one_alone() -> None:
    assert "TF_CONFIG" not in variables(a_pod(JobWorld(task("worker"), plugins={"tensorflow": []})))


def test_pytorch_tells_master_size_and_rank() -> None:
    world = JobWorld(task("master"), task("worker", 2), plugins={"pytorch": ["--port=1234"]})
    common = {"MASTER_ADDR": "demo-master-0.demo", "MASTER_PORT": "1234", "WORLD_SIZE": "3"}

    assert variables(a_pod(world)) == {**common, "RANK": "0"}
    assert variables(a_pod(world, 1, 1)) == {**common, "RANK": "2"}
    assert container(a_pod(world))["ports"] == [{"name": "pytorchjob-port", "containerPort": 1234}]
    assert "initContainers" not in a_pod(world, 1)["spec"]


def test_pytorch_has_nothing_to_tell_without_a_master() -> None:
    assert variables(a_pod(JobWorld(task("worker", 2), plugins={"pytorch": []}))) == {}


def test_a_port_that_is_there_is_not_opened_twice() -> None:
    one = task("master")
    one["template"]["spec"]["containers"][0]["ports"] = [{"name": "mine", "containerPort": 23456}]

    assert container(a_pod(JobWorld(one, plugins={"pytorch": []})))["ports"] == [
        {"name": "mine", "containerPort": 23456}
    ]


def test_pytorch_workers_may_wait_for_their_master() -> None:
    flags = ["--wait-master-enabled=true", "--wait-master-timeout=60", "--wait-master-image=box"]
    world = JobWorld(task("master"), task("worker"), plugins={"pytorch": flags})
    (wait,) = a_pod(world, 1)["spec"]["initContainers"]

    assert (wait["name"], wait["image"], wait["command"][:2]) == ("wait-for-master", "box", ["sh", "-c"])
    assert "demo-master-0.demo 23456" in wait["command"][2]
    assert "-ge 60 " in wait["command"][2]
    assert "initContainers" not in a_pod(world, 0)["spec"]


def test_mpi_tells_the_master_of_the_workers_and_opens_a_port_everywhere() -> None:
    world = JobWorld(with_init("master"), task("worker", 2), plugins={"mpi": ["--port=2022"]})
    hosts = [{"name": "MPI_HOST", "value": "demo-worker-0.demo,demo-worker-1.demo"}]
    port = [{"name": "mpijob-port", "containerPort": 2022}]
    master, worker = a_pod(world), a_pod(world, 1)

    for kind in ("containers", "initContainers"):
        assert container(master, kind)["env"][-1:] == hosts
        assert container(master, kind)["ports"] == port
    assert container(worker)["ports"] == port
    assert "MPI_HOST" not in variables(worker)
    mounted = [volume["name"] for volume in master["spec"]["volumes"]]
    assert mounted == ["demo-svc", "demo-ssh"], "mpi needs both"


def test_ray_starts_a_head_and_workers_that_join_it() -> None:
    world = JobWorld(task("head"), task("worker", 2), plugins={"ray": ["--dashboardPort=8000"]})
    world.settle()
    service = world.objects["Service", "demo-head-svc"]

    assert container(a_pod(world))["command"] == [
        "sh",
        "-c",
        "ray start --head --block --dashboard-host=0.0.0.0 --port=6379 --dashboard-port=8000"
        " --ray-client-server-port=10001",
    ]
    ports = {"gcs": 6379, "dashboard": 8000, "client-server": 10001}
    assert container(a_pod(world))["ports"] == [
        {"name": name, "containerPort": number} for name, number in ports.items()
    ]
    assert container(a_pod(world, 1))["command"] == ["sh", "-c", "ray start --block --address=demo-head-0.demo:6379"]
    assert service.spec.selector == {**SELECTOR, "volcano.sh/task-spec": "head"}
    assert {port.name: (port.port, port.target_port) for port in service.spec.ports} == {
        name: (number, name) for name, number in ports.items()
    }


def test_ray_without_a_head_ends_the_job_and_says_why() -> None:
    world = JobWorld(task("worker"), plugins={"ray": []})
    with pytest.raises(PluginFault, match="job demo doesn't have head task head"):
        a_pod(world)
    world.settle()
    world.admit()
    world.settle()

    assert world.phase == "Terminated"
    assert world.told("PluginError") == [
        "Execute plugin when job add failed, err: job demo doesn't have head task head"
    ]


@pytest.mark.parametrize(("role", "index", "rank"), [(0, 0, "0"), (1, 0, "1"), (1, 1, "2"), (2, 0, None)])
def test_hcclrank_counts_masters_before_workers(role: int, index: int, rank: str | None) -> None:
    world = JobWorld(task("master"), task("worker", 2), task("other"), plugins={"hcclrank": []})

    assert a_pod(world, role, index)["metadata"]["annotations"].get("hccl/rankIndex") == rank


def test_hcclrank_takes_the_rank_that_pytorch_has_given() -> None:
    plugins = {"hcclrank": ["--worker=none"], "pytorch": []}
    world = JobWorld(task("master"), task("worker", 2), plugins=plugins)
    world.settle()

    assert a_pod(world, 1, 1)["metadata"]["annotations"]["hccl/rankIndex"] == "2"
    assert world.status.controlled_resources == {"plugin-pytorch": "pytorch", "plugin-svc": "svc"}


def test_every_plugin_shapes_a_pod_without_arguments() -> None:
    tasks = [task("master"), task("worker", 2), task("head")]

    for plugin in BUILTIN:
        assert a_pod(JobWorld(*tasks, plugins={plugin.name: []}))["kind"] == "Pod"
