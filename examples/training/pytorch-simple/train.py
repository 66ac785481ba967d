"""Handwritten digits with DistributedDataParallel over gloo: with plain `python` or with `torchrun`, on any number."""

import argparse
import sys
import time

import torch
import torch.distributed as dist
from sklearn.datasets import load_digits
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def epochs() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--epochs", type=int, default=10)
    told, unknown = options.parse_known_args()
    if unknown:
        print("not known here:", *unknown, file=sys.stderr, flush=True)
    return told.epochs


def main() -> None:
    count = epochs()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    ones = torch.ones(1)
    dist.all_reduce(ones)
    print(f"rank {rank} of {world}: the sum of ones is {ones.item():.0f}", flush=True)

    pixels, targets = load_digits(return_X_y=True)
    images, labels = torch.tensor(pixels / 16, dtype=torch.float32), torch.tensor(targets)
    training = TensorDataset(images[:1500], labels[:1500])
    sampler = DistributedSampler(training)
    batches = DataLoader(training, batch_size=32, sampler=sampler)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)

    began = time.monotonic()
    for epoch in range(1, count + 1):
        sampler.set_epoch(epoch)
        total = 0.0
        for image, label in batches:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(image), label)
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"rank {rank}: epoch {epoch} loss {total / len(batches):.4f}", flush=True)
    with torch.no_grad():
        accuracy = (model(images[1500:]).argmax(1) == labels[1500:]).float().mean().item()
    print(f"rank {rank}: accuracy {accuracy:.3f} after {time.monotonic() - began:.1f} s", flush=True)
    dist.monitored_barrier()  # rank 0 leaves last: others would lose their connections to it
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
