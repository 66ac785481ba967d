"""Handwritten digits by workers that share their weights through parameter servers.

Each replica reads its part from TF_CONFIG. Worker 0 (or the chief, if there is one) coordinates; the others and the
parameter servers serve it until the job is over.
"""

import json
import os
import time

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

EPOCHS = int(os.environ.get("EPOCHS", "10"))
STEPS, BATCH, RATE = 40, 64, 0.3


def part() -> tuple[dict[str, list[str]], str, int]:
    """The cluster, and which task of it this is."""
    config = json.loads(os.environ["TF_CONFIG"])
    cluster = {name: hosts for name, hosts in config["cluster"].items() if name != "evaluator"}
    kind, index = config["task"]["type"], config["task"]["index"]
    if "chief" not in cluster:
        first, *others = cluster["worker"]
        cluster |= {"chief": [first], "worker": others}
        if kind == "worker":
            kind, index = ("chief", 0) if index == 0 else ("worker", index - 1)
    return cluster, kind, index


def digits() -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    images, labels = load_digits(return_X_y=True)
    images, labels = (images / 16).astype("float32"), labels.astype("int32")
    return (images[:1500], labels[:1500]), (images[1500:], labels[1500:])


def coordinate(cluster: dict[str, list[str]]) -> None:
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
    for epoch in range(1, EPOCHS + 1):
        losses = [coordinator.schedule(step, args=(iterator,)) for _ in range(STEPS)]
        coordinator.join()
        print(f"epoch {epoch} loss {np.mean([loss.fetch() for loss in losses]):.4f}", flush=True)
    found = np.argmax(scores(test[0]), axis=1)
    print(f"accuracy {np.mean(found == test[1]):.3f} after {time.monotonic() - began:.1f} s", flush=True)


def main() -> None:
    cluster, kind, index = part()
    print(f"{kind} {index} of {json.dumps(cluster)}", flush=True)
    if kind == "chief":
        coordinate(cluster)
        return
    tf.distribute.Server(tf.train.ClusterSpec(cluster), job_name=kind, task_index=index, protocol="grpc").join()


if __name__ == "__main__":
    main()
