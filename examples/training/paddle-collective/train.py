"""Handwritten digits with Paddle's DataParallel over gloo, started by paddle.distributed.launch."""

import os

import numpy as np
import paddle
import paddle.distributed as dist
from paddle import nn
from sklearn.datasets import load_digits

EPOCHS = int(os.environ.get("EPOCHS", "10"))
BATCH = 32


def main() -> None:
    os.environ["PADDLE_DISTRI_BACKEND"] = "gloo"  # what it would choose for CPU by itself cannot do all_reduce
    paddle.set_device("cpu")
    paddle.seed(0)
    dist.init_parallel_env()
    rank, world = dist.get_rank(), dist.get_world_size()
    ones = paddle.ones([1])
    dist.all_reduce(ones)
    print(f"rank {rank} of {world}: the sum of ones is {ones.item():.0f}", flush=True)

    pixels, targets = load_digits(return_X_y=True)
    images, labels = (pixels / 16).astype("float32"), targets.astype("int64")
    mine, wanted = images[:1500][rank::world], labels[:1500][rank::world]
    model = paddle.DataParallel(nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)))
    optimizer = paddle.optimizer.Adam(learning_rate=0.005, parameters=model.parameters())
    steps = 1500 // world // BATCH
    for epoch in range(1, EPOCHS + 1):
        order = np.random.default_rng(epoch).permutation(len(mine))
        total = 0.0
        for step in range(steps):
            batch = order[step * BATCH : (step + 1) * BATCH]
            loss = nn.functional.cross_entropy(model(paddle.to_tensor(mine[batch])), paddle.to_tensor(wanted[batch]))
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            total += loss.item()
        print(f"rank {rank}: epoch {epoch} loss {total / steps:.4f}", flush=True)
    found = model(paddle.to_tensor(images[1500:])).numpy().argmax(axis=1)
    print(f"rank {rank}: accuracy {np.mean(found == labels[1500:]):.3f}", flush=True)


if __name__ == "__main__":
    main()
