"""Does training under Windlass cost anything? The same two-worker script as a PyTorchJob, and by torchrun on the host.

They take turns, in the same environment, so that what else the machine does meets both.
"""

import asyncio
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

from benchmarks.node.parts import say
from benchmarks.node.platform import Platform
from windlass.apps.training.frameworks import BY_KIND
from windlass.kube.json import Object, dig_list
from windlass.kube.kind import KINDS
from windlass.kube.transport import Request
from windlass.kube.view import untyped

IMAGE = "pytorch/pytorch:2.13.0"
SCRIPT = """
import os, sys, time
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

torch.set_num_threads(1)
torch.manual_seed(0)
dist.init_process_group("gloo")
model = DistributedDataParallel(nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 10)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loss = nn.CrossEntropyLoss()
inputs, targets = torch.randn(128, 256), torch.randint(10, (128,))

def steps(count):
    for _ in range(count):
        optimizer.zero_grad()
        loss(model(inputs), targets).backward()
        optimizer.step()

steps(20)
dist.barrier()
began = time.perf_counter()
steps(int(os.environ["STEPS"]))
dist.barrier()
if dist.get_rank() == 0:
    print(f"rate {int(os.environ['STEPS']) / (time.perf_counter() - began):.3f}", flush=True)
dist.destroy_process_group()
"""


async def compare(platform: Platform, rounds: int, steps: int) -> None:
    """Steps per second of both, the medians and their ratio."""
    await platform.client.create(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "steps", "namespace": "default"},
            "data": {"main.py": SCRIPT},
        }
    )
    ours: list[float] = []
    plain: list[float] = []
    for number in range(rounds + 1):
        ours.append(await _as_a_job(platform, f"steps-{number}", steps))
        plain.append(await asyncio.to_thread(_by_hand, _environment(platform.folder), steps))
    here, there = statistics.median(ours[1:]), statistics.median(plain[1:])
    wanted = "≥ 0.97"
    say("2-worker PyTorch, steps per second", f"{here:.0f}/s", f"torchrun {there:.0f}/s", f"{here / there:.2f}", wanted)


def _environment(folder: Path) -> Path:
    """The folder of programs of the environment that the job ran in."""
    root = Path(os.environ.get("WINDLASS_IMAGES_DIR") or folder / "node" / "images")
    return next(root.glob("**/bin/torchrun")).parent


def _by_hand(programs: Path, steps: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "main.py")
        script.write_text(SCRIPT)
        environment = {**os.environ, "STEPS": str(steps), "OMP_NUM_THREADS": "1"}
        command = [
            str(programs / "python3"),
            "-m",
            "torch.distributed.run",
            "--standalone",
            "--nproc-per-node=2",
            str(script),
        ]
        done = subprocess.run(command, check=True, env=environment, capture_output=True, text=True)
    return _rate(done.stdout)


async def _as_a_job(platform: Platform, name: str, steps: int) -> float:
    container = {
        "name": "pytorch",
        "image": IMAGE,
        "command": ["python3", "/code/main.py"],
        "env": [{"name": "STEPS", "value": str(steps)}, {"name": "OMP_NUM_THREADS", "value": "1"}],
        "volumeMounts": [{"name": "code", "mountPath": "/code"}],
    }
    volumes = [{"name": "code", "configMap": {"name": "steps"}}]
    replica = {"replicas": 1, "template": {"spec": {"containers": [container], "volumes": volumes}}}
    await platform.client.create(
        {
            "apiVersion": "kubeflow.org/v1",
            "kind": "PyTorchJob",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"pytorchReplicaSpecs": {"Master": replica, "Worker": replica}},
        }
    )
    await _succeeded(platform, name)
    answer = await platform.client.send(
        Request("GET", f"/api/v1/namespaces/default/pods/{name}-master-0/log", {}, accept="*/*")
    )
    return _rate(answer.body.decode())


async def _succeeded(platform: Platform, name: str) -> None:
    kind = untyped(KINDS.of(BY_KIND["PyTorchJob"].kind))
    async for change in platform.client.watch(kind, "default", initial_events=True):
        if change.object is None or change.object["metadata"]["name"] != name:
            continue
        states: list[Object] = dig_list(change.object, "status", "conditions")
        if any(state["type"] == "Failed" for state in states):
            raise RuntimeError(states[-1]["message"])
        if any(state["type"] == "Succeeded" for state in states):
            return


def _rate(said: str) -> float:
    return next(float(line.split()[1]) for line in said.splitlines() if line.startswith("rate "))
