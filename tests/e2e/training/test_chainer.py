"""A ChainerJob's master runs MPI on itself and on its workers."""

from collections.abc import Callable

import pytest

from tests.e2e.node.pods import Object, named
from tests.e2e.training.jobs import JobShell, conditions
from tests.support import eventually

IMAGE = "everpeace/chainermn:1.3.0"
pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(900)]

SUM = """
import socket
from mpi4py import MPI
world = MPI.COMM_WORLD
print(f"{socket.gethostname()} of {world.size}: {world.allreduce(world.rank + 1)}", flush=True)
"""


def template(name: str, *command: str) -> Object:
    container = {"image": IMAGE, "command": [*command], **({"name": name} if name else {})}
    return {"spec": {"terminationGracePeriodSeconds": 1, "containers": [container]}}


def test_a_master_and_two_workers_sum(kubectl: JobShell, pulled: Callable[[str], None]) -> None:
    pulled(IMAGE)
    master = template("", "mpiexec", "-n", "3", "-N", "1", "python3", "-c", SUM)
    worker = template("chainer", "sh", "-c", "while true; do sleep 1 & wait; done")
    spec = {"master": {"template": master}, "workerSets": {"ws0": {"replicas": 2, "template": worker}}}
    kubectl.apply(named("ChainerJob", "chain", "kubeflow.org/v1alpha1", spec=spec))

    done = ("Complete", "True")
    eventually(lambda: done in conditions(kubectl.json("get chainerjob chain")), 240, "the job is complete")

    (only,) = kubectl.pods("chainerjob.kubeflow.org/role=master")
    name = only["metadata"]["name"]
    said = sorted(line for line in kubectl.log(name).splitlines() if " of " in line)
    assert said == sorted(f"{host} of 3: 6" for host in (name, "chain-workerset-ws0-0", "chain-workerset-ws0-1"))
    assert kubectl("get chj chain -o jsonpath={.status.succeeded}") == "1"
    kubectl.gone("pods/chain-workerset-ws0-0")
    kubectl.gone("pods/chain-workerset-ws0-1")
