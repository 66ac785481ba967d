"""mpi_hello_world with mpi4py: every rank prints a greeting, and rank 0 prints how many ranks took part.

The system's Python runs it, which has no mpi4py, and executes the image's Python.
"""

import os

PROGRAM = """
from mpi4py import MPI

world = MPI.COMM_WORLD
name = MPI.Get_processor_name()
print(f"Hello world from processor {name}, rank {world.rank} out of {world.size} processors", flush=True)
ranks = world.reduce(1, op=MPI.SUM, root=0)
if world.rank == 0:
    print(f"{ranks} ranks took part", flush=True)
"""

if __name__ == "__main__":
    os.execvp("python3", ["python3", "-c", PROGRAM])
