"""mpi_hello_world, by mpi4py: every rank greets, and rank 0 counts those that it heard of.

It is run by the system's Python, which has no mpi4py, and goes on in the one of the image.
"""

import os

PROGRAM = """
from mpi4py import MPI

world = MPI.COMM_WORLD
name = MPI.Get_processor_name()
print(f"Hello world from processor {name}, rank {world.rank} out of {world.size} processors", flush=True)
ranks = world.reduce(1, op=MPI.SUM, root=0)
if world.rank == 0:
    print(f"{ranks} ranks have met", flush=True)
"""

if __name__ == "__main__":
    os.execvp("python3", ["python3", "-c", PROGRAM])
