"""Handwritten digits under torchrun, by as many workers as there are: they may come and go while it trains.

When the number changes torchrun starts all processes anew. Each keeps what it knows in a file of its pod, and the one
that is furthest hands it to the others, so nothing but the epoch under way is lost.
"""

import os
import time
from pathlib import Path

import torch
import torch.distributed as dist
from sklearn.datasets import load_digits
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

EPOCHS = int(os.environ.get("EPOCHS", "20"))
PAUSE = float(os.environ.get("SECONDS_PER_EPOCH", "0"))
"""For those who want to watch workers come and go."""
CHECKPOINT = Path(os.environ.get("CHECKPOINT", "checkpoint.pt"))


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    begin = resume(model)
    print(f"rank {rank} of {world} begins after epoch {begin}", flush=True)

    pixels, targets = load_digits(return_X_y=True)
    images, labels = torch.tensor(pixels / 16, dtype=torch.float32), torch.tensor(targets)
    training = TensorDataset(images[:1500], labels[:1500])
    sampler = DistributedSampler(training)
    batches = DataLoader(training, batch_size=32, sampler=sampler)
    parallel = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(parallel.parameters(), lr=0.2)
    for epoch in range(begin + 1, EPOCHS + 1):
        sampler.set_epoch(epoch)
        for image, label in batches:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(parallel(image), label)
            loss.backward()
            optimizer.step()
        save(model, epoch)
        print(f"rank {rank} of {world}: epoch {epoch} loss {loss.item():.4f}", flush=True)
        time.sleep(PAUSE)
    with torch.no_grad():
        accuracy = (model(images[1500:]).argmax(1) == labels[1500:]).float().mean().item()
    print(f"rank {rank} of {world}: accuracy {accuracy:.3f}", flush=True)
    dist.destroy_process_group()


def resume(model: nn.Module) -> int:
    """The last epoch that any worker has finished, whose weights all of them have from now on."""
    mine = torch.zeros(1, dtype=torch.int64)
    if CHECKPOINT.exists():
        kept = torch.load(CHECKPOINT)
        mine[0] = kept["epoch"]
        model.load_state_dict(kept["model"])
    epochs = [torch.zeros_like(mine) for _ in range(dist.get_world_size())]
    dist.all_gather(epochs, mine)
    furthest = max(range(len(epochs)), key=lambda rank: int(epochs[rank]))
    for parameter in model.state_dict().values():
        dist.broadcast(parameter, furthest)
    return int(epochs[furthest])


def save(model: nn.Module, epoch: int) -> None:
    partial = CHECKPOINT.with_suffix(".partial")
    torch.save({"epoch": epoch, "model": model.state_dict()}, partial)
    partial.replace(CHECKPOINT)


if __name__ == "__main__":
    main()
