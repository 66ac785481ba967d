"""Handwritten digits by plain NumPy on every rank: Allreduce adds up their gradients, as Horovod would."""

import os

import numpy as np
from mpi4py import MPI
from sklearn.datasets import load_digits

EPOCHS = int(os.environ.get("EPOCHS", "20"))
BATCH, RATE = 30, 0.5


def main() -> None:
    world = MPI.COMM_WORLD
    ranks = world.allreduce(1)
    print(f"rank {world.rank} of {world.size} on {MPI.Get_processor_name()}: the sum of ones is {ranks}", flush=True)
    pixels, labels = load_digits(return_X_y=True)
    images = np.hstack([pixels / 16, np.ones((len(pixels), 1))])
    wanted = np.eye(10)[labels]
    weights = np.zeros((65, 10))
    mine, theirs = images[:1500][world.rank :: world.size], wanted[:1500][world.rank :: world.size]
    steps = 1500 // world.size // BATCH

    for epoch in range(1, EPOCHS + 1):
        total = 0.0
        for step in range(steps):
            batch = slice(step * BATCH, (step + 1) * BATCH)
            scores = mine[batch] @ weights
            chances = np.exp(scores - scores.max(axis=1, keepdims=True))
            chances /= chances.sum(axis=1, keepdims=True)
            total -= np.log((chances * theirs[batch]).sum(axis=1)).mean()
            slope = mine[batch].T @ (chances - theirs[batch]) / BATCH
            world.Allreduce(MPI.IN_PLACE, slope)
            weights -= RATE * slope / world.size
        loss = world.allreduce(total / steps) / world.size
        if world.rank == 0:
            print(f"epoch {epoch} loss {loss:.4f}", flush=True)
    if world.rank == 0:
        accuracy = np.mean((images[1500:] @ weights).argmax(axis=1) == labels[1500:])
        print(f"accuracy {accuracy:.3f}", flush=True)


if __name__ == "__main__":
    main()
