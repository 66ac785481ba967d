"""Handwritten digits by workers that share their weights through parameter servers.

Each replica reads its part from TF_CONFIG. The chief coordinates; without one worker 0 does so beside its own work. The
others serve it until the job is over. A replica alone is all of this in one process.
"""

import argparse
import json
import os
import sys
import time

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

STEPS, BATCH, RATE = 40, 64, 0.3
ALONE = {"cluster": {"worker": ["localhost:2222"]}, "task": {"type": "worker", "index": 0}}


def part() -> tuple[dict[str, list[str]], list[tuple[str, int]]]:
    """The cluster, and which tasks of it this process has."""
    config = json.loads(os.environ.get("TF_CONFIG") or json.dumps(ALONE))
    cluster = {name: hosts for name, hosts in config["cluster"].items() if name != "evaluator"}
    task = (config["task"]["type"], config["task"]["index"])
    if "master" in cluster:  # as the chief was called before
        cluster["chief"] = cluster.pop("master")
        task = ("chief", 0) if task[0] == "master" else task
    tasks = [task]
    host, port = (cluster.get("chief") or cluster["worker"])[0].rsplit(":", 1)
    for number, name in enumerate(("chief", "ps", "worker"), 1):
        if name not in cluster:
            cluster[name] = [f"{host}:{int(port) + number}"]
            tasks += [(name, 0)] if task in (("chief", 0), ("worker", 0)) else []
    return cluster, tasks


def digits() -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    images, labels = load_digits(return_X_y=True)
    images, labels = (images / 16).astype("float32"), labels.astype("int32")
    return (images[:1500], labels[:1500]), (images[1500:], labels[1500:])


def coordinate(cluster: dict[str, list[str]], epochs: int) -> None:
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
        tf.train.ClusterSpec(cluster), task_type="chief", task_id=0, rpc_layer="grpc"
    )
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    (images, labels), test = digits()

    with strategy.scope():
        first = tf.Variable(tf.random.stateless_normal((64, 64), (1, 2)) * 0.15)
        first_bias = tf.Variable(tf.zeros(64))
        second = tf.Variable(tf.random.stateless_normal((64, 10), (3, 4)) * 0.15)
        second_bias = tf.Variable(tf.zeros(10))
    variables = [first, first_bias, second, second_bias]
    for variable in variables:
        print("a variable of shape", variable.shape, "is on", variable.device, flush=True)

    def scores(batch: tf.Tensor) -> tf.Tensor:
        return tf.nn.relu(batch @ first + first_bias) @ second + second_bias

    @tf.function
    def step(iterator: tf.data.Iterator) -> tf.Tensor:
        batch, wanted = next(iterator)
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(wanted, scores(batch))
            loss = tf.reduce_mean(losses)
        for variable, slope in zip(variables, tape.gradient(loss, variables), strict=True):
            variable.assign_sub(RATE * slope)
        return loss

    def batches() -> tf.data.Dataset:
        return tf.data.Dataset.from_tensor_slices((images, labels)).shuffle(1500).repeat().batch(BATCH)

    iterator = iter(coordinator.create_per_worker_dataset(batches))
    began = time.monotonic()
    for epoch in range(1, epochs + 1):
        losses = [coordinator.schedule(step, args=(iterator,)) for _ in range(STEPS)]
        coordinator.join()
        print(f"epoch {epoch} loss {np.mean([loss.fetch() for loss in losses]):.4f}", flush=True)
    found = np.argmax(scores(test[0]), axis=1)
    print(f"accuracy {np.mean(found == test[1]):.3f} after {time.monotonic() - began:.1f} s", flush=True)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--epochs", type=int, default=10)
    told, unknown = options.parse_known_args()
    if unknown:
        print("not known here:", *unknown, file=sys.stderr, flush=True)
    cluster, tasks = part()
    print(f"{' and '.join(f'{kind} {index}' for kind, index in tasks)} of {json.dumps(cluster)}", flush=True)
    servers = [
        tf.distribute.Server(tf.train.ClusterSpec(cluster), job_name=kind, task_index=index, protocol="grpc")
        for kind, index in tasks
        if kind != "chief"
    ]
    if ("chief", 0) in tasks:
        coordinate(cluster, told.epochs)
    else:
        servers[0].join()


if __name__ == "__main__":
    main()
