"""PyTorch trains: with a master and without, under torchrun, and with workers that come and go."""

from collections.abc import Callable

import pytest

from tests.e2e.node.pods import Object, status
from tests.e2e.training.jobs import CODE, JobShell, conditions, job, script, template
from tests.support import eventually

IMAGE = "pytorch/pytorch:2.13.0"
pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(900)]

SUM = """
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()
total = torch.ones(1)
dist.all_reduce(total)
print(f"rank {rank} of {size}: sum {total.item():.0f}", flush=True)
if rank == 0:
    for sender in range(1, size):
        box = torch.zeros(1)
        dist.recv(box, sender)
        print(f"received {box.item():.0f} from {sender}", flush=True)
else:
    dist.send(torch.tensor([rank * 10.0]), 0)
dist.destroy_process_group()
"""

UNTIL_THREE_TRAIN = """
import itertools
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
together = 0
for step in itertools.count():
    total = torch.ones(1)
    dist.all_reduce(total)
    if step % 5 == 0:
        print(f"step {step} with {total.item():.0f}", flush=True)
    together += total.item() == 3
    if together > 10:
        break
    time.sleep(0.05)
print("finished", flush=True)
dist.destroy_process_group()
"""

TORCHRUN = f"torchrun {CODE}/main.py & echo $! > /tmp/torchrun; wait $!"
"""As a child of the shell's, since nothing can kill the first process of a container from within."""


@pytest.fixture(autouse=True)
def environment(pulled: Callable[[str], None]) -> None:
    pulled(IMAGE)


def test_a_master_and_three_workers_add_up_and_pass_messages(kubectl: JobShell) -> None:
    pod = template("PyTorchJob", IMAGE, ["python", f"{CODE}/main.py"], "sum")
    kubectl.apply(script("sum", SUM), job("PyTorchJob", "sum", {"Master": 1, "Worker": 3}, pod))

    done = kubectl.succeeds("pytorchjobs/sum")

    assert {"rank 0 of 4: sum 4", *(f"received {n}0 from {n}" for n in (1, 2, 3))} <= {
        *kubectl.log("sum-master-0").splitlines()
    }
    for index in range(3):
        kubectl.says(f"sum-worker-{index}", f"rank {index + 1} of 4: sum 4\n")
    assert done["status"]["replicaStatuses"]["Master"]["succeeded"] == 1
    assert kubectl.rows("get pytorchjob sum --no-headers")[0][:2] == ["sum", "Succeeded"]


def test_torchrun_starts_two_processes_in_each_pod(kubectl: JobShell) -> None:
    pod = template("PyTorchJob", IMAGE, ["torchrun", f"{CODE}/main.py"], "sum")
    kubectl.apply(script("sum", SUM), job("PyTorchJob", "pairs", {"Master": 1, "Worker": 1}, pod, nprocPerNode="2"))

    kubectl.succeeds("pytorchjobs/pairs")

    for pod_name, ranks in (("pairs-master-0", (0, 1)), ("pairs-worker-0", (2, 3))):
        for rank in ranks:
            kubectl.says(pod_name, f"rank {rank} of 4: sum 4")


def test_workers_without_a_master_find_each_other(kubectl: JobShell) -> None:
    pod = template("PyTorchJob", IMAGE, ["python", f"{CODE}/main.py"], "sum")
    kubectl.apply(script("sum", SUM), job("PyTorchJob", "equals", {"Worker": 2}, pod))

    kubectl.succeeds("pytorchjobs/equals")

    kubectl.says("equals-worker-0", "received 10 from 1")
    kubectl.says("equals-worker-1", "rank 1 of 2: sum 2")


def test_elastic_workers_may_die_leave_and_join_while_others_train(kubectl: JobShell) -> None:
    hasty = {"last_call_timeout": "1", "keep_alive_interval": "1"}
    policy = {
        "minReplicas": 1,
        "maxReplicas": 3,
        "maxRestarts": 100,
        "rdzvConf": [{"key": key, "value": value} for key, value in hasty.items()],
    }
    pod = template("PyTorchJob", IMAGE, ["sh", "-c", TORCHRUN], "steps")
    elastic = job("PyTorchJob", "elastic", {"Worker": 2}, pod, nprocPerNode="1", elasticPolicy=policy)
    kubectl.apply(script("steps", UNTIL_THREE_TRAIN), elastic)
    kubectl.says("elastic-worker-0", "with 2", within=300)
    uid = kubectl.get("pods/elastic-worker-1")["metadata"]["uid"]

    kubectl("exec elastic-worker-1 -- sh -c 'kill -9 $(cat /tmp/torchrun)'")
    again = kubectl.until("pods/elastic-worker-1", lambda pod: restarts(pod) == 1)
    assert again["metadata"]["uid"] == uid
    kubectl.says("elastic-worker-1", "with 2", within=120)

    alone = kubectl.log("elastic-worker-0").count("step 0 with 1")
    kubectl("scale pytorchjob/elastic --replicas=1")
    kubectl.gone("pods/elastic-worker-1")
    eventually(lambda: kubectl.log("elastic-worker-0").count("step 0 with 1") > alone, 120, "the other trains on")

    kubectl("scale pytorchjob/elastic --replicas=3")
    done = kubectl.ends("pytorchjobs/elastic")

    assert ("Succeeded", "True") in conditions(done), kubectl.told("pytorchjobs/elastic")
    assert "step 0 with 3" in kubectl.told("pytorchjobs/elastic")
    assert restarts(kubectl.get("pods/elastic-worker-0")) == 0


def restarts(pod: Object) -> int:
    return status(pod, "pytorch").get("restartCount", 0)


def test_metrics_scale_elastic_workers_and_rest_while_the_job_does(kubectl: JobShell) -> None:
    use = {"name": "cpu", "target": {"type": "AverageValue", "averageValue": "1m"}}
    policy = {"minReplicas": 1, "maxReplicas": 2, "metrics": [{"type": "Resource", "resource": use}]}
    pod = template("PyTorchJob", "busybox", ["sh", "-c", "while :; do :; done"])
    kubectl.apply(job("PyTorchJob", "busy", {"Worker": 1}, pod, elasticPolicy=policy))

    grown = kubectl.until("pytorchjobs/busy", lambda job: workers(job) == 2, within=180)
    kubectl.phase("busy-worker-1", "Running")
    scaler = kubectl.json("get hpa busy")
    assert scaler["metadata"]["ownerReferences"][0]["uid"] == grown["metadata"]["uid"]
    assert scaler["spec"]["scaleTargetRef"] == {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "name": "busy"}

    kubectl('patch pytorchjob busy --type=merge -p \'{"spec":{"runPolicy":{"suspend":true}}}\'')
    kubectl.has("pytorchjobs/busy", "Suspended")
    kubectl("wait --for=delete hpa/busy pod/busy-worker-0 --timeout=90s")


def workers(obj: Object) -> int:
    return obj["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"]
