# pyright: reportMissingImports=false
# ruff: noqa: T201
"""The handwritten digits that are part of scikit-learn (nothing is downloaded), split between workers."""

import numpy as np
from sklearn.datasets import load_digits

BATCH, EPOCHS, HIDDEN, RATE = 32, 15, 64, 0.2


def load() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Training images and labels, then test images and labels: the same for every worker."""
    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(images))
    images, labels = images[order].astype("float32") / 16, labels[order]
    return images[:1440], labels[:1440], images[1440:], labels[1440:]


def batches(count: int, worker: int, workers: int, epoch: int) -> list[np.ndarray]:
    """This worker's batches of an epoch, as indices: every worker has the same number, and they do not overlap."""
    order = np.random.default_rng(epoch).permutation(count)
    whole = count // (BATCH * workers) * BATCH * workers
    return list(order[:whole].reshape(-1, workers, BATCH)[:, worker])


def weights() -> list[np.ndarray]:
    """The initial weights of all workers: a network with one hidden layer."""
    rng = np.random.default_rng(1)
    first = rng.normal(0, 0.2, (64, HIDDEN))
    second = rng.normal(0, 0.2, (HIDDEN, 10))
    return [one.astype("float32") for one in (first, np.zeros(HIDDEN), second, np.zeros(10))]


def report_epoch(epoch: int, loss: float) -> None:
    print(f"epoch {epoch}/{EPOCHS} loss {loss:.4f}", flush=True)


def report_result(accuracy: float, workers: int) -> None:
    print(f"accuracy {accuracy:.4f} on unseen digits, with {workers} worker(s)", flush=True)
