"""Kinds of iris by trees that are grown on all replicas together: each has a part of the flowers.

Rank 0 also runs the tracker, by which they find each other.
"""

import os
import socket
import sys
import threading
import time

import numpy as np
import xgboost
from sklearn.datasets import load_iris
from xgboost import collective
from xgboost.tracker import RabitTracker

RANK, WORLD = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
ADDRESS, PORT = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
PATIENCE = 300
"""Seconds for the others to come: their nodes may still be getting the image."""


def track() -> None:
    here = socket.gethostbyname(socket.gethostname())
    tracker = RabitTracker(n_workers=WORLD, host_ip=here, port=PORT, sortby="task", timeout=PATIENCE)
    tracker.start()
    threading.Thread(target=tracker.wait_for, daemon=True).start()


def find_master() -> None:
    """Until its name is known; that it listens is for XGBoost to wait for."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            socket.gethostbyname(ADDRESS)
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.5)


def main() -> None:
    if sys.argv[1:]:
        print("not known here:", *sys.argv[1:], file=sys.stderr, flush=True)
    if RANK == 0:
        track()
    find_master()
    flowers, kinds = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(kinds))
    flowers, kinds = flowers[order], kinds[order]
    told = {"dmlc_tracker_uri": ADDRESS, "dmlc_tracker_port": PORT, "dmlc_task_id": str(RANK)}
    with collective.CommunicatorContext(**told, dmlc_retry=100, dmlc_timeout=PATIENCE):
        rank, world = collective.get_rank(), collective.get_world_size()
        print(f"rank {rank} of {world}: hears {collective.broadcast('hello from rank 0', 0)!r}", flush=True)
        mine = xgboost.DMatrix(flowers[:120][rank::world], kinds[:120][rank::world])
        options = {"objective": "multi:softmax", "num_class": 3, "nthread": 1, "max_depth": 3}
        history: dict[str, dict[str, list[float]]] = {}
        trees = xgboost.train(
            options, mine, num_boost_round=10, evals=[(mine, "train")], evals_result=history, verbose_eval=False
        )
    for number, loss in enumerate(history["train"]["mlogloss"], 1):
        print(f"rank {rank}: round {number} loss {loss:.4f}", flush=True)
    accuracy = np.mean(trees.predict(xgboost.DMatrix(flowers[120:])) == kinds[120:])
    print(f"rank {rank}: accuracy {accuracy:.3f}", flush=True)


if __name__ == "__main__":
    main()
