"""Stands for the programs inside the images of the seed documents: the replicas of a job find each other.

Parameter servers, and the first of PyTorch's processes, answer whoever asks; the others ask all of them.
"""

# ruff: noqa: T201 - its only output is the log of its pod

import contextlib
import json
import os
import socket
import time


def serve(port: int, name: str, times: int) -> None:
    with socket.create_server(("", port)) as listener:
        for _ in range(times):
            caller, _ = listener.accept()
            with caller:
                caller.sendall(name.encode())


def ask(address: str) -> str:
    host, port = address.rsplit(":", 1)
    while True:
        with contextlib.suppress(OSError), socket.create_connection((host, int(port)), 5) as connection:
            return connection.recv(100).decode()
        time.sleep(0.1)


def tensorflow(cluster: dict[str, list[str]], task: dict[str, str]) -> None:
    me = f"{task['type']} {task['index']}"
    if task["type"] == "ps":
        serve(int(cluster["ps"][int(task["index"])].rsplit(":", 1)[1]), me, 1_000_000)
    print(f"{me} trained with {', '.join(ask(address) for address in cluster['ps'])}", flush=True)


def pytorch(rank: int, size: int, address: str) -> None:
    if rank == 0:
        serve(int(address.rsplit(":", 1)[1]), "rank 0", size - 1)
        print(f"trained with {size - 1} others", flush=True)
    else:
        print(f"rank {rank} trained with {ask(address)}", flush=True)


if "TF_CONFIG" in os.environ:
    found = json.loads(os.environ["TF_CONFIG"])
    tensorflow(found["cluster"], found["task"])
else:
    told = os.environ
    pytorch(int(told["RANK"]), int(told["WORLD_SIZE"]), f"{told['MASTER_ADDR']}:{told['MASTER_PORT']}")
