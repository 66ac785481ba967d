# pyright: reportMissingImports=false
"""Data-parallel training by hand: workers compute gradients, the first one averages them and sends them back."""

import os
import socket
import time

import digits
import numpy as np

worker, workers = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
place = (os.environ.get("MASTER_ADDR", "localhost"), int(os.environ.get("MASTER_PORT", 23456)))
images, labels, test_images, test_labels = digits.load()
variables = digits.weights()


def meet() -> list[socket.socket]:
    """The first worker's connections to all others, or another worker's connection to the first."""
    if worker > 0:
        while True:
            try:
                return [socket.create_connection(place)]
            except OSError:  # the first one is not there yet
                time.sleep(0.1)
    with socket.create_server(("", place[1])) as listener:
        return [listener.accept()[0] for _ in range(workers - 1)]


def mean_of_all(mine: np.ndarray) -> np.ndarray:
    if worker > 0:
        lines[0].sendall(mine.tobytes())
        return receive(lines[0], mine)
    total = mine.copy()
    for line in lines:
        total += receive(line, mine)
    total /= workers
    for line in lines:
        line.sendall(total.tobytes())
    return total


def receive(line: socket.socket, like: np.ndarray) -> np.ndarray:
    data = bytearray()
    while len(data) < like.nbytes:
        data += line.recv(like.nbytes - len(data))
    return np.frombuffer(bytes(data), like.dtype)


def step(inputs: np.ndarray, wanted: np.ndarray) -> float:
    first, first_bias, second, second_bias = variables
    hidden = np.maximum(inputs @ first + first_bias, 0)
    scores = hidden @ second + second_bias
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    loss = -np.log(chances[np.arange(len(wanted)), wanted]).mean()
    back = (chances - np.eye(10, dtype="float32")[wanted]) / len(wanted)
    back_hidden = (back @ second.T) * (hidden > 0)
    gradients = [inputs.T @ back_hidden, back_hidden.sum(axis=0), hidden.T @ back, back.sum(axis=0)]
    flat = mean_of_all(np.concatenate([one.ravel() for one in gradients]).astype("float32"))
    at = 0
    for variable in variables:
        variable -= digits.RATE * flat[at : at + variable.size].reshape(variable.shape)
        at += variable.size
    return float(loss)


lines = meet()
for epoch in range(1, digits.EPOCHS + 1):
    losses = [step(images[batch], labels[batch]) for batch in digits.batches(len(images), worker, workers, epoch)]
    digits.report_epoch(epoch, sum(losses) / len(losses))
if worker == 0:
    first, first_bias, second, second_bias = variables
    answers = (np.maximum(test_images @ first + first_bias, 0) @ second + second_bias).argmax(axis=1)
    digits.report_result(float((answers == test_labels).mean()), workers)
