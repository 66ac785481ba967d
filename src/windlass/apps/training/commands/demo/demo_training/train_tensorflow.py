# pyright: reportMissingImports=false
"""MultiWorkerMirroredStrategy: each worker computes gradients on its own batches, and all apply their mean."""

import json
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")  # or each process begins with two long lines about it
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import digits
import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
workers = strategy.num_replicas_in_sync
worker = json.loads(os.environ.get("TF_CONFIG", "{}")).get("task", {}).get("index", 0)
images, labels, test_images, test_labels = digits.load()
with strategy.scope():
    variables = [tf.Variable(start) for start in digits.weights()]


def predict(inputs: tf.Tensor) -> tf.Tensor:
    first, first_bias, second, second_bias = variables
    return tf.nn.relu(inputs @ first + first_bias) @ second + second_bias


@tf.function
def step(inputs: tf.Tensor, wanted: tf.Tensor) -> tf.Tensor:
    def in_replica(inputs: tf.Tensor, wanted: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(wanted, predict(inputs)))
        context = tf.distribute.get_replica_context()
        gradients = context.all_reduce(tf.distribute.ReduceOp.MEAN, tape.gradient(loss, variables))
        for variable, gradient in zip(variables, gradients, strict=True):
            variable.assign_sub(digits.RATE * gradient)
        return loss

    return strategy.run(in_replica, (inputs, wanted))


for epoch in range(1, digits.EPOCHS + 1):
    losses = []
    for batch in digits.batches(len(images), worker, workers, epoch):
        losses.append(float(step(tf.constant(images[batch]), tf.constant(labels[batch]))))
    digits.report_epoch(epoch, sum(losses) / len(losses))
if worker == 0:
    right = tf.argmax(predict(tf.constant(test_images)), axis=1).numpy() == test_labels
    digits.report_result(float(right.mean()), workers)
