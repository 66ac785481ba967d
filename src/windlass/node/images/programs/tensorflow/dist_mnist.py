# ruff: noqa: T201 - its log is what it is for
# pyright: reportMissingImports=false
"""Trains on handwritten digits with asynchronous workers that share their weights through parameter servers.

Each replica reads its role from TF_CONFIG, or from the flags of TensorFlow's benchmarks. Parameter servers run for
ever. The chief, or worker 0 without one, initializes the weights; every worker then makes the same number of steps on
its own share of the data, without waiting for the others, and exits. Without parameter servers the weights are in the
memory of the first worker, which waits until the others have finished.
"""

import argparse
import json
import os
import sys
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

v1 = tf.compat.v1

ALONE = {"cluster": {"worker": ["localhost:2222"]}, "task": {"type": "worker", "index": 0}}
TRAINERS = ("chief", "worker")
STEPS, BATCH, RATE = 40, 64, 0.3
POLL_SECONDS, LINGER_SECONDS = 0.5, 2.0


@dataclass(frozen=True)
class Part:
    """The cluster, and this process' task in it."""

    cluster: dict[str, list[str]]
    role: str
    index: int

    @property
    def trainers(self) -> list[tuple[str, int]]:
        return [(role, index) for role in TRAINERS for index in range(len(self.cluster.get(role, ())))]

    @property
    def is_first(self) -> bool:
        return (self.role, self.index) == self.trainers[0]

    @property
    def keeper(self) -> str:
        """The role that stores the weights."""
        return "ps" if self.cluster.get("ps") else self.trainers[0][0]

    @property
    def keepers(self) -> int:
        return len(self.cluster["ps"]) if self.keeper == "ps" else 1

    def __str__(self) -> str:
        sizes = ", ".join(f"{len(hosts)} {role}" for role, hosts in self.cluster.items())
        return f"{self.role} {self.index} of {sizes}"


def part_of(options: argparse.Namespace) -> Part:
    """Return this process' task; flags override TF_CONFIG."""
    if options.worker_hosts:
        hosts = {"ps": options.ps_hosts, "worker": options.worker_hosts}
        cluster = {role: [host for host in given.split(",") if host] for role, given in hosts.items()}
        return Part({role: found for role, found in cluster.items() if found}, options.job_name, options.task_index)
    config = json.loads(os.environ.get("TF_CONFIG") or json.dumps(ALONE))
    cluster, role = dict(config["cluster"]), config["task"]["type"]
    cluster.pop("evaluator", None)
    if "master" in cluster:  # as the chief was called before
        cluster["chief"] = cluster.pop("master")
        role = "chief" if role == "master" else role
    return Part(cluster, role, config["task"]["index"])


class Model:
    """The graph of every worker: weights on the tasks that store them, the computation on `device`."""

    def __init__(self, part: Part, device: str) -> None:
        keeper = f"/job:{part.keeper}"
        with v1.device(v1.train.replica_device_setter(part.keepers, keeper, worker_device=device)):
            self.images = v1.placeholder(tf.float32, (None, 64))
            self.labels = v1.placeholder(tf.int32, (None,))
            hidden = tf.nn.relu(self._layer("hidden", self.images, 64))
            scores = self._layer("scores", hidden, 10)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(self.labels, scores)
            self.loss = tf.reduce_mean(losses)
            self.found = tf.argmax(scores, axis=1)
            self.all_steps = v1.train.get_or_create_global_step()
            self.step = v1.train.GradientDescentOptimizer(RATE).minimize(self.loss, self.all_steps)
            finished = v1.get_variable("finished", (), tf.int32, v1.zeros_initializer(), trainable=False)
            self.finished, self.finish = finished.read_value(), finished.assign_add(1)
            self.initialize = v1.global_variables_initializer()
            self.missing = v1.report_uninitialized_variables()

    @staticmethod
    def _layer(name: str, values: Any, width: int) -> Any:
        weights = v1.get_variable(
            f"{name}/weights", (values.shape[1], width), initializer=v1.glorot_uniform_initializer(1)
        )
        return values @ weights + v1.get_variable(f"{name}/bias", (width,), initializer=v1.zeros_initializer())


def digits() -> tuple[np.ndarray, np.ndarray]:
    images, labels = load_digits(return_X_y=True)
    return (images / 16).astype("float32"), labels.astype("int32")


def session_for(part: Part, target: str) -> Any:
    """Return a session of only the weight tasks and this process: others may start late, or have ended."""
    keepers = ["/job:ps"] if part.keeper == "ps" else [f"/job:{part.keeper}/task:0"]
    filters = [*keepers, *([f"/job:{part.role}/task:{part.index}"] if part.role in TRAINERS else [])]
    return v1.Session(target, config=v1.ConfigProto(device_filters=filters))


def wait_until_initialized(session: Any, model: Model) -> None:
    while session.run(model.missing).size:
        time.sleep(POLL_SECONDS)


def wait_until_finished(session: Any, model: Model, part: Part) -> None:
    while session.run(model.finished) < len(part.trainers):
        time.sleep(POLL_SECONDS)


def accuracy(session: Any, model: Model) -> float:
    images, labels = digits()
    return float(np.mean(session.run(model.found, {model.images: images[1500:]}) == labels[1500:]))


def train(part: Part, target: str, epochs: int) -> None:
    who, began = f"{part.role} {part.index}", time.monotonic()
    model = Model(part, f"/job:{part.role}/task:{part.index}")
    for variable in v1.trainable_variables():
        print(f"{who}: {variable.name} of shape {variable.shape} is on {variable.device}", flush=True)
    images, labels = digits()
    place = part.trainers.index((part.role, part.index))
    mine = np.arange(1500)[place :: len(part.trainers)]
    choose = np.random.default_rng(place)
    with session_for(part, target) as session:
        if part.is_first:
            session.run(model.initialize)
        wait_until_initialized(session, model)
        for epoch in range(1, epochs + 1):
            losses = []
            for _ in range(STEPS):
                batch = choose.choice(mine, BATCH)
                given = {model.images: images[batch], model.labels: labels[batch]}
                losses.append(session.run((model.step, model.loss), given)[1])
            steps = session.run(model.all_steps)
            print(f"{who}: epoch {epoch} loss {np.mean(losses):.4f}, {steps} steps of all workers", flush=True)
        print(f"{who}: accuracy {accuracy(session, model):.3f} after {time.monotonic() - began:.1f} s", flush=True)
        session.run(model.finish)
        if part.is_first and part.keeper != "ps":
            wait_until_finished(session, model, part)
            time.sleep(LINGER_SECONDS)  # the last worker has not yet got the answer to its last step


def evaluate(part: Part) -> None:
    """Wait for all workers, then measure the accuracy of the trained weights."""
    model = Model(part, "/job:ps/task:0")
    with session_for(part, f"grpc://{part.cluster['ps'][0]}") as session:
        wait_until_initialized(session, model)
        wait_until_finished(session, model, part)
        print(f"{part.role} {part.index}: accuracy {accuracy(session, model):.3f}", flush=True)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--epochs", type=int, default=10)
    options.add_argument("--job_name", default="worker")
    options.add_argument("--task_index", type=int, default=0)
    options.add_argument("--ps_hosts", default="")
    options.add_argument("--worker_hosts", default="")
    given, unknown = options.parse_known_args()
    if unknown:
        print("ignored arguments:", *unknown, file=sys.stderr, flush=True)
    v1.disable_eager_execution()
    part = part_of(given)
    print(part, flush=True)
    if part.role == "evaluator" and part.keeper != "ps":
        print("evaluator: without parameter servers there is nothing to evaluate", flush=True)
    elif part.role == "evaluator":
        evaluate(part)
    else:
        cluster = tf.train.ClusterSpec(part.cluster)
        server = tf.distribute.Server(cluster, job_name=part.role, task_index=part.index, protocol="grpc")
        if part.role == "ps":
            server.join()
        train(part, server.target, given.epochs)


if __name__ == "__main__":
    main()
