# ruff: noqa: T201 - its log is what it is for
# pyright: reportMissingImports=false
"""Prints who takes part in an elastic job: each process of torchrun prints its rank, and an all-reduce counts them."""

import os
import socket

import torch
import torch.distributed as dist


def main() -> None:
    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    restarts = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
    print(f"rank {rank} of {size} on {socket.gethostname()}, restarted {restarts} times", flush=True)
    present = torch.ones(1)
    dist.all_reduce(present)
    print(f"rank {rank}: {int(present.item())} processes answered", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
