"""Jobs of Volcano with kubectl: the manifest that people begin with, restarts, orders, volumes, ssh."""

import json
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.e2e.node.platforms import USER, Platform
from tests.e2e.node.pods import Object, container, named
from tests.e2e.training.test_killed import Manager
from tests.e2e.volcano.shell import VolcanoShell, task, vcjob
from tests.support import eventually

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(240)]
SEEDS = Path(__file__).with_name("seeds")
MNIST = "tensorflow-dist-mnist"
VERSION = "volcano.sh/job-version"


@pytest.fixture
def _image(platform: Platform, tmp_path: Path) -> Iterator[None]:
    """The image of the manifest, with a program inside."""
    environment = tmp_path / "mnist"
    (environment / "bin").mkdir(parents=True)
    program = environment / "bin" / "python"
    program.write_text(f"#!/bin/sh\nexec /usr/bin/env -S PATH=/usr/bin python3 {environment}/dist_mnist.py\n")
    program.chmod(0o755)
    (environment / "dist_mnist.py").write_text((SEEDS / "dist_mnist.py").read_text())
    mapped = platform.data_dir / "images.yaml"
    before = mapped.read_text() if mapped.exists() else None
    mapped.write_text(yaml.safe_dump({"images": [{"image": "volcanosh/*", "path": str(environment)}]}))
    yield
    if before is None:
        mapped.unlink()
    else:
        mapped.write_text(before)


def pods_of(kubectl: VolcanoShell, job: str) -> dict[str, Object]:
    return {pod["metadata"]["name"]: pod for pod in kubectl.pods(f"volcano.sh/job-name={job}")}


def versions(kubectl: VolcanoShell, job: str) -> set[str]:
    return {pod["metadata"]["annotations"][VERSION] for pod in pods_of(kubectl, job).values()}


@pytest.mark.usefixtures("_image")
def test_the_manifest_that_people_begin_with_trains_restarts_and_completes(kubectl: VolcanoShell) -> None:
    kubectl("apply -f -", (SEEDS / "tensorflow_dist_mnist.yaml").read_text())
    kubectl.phase_of(MNIST, "Running")
    for worker in (0, 1):
        kubectl.says(f"{MNIST}-worker-{worker}", f"met {MNIST}-ps-0.{MNIST}:2222")
    kubectl.says(f"{MNIST}-worker-1", "worker 1 of {'ps': 1, 'worker': 2}")
    kubectl.says(f"{MNIST}-ps-0", "ps 0 of {'ps': 1, 'worker': 2}")
    files = kubectl(f"exec {MNIST}-ps-0 -- sh -c 'cat /etc/volcano/ps.host; echo .; cat /etc/volcano/worker.host'")
    assert files == f"{MNIST}-ps-0.{MNIST}.\n{MNIST}-worker-0.{MNIST}\n{MNIST}-worker-1.{MNIST}"

    kubectl(f"delete pod {MNIST}-worker-0 --grace-period 1 --wait=false")
    restarted = kubectl.until(
        f"vcjobs/{MNIST}", lambda job: (job["status"].get("retryCount"), job["status"].get("running")) == (1, 3)
    )
    assert "Restarting" in [condition["status"] for condition in restarted["status"]["conditions"]]
    assert restarted["status"]["version"] == 1
    assert versions(kubectl, MNIST) == {"1"}
    action = ("ExecuteAction", "Start to execute action RestartJob ")
    eventually(lambda: action in kubectl.events(f"vcjobs/{MNIST}"), 60, "it is told")

    for worker in (0, 1):
        kubectl(f"exec {MNIST}-worker-{worker} -- touch /tmp/trained")
    ended = kubectl.phase_of(MNIST, "Completed")

    assert ended["status"]["succeeded"] == 2
    kubectl.gone(f"pods/{MNIST}-ps-0")
    assert sorted(pods_of(kubectl, MNIST)) == [f"{MNIST}-worker-0", f"{MNIST}-worker-1"]
    assert kubectl(f"get vcjob {MNIST} --no-headers").split()[:3] == [MNIST, "Completed", "3"]


def test_an_exit_code_restarts_what_its_policy_says_until_the_job_fails(kubectl: VolcanoShell) -> None:
    pods = task("worker", container("exit 3"), policies=[{"exitCode": 3, "action": "RestartJob"}])
    other = task("other", container())
    kubectl.apply(vcjob("codes", pods, other, minAvailable=1, maxRetry=2))

    failed = kubectl.phase_of("codes", "Failed")

    assert (failed["status"]["retryCount"], failed["status"]["state"]["reason"]) == (2, "RetryLimitReached")
    kubectl.gone("pods/codes-other-0")
    assert kubectl.get("pods/codes-worker-0")["status"]["phase"] == "Failed", "it is kept for who wants to know why"


def test_a_job_is_suspended_and_resumed_by_commands(kubectl: VolcanoShell) -> None:
    kubectl.apply(vcjob("rests", task("worker", container(), replicas=2)))
    kubectl.phase_of("rests", "Running")

    kubectl.apply(command("AbortJob", "rests"))
    kubectl.phase_of("rests", "Aborted")
    assert pods_of(kubectl, "rests") == {}
    assert kubectl("get commands -o name") == ""
    kubectl.apply(command("ResumeJob", "rests"))
    resumed = kubectl.phase_of("rests", "Running")

    assert resumed["status"]["retryCount"] == 1
    assert versions(kubectl, "rests") == {"2"}


def command(action: str, job: str) -> Object:
    target = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": job, "uid": ""}
    metadata = {"name": action.lower()}
    return {
        "apiVersion": "bus.volcano.sh/v1alpha1",
        "kind": "Command",
        "metadata": metadata,
        "action": action,
        "target": target,
    }


def test_tasks_wait_for_others_share_a_volume_and_the_job_goes_when_its_time_is_over(kubectl: VolcanoShell) -> None:
    first = task("first", container("echo written >/out/result; exec sleep infinity"))
    reads = "cat /out/result; until [ -e /out/seen ]; do sleep 0.1; done"
    then = task("then", container(reads), dependsOn={"name": ["first"]})
    then["policies"] = [{"event": "TaskCompleted", "action": "CompleteJob"}]
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}}
    volumes = [{"mountPath": "/out", "volumeClaim": claim}]
    kubectl.apply(vcjob("chain", first, then, minAvailable=1, volumes=volumes, ttlSecondsAfterFinished=3))

    kubectl.says("chain-then-0", "written")
    made = kubectl.get("vcjobs/chain")["spec"]["volumes"][0]["volumeClaimName"]

    assert kubectl.get(f"persistentvolumeclaims/{made}")["metadata"]["ownerReferences"][0]["name"] == "chain"
    kubectl("exec chain-first-0 -- touch /out/seen")
    kubectl.gone("vcjobs/chain")
    eventually(lambda: pods_of(kubectl, "chain") == {}, 60, "its pods go with it")
    kubectl.gone(f"persistentvolumeclaims/{made}")


def test_a_partition_restarts_alone_and_a_job_is_scaled(kubectl: VolcanoShell) -> None:
    pods = task("worker", container("until [ -e /tmp/fail ]; do sleep 0.1; done; exit 1"), replicas=4)
    pods["partitionPolicy"] = {"totalPartitions": 2, "partitionSize": 2}
    pods["policies"] = [{"event": "PodFailed", "action": "RestartPartition"}]
    other = task("other", container(), replicas=1)
    kubectl.apply(vcjob("parts", pods, other))
    kubectl.phase_of("parts", "Running")
    before = {name: pod["metadata"]["uid"] for name, pod in pods_of(kubectl, "parts").items()}
    group = kubectl.get("podgroups")["items"][0]["metadata"]["uid"]

    kubectl("exec parts-worker-2 -- touch /tmp/fail")
    kubectl.until("vcjobs/parts", lambda job: (job["status"].get("retryCount"), job["status"].get("running")) == (1, 5))

    after = {name: pod["metadata"]["uid"] for name, pod in pods_of(kubectl, "parts").items()}
    assert {name for name in before if before[name] != after[name]} == {"parts-worker-2", "parts-worker-3"}
    assert kubectl.get("podgroups")["items"][0]["metadata"]["uid"] == group
    change = [
        {"op": "replace", "path": "/spec/tasks/1/replicas", "value": 2},
        {"op": "replace", "path": "/spec/tasks/1/minAvailable", "value": 2},
        {"op": "replace", "path": "/spec/minAvailable", "value": 6},
    ]
    kubectl(f"patch vcjob parts --type json -p '{json.dumps(change)}'")
    kubectl.until("vcjobs/parts", lambda job: job["status"].get("running") == 6)
    kubectl.until("podgroups", lambda found: found["items"][0]["spec"]["minMember"] == 6)


def test_a_pod_that_was_deleted_while_the_manager_was_away_is_not_forgotten(
    kubectl: VolcanoShell, platform: Platform
) -> None:
    manager = Manager(platform)
    policies = [{"event": "PodEvicted", "action": "RestartJob"}]
    kubectl.apply(vcjob("away", task("worker", container(), replicas=2), policies=policies))
    kubectl.phase_of("away", "Running")

    os.kill(manager.pid(), signal.SIGSTOP)
    kubectl("delete pod away-worker-0 --grace-period 0 --force")
    kubectl.gone("pods/away-worker-0")
    manager.kill()

    kubectl.until("vcjobs/away", lambda job: (job["status"].get("retryCount"), job["status"].get("running")) == (1, 2))
    assert versions(kubectl, "away") == {"1"}


@pytest.mark.skipif(USER != "root", reason="sshd as root needs more than one user id in a container")
@pytest.mark.skipif(not Path("/usr/sbin/sshd").exists() or not shutil.which("ssh"), reason="there is no sshd or no ssh")
def test_the_master_of_an_mpi_job_logs_in_to_its_workers(kubectl: VolcanoShell) -> None:
    people = "root:x:0:0::/root:/bin/sh\nsshd:x:110:65534::/run/sshd:/bin/false\n"
    files = {"passwd": people, "shadow": "root:*:20000::::::\n"}  # with the machine's own, root may be locked out
    users = named("ConfigMap", "users", data=files)
    mounts = [{"name": "users", "mountPath": f"/etc/{file}", "subPath": file} for file in files]
    options = "-D -e -p 2022 -h /root/.ssh/id_rsa -o UsePAM=no -o StrictModes=no"
    daemon = container(f"mkdir -p /run/sshd; exec /usr/sbin/sshd {options}", volumeMounts=mounts)
    login = "until ssh -p 2022 -o BatchMode=yes $host uname -n; do sleep 0.2; done"
    ask = container(f'for host in $(echo $MPI_HOST | tr , " "); do {login}; done')
    master = task("master", ask, policies=[{"event": "TaskCompleted", "action": "CompleteJob"}])
    worker = task("worker", daemon, replicas=2)
    worker["template"]["spec"]["volumes"] = [{"name": "users", "configMap": {"name": "users"}}]
    kubectl.apply(users, vcjob("logs-in", master, worker, plugins={"mpi": ["--port=2022"]}))

    kubectl.phase_of("logs-in", "Completed")

    said = kubectl.says("logs-in-master-0", "logs-in-worker-1\n").splitlines()
    assert [line for line in said if line.startswith("logs-in-")] == ["logs-in-worker-0", "logs-in-worker-1"]
