"""Pi by throwing darts: each rank throws its own, and rank 0 tells what all of them hit."""

import numpy as np
from mpi4py import MPI

DARTS = 1_000_000

world = MPI.COMM_WORLD
x, y = np.random.default_rng(world.rank).random((2, DARTS))
hits = int((x**2 + y**2 <= 1).sum())
total = world.reduce(hits)
print(f"rank {world.rank} of {world.size} on {MPI.Get_processor_name()}: {hits} of {DARTS} hit", flush=True)
if total is not None:
    print(f"pi is approximately {4 * total / (DARTS * world.size):.4f}", flush=True)
