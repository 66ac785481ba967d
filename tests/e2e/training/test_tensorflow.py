"""TensorFlow trains: with parameter servers, with mirrored workers, and knows what it is told of the others."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.training.jobs import CODE, JobShell, conditions, job, script, template

IMAGE = "tensorflow/tensorflow:2.20.0"
pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(900)]

PARAMETER_SERVER = """
import os

os.environ["GRPC_FAIL_FAST"] = "use_caller"
import tensorflow as tf

resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if resolver.task_type in ("worker", "ps"):
    server = tf.distribute.Server(
        resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id, protocol="grpc"
    )
    print("serving", flush=True)
    server.join()

strategy = tf.distribute.ParameterServerStrategy(resolver)
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    weights = tf.Variable(tf.zeros([4, 1]))


@tf.function
def step():
    inputs = tf.random.normal([32, 4])
    wanted = tf.matmul(inputs, [[1.0], [2.0], [3.0], [4.0]])
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((tf.matmul(inputs, weights) - wanted) ** 2)
    weights.assign_sub(0.05 * tape.gradient(loss, weights))
    return loss


for epoch in range(5):
    losses = [coordinator.schedule(step) for _ in range(20)]
    coordinator.join()
    print(f"epoch {epoch} loss {sum(loss.fetch() for loss in losses) / len(losses):.4f}", flush=True)
print("weights on", weights.device, flush=True)
"""

# A worker that leaves while the other still receives its part of the last sum makes that one fail. So the first waits
# for the second to leave TensorFlow (its socket closes with the exec), and the second for the first to be there.
MIRRORED = """
import os
import socket
import time

import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
print("replicas in sync", strategy.num_replicas_in_sync, flush=True)
with strategy.scope():
    weight = tf.Variable(0.0, aggregation=tf.VariableAggregation.MEAN)


@tf.function
def step():
    def one():
        with tf.GradientTape() as tape:
            loss = (weight - 3.0) ** 2
        weight.assign_sub(0.1 * tape.gradient(loss, weight))
        return loss

    return strategy.reduce("SUM", strategy.run(one), axis=None)


for _ in range(20):
    loss = step()
print(f"loss of both {loss.numpy():.4f}", flush=True)
resolver = strategy.cluster_resolver
if resolver.task_id == 0:
    socket.create_server(("", 2223)).accept()[0].recv(1)
else:
    first = resolver.cluster_spec().task_address("worker", 0).split(":")[0]
    while True:
        try:
            meeting = socket.create_connection((first, 2223))
            break
        except ConnectionRefusedError:
            time.sleep(0.05)
    os.execvp("sh", ["sh", "-c", "until [ -e /tmp/go ]; do sleep 0.1; done"])
"""


@pytest.fixture(autouse=True)
def environment(pulled: Callable[[str], None]) -> None:
    pulled(IMAGE)


def test_parameter_servers_keep_what_workers_learn(kubectl: JobShell) -> None:
    pod = template("TFJob", IMAGE, ["python", f"{CODE}/main.py"], "ps")
    roles = {"Chief": 1, "PS": 1, "Worker": 2}
    kubectl.apply(
        script("ps", PARAMETER_SERVER), job("TFJob", "ps", roles, pod, runPolicy={"cleanPodPolicy": "Running"})
    )

    kubectl.succeeds("tfjobs/ps")

    log = kubectl.log("ps-chief-0")
    losses = [float(line.split()[-1]) for line in log.splitlines() if line.startswith("epoch")]
    assert len(losses) == 5
    assert losses[-1] < losses[0] / 10
    assert "/job:ps/" in log
    for server in ("ps-ps-0", "ps-worker-0", "ps-worker-1"):
        kubectl.gone(f"pods/{server}")
    assert kubectl("get pods -o name") == "pod/ps-chief-0"


@pytest.fixture
def mirrored(kubectl: JobShell) -> JobShell:
    kubectl.apply(script("mirrored", MIRRORED))
    return kubectl


def two_workers(name: str, **spec: Any) -> dict[str, Any]:
    return job(
        "TFJob", name, {"Worker": 2}, template("TFJob", IMAGE, ["python", f"{CODE}/main.py"], "mirrored"), **spec
    )


def test_mirrored_workers_are_done_when_the_first_is(mirrored: JobShell) -> None:
    mirrored.apply(two_workers("first", runPolicy={"cleanPodPolicy": "All"}))
    mirrored.says("first-worker-1", "loss of both", within=240)

    mirrored.succeeds("tfjobs/first")

    mirrored.gone("pods/first-worker-1")


def test_mirrored_workers_are_waited_for_where_the_job_says_so(mirrored: JobShell) -> None:
    mirrored.apply(two_workers("all", successPolicy="AllWorkers"))
    mirrored.phase("all-worker-0", "Succeeded", within=240)
    mirrored.until("tfjobs/all", lambda job: job["status"]["replicaStatuses"]["Worker"].get("succeeded") == 1)
    assert conditions(mirrored.get("tfjobs/all"))[-1] == ("Running", "True")

    mirrored("exec all-worker-1 -- touch /tmp/go")
    mirrored.succeeds("tfjobs/all")

    for index in range(2):
        log = mirrored.log(f"all-worker-{index}")
        assert "replicas in sync 2" in log
        assert float(log.rsplit("loss of both", maxsplit=1)[1].split()[0]) < 0.1


def test_one_worker_alone_is_told_of_nobody_and_an_evaluator_who_it_is(kubectl: JobShell) -> None:
    pod = template("TFJob", "busybox", ["sh", "-c", "echo ${TF_CONFIG:-alone}"])
    kubectl.apply(job("TFJob", "one", {"Worker": 1}, pod), job("TFJob", "two", {"Worker": 1, "Evaluator": 1}, pod))

    kubectl.is_done("tfjobs/one")
    kubectl.phase("two-evaluator-0", "Succeeded")

    assert kubectl.log("one-worker-0") == "alone\n"
    told = json.loads(kubectl.log("two-evaluator-0"))
    assert told["task"] == {"type": "evaluator", "index": 0}
    assert told["cluster"]["worker"] == [f"two-worker-0.{kubectl.namespace}.svc:2222"]
