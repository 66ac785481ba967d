"""Handwritten digits with MXNet: workers pull weights from servers and push gradients, and a scheduler knows them all.

MXNet reads its part from DMLC_*. In a scheduler and in a server the import itself serves until the workers are done.
"""

import json
import os
import socket
import time

import numpy as np

PATIENCE = 300
"""Seconds for the scheduler to come: its node may still be getting the image."""


def address_of(name: str) -> str:
    """MXNet wants an address; the name of a pod is known when it is ready."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return socket.gethostbyname(name)
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.5)


os.environ["DMLC_NODE_HOST"] = address_of(socket.gethostname())
os.environ["DMLC_PS_ROOT_URI"] = address_of(os.environ["DMLC_PS_ROOT_URI"])
task = json.loads(os.environ["MX_CONFIG"])["task"]
print(f"{task['type']} {task['index']} with the scheduler at {os.environ['DMLC_PS_ROOT_URI']}", flush=True)

import mxnet as mx  # noqa: E402 - it reads the variables
from sklearn.datasets import load_digits  # noqa: E402

EPOCHS = int(os.environ.get("EPOCHS", "10"))
BATCH, RATE = 50, 0.5


def main() -> None:
    store = mx.kv.create("dist_sync")
    pixels, labels = load_digits(return_X_y=True)
    images = np.hstack([pixels / 16, np.ones((len(pixels), 1))]).astype("float32")
    mine, wanted = images[:1500][store.rank :: store.num_workers], labels[:1500][store.rank :: store.num_workers]
    store.init("weights", mx.nd.zeros((65, 10)))
    store.set_optimizer(mx.optimizer.SGD(learning_rate=RATE / BATCH / store.num_workers))
    weights = mx.nd.zeros((65, 10))
    weights.attach_grad()
    steps = 1500 // store.num_workers // BATCH
    for epoch in range(1, EPOCHS + 1):
        total = 0.0
        for step in range(steps):
            store.pull("weights", out=weights)
            batch = slice(step * BATCH, (step + 1) * BATCH)
            with mx.autograd.record():
                chances = mx.nd.log_softmax(mx.nd.dot(mx.nd.array(mine[batch]), weights))
                loss = -mx.nd.pick(chances, mx.nd.array(wanted[batch])).sum()
            loss.backward()
            store.push("weights", weights.grad)
            total += loss.asscalar() / BATCH
        print(f"worker {store.rank} of {store.num_workers}: epoch {epoch} loss {total / steps:.4f}", flush=True)
    store.pull("weights", out=weights)
    found = (images[1500:] @ weights.asnumpy()).argmax(axis=1)
    print(f"worker {store.rank}: accuracy {np.mean(found == labels[1500:]):.3f}", flush=True)


if __name__ == "__main__":
    main()
