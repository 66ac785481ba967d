"""Stands for the program of the image: workers meet their parameter server, and train until `/tmp/trained` is there."""

# ruff: noqa: T201 - its only output is the log of its pod

import contextlib
import json
import os
import signal
import socket
import time
from pathlib import Path

CONFIG = json.loads(os.environ["TF_CONFIG"])
CLUSTER, TASK = CONFIG["cluster"], CONFIG["task"]
PORT = 2222


def serve() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with socket.create_server(("", PORT)) as listener:
        while True:
            listener.accept()[0].close()


def meet(address: str) -> None:
    host, port = address.rsplit(":", 1)
    while True:
        with contextlib.suppress(OSError), socket.create_connection((host, int(port)), 5):
            return
        time.sleep(0.1)


if __name__ == "__main__":
    print(f"{TASK['type']} {TASK['index']} of", {role: len(members) for role, members in CLUSTER.items()}, flush=True)
    if TASK["type"] == "ps":
        serve()
    for server in CLUSTER["ps"]:
        meet(server)
        print("met", server, flush=True)
    while not Path("/tmp/trained").exists():
        time.sleep(0.1)
