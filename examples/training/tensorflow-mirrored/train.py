"""Handwritten digits by workers that each hold all weights and add up their gradients at every step."""

import argparse
import sys
import time

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits

STEPS, BATCH, RATE = 40, 32, 0.3


def epochs() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--epochs", type=int, default=10)
    told, unknown = options.parse_known_args()
    if unknown:
        print("not known here:", *unknown, file=sys.stderr, flush=True)
    return told.epochs


def main() -> None:
    count = epochs()
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    replicas = strategy.num_replicas_in_sync
    rank = strategy.cluster_resolver.task_id or 0
    print(f"worker {rank}: {replicas} replicas in sync", flush=True)
    images, labels = load_digits(return_X_y=True)
    images, labels = (images / 16).astype("float32"), labels.astype("int32")

    with strategy.scope():
        first = tf.Variable(tf.random.stateless_normal((64, 64), (1, 2)) * 0.15)
        first_bias = tf.Variable(tf.zeros(64))
        second = tf.Variable(tf.random.stateless_normal((64, 10), (3, 4)) * 0.15)
        second_bias = tf.Variable(tf.zeros(10))
    variables = [first, first_bias, second, second_bias]

    def scores(batch: tf.Tensor) -> tf.Tensor:
        return tf.nn.relu(batch @ first + first_bias) @ second + second_bias

    def one_replica(batch: tf.Tensor, wanted: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(wanted, scores(batch))
            loss = tf.reduce_mean(losses)
        slopes = tape.gradient(loss, variables)
        slopes = tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.MEAN, slopes)
        for variable, slope in zip(variables, slopes, strict=True):
            variable.assign_sub(RATE * slope)
        return loss

    @tf.function
    def step(iterator: tf.data.Iterator) -> tf.Tensor:
        losses = strategy.run(one_replica, args=next(iterator))
        return strategy.reduce(tf.distribute.ReduceOp.MEAN, losses, axis=None)

    def batches(context: tf.distribute.InputContext) -> tf.data.Dataset:
        whole = tf.data.Dataset.from_tensor_slices((images[:1500], labels[:1500]))
        return whole.shard(context.num_input_pipelines, context.input_pipeline_id).shuffle(1500).repeat().batch(BATCH)

    iterator = iter(strategy.distribute_datasets_from_function(batches))
    began = time.monotonic()
    for epoch in range(1, count + 1):
        losses = [step(iterator).numpy() for _ in range(STEPS)]
        print(f"worker {rank}: epoch {epoch} loss {np.mean(losses):.4f}", flush=True)
    found = np.argmax(scores(images[1500:]), axis=1)
    accuracy = np.mean(found == labels[1500:])
    print(f"worker {rank}: accuracy {accuracy:.3f} after {time.monotonic() - began:.1f} s", flush=True)


if __name__ == "__main__":
    main()
