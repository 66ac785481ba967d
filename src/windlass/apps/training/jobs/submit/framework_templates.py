"""The kind of job that `windlass run` creates for each framework: its replica types and their commands. Pure.

The controllers that run the jobs do not use these templates.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from windlass.apis.images import TORCH

Argv = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Size:
    """The number of workers, of parameter servers (`ps`) and of GPUs per worker."""

    workers: int
    ps: int = 0
    gpus: int = 0


@dataclass(frozen=True, kw_only=True)
class Role:
    """Replicas of one type. `command` is None to use that of the image or the operator."""

    count: int
    command: Argv | None
    gpus: bool = True
    """Whether they use the requested GPUs."""


@dataclass(frozen=True, kw_only=True)
class FrameworkTemplate:
    kind: str
    container: str
    image: str
    specs: str
    """The field of the spec that holds the replica types."""
    roles: Callable[[Size, Argv], dict[str, Role]]
    """The replica types, from the size and the arguments of `python3`."""
    api_version: str = "kubeflow.org/v1"
    more: Callable[[Size], dict[str, object]] = field(default=lambda size: {})
    """Further fields of the spec."""
    clean: Callable[[Size], str] = field(default=lambda size: "None")
    """The cleanPodPolicy: Running if some replicas never exit by themselves."""
    env: Callable[[str, Size], list[dict[str, object]]] = field(default=lambda name, size: [])
    """Variables for every replica, from the job's name and size, in addition to the operator's."""
    gpu_image: str = ""
    modules: tuple[str, ...] = ()
    """Modules that every image of the framework has."""


def python(words: Argv) -> Argv:
    return ("python3", *words)


def _master_and_workers(command: Callable[[Size, Argv], Argv]) -> Callable[[Size, Argv], dict[str, Role]]:
    def roles(size: Size, words: Argv) -> dict[str, Role]:
        run = command(size, words)
        found = {"Master": Role(count=1, command=run)}
        if size.workers > 1:
            found["Worker"] = Role(count=size.workers - 1, command=run)
        return found

    return roles


def _workers(command: Callable[[Argv], Argv]) -> Callable[[Size, Argv], dict[str, Role]]:
    return lambda size, words: {"Worker": Role(count=size.workers, command=command(words))}


def _torch(size: Size, words: Argv) -> Argv:
    """torchrun reads its rendezvous from the environment; a single process needs none."""
    return ("torchrun", *words) if size.workers > 1 or size.gpus > 1 else python(words)


def _tensorflow(size: Size, words: Argv) -> dict[str, Role]:
    """With parameter servers a chief coordinates, as ParameterServerStrategy requires; else all workers are equal."""
    run = python(words)
    workers = {"Worker": Role(count=size.workers, command=run)}
    if not size.ps:
        return workers
    return {
        "Chief": Role(count=1, command=run, gpus=False),
        "PS": Role(count=size.ps, command=run, gpus=False),
        **workers,
    }


def _mpi(size: Size, words: Argv) -> dict[str, Role]:
    ranks = size.workers * max(1, size.gpus)
    launch = ("mpirun", "--allow-run-as-root", "-np", str(ranks), *python(words))
    return {"Launcher": Role(count=1, command=launch, gpus=False), "Worker": Role(count=size.workers, command=None)}


def _mxnet(size: Size, words: Argv) -> dict[str, Role]:
    run = python(words)
    return {
        "Scheduler": Role(count=1, command=run, gpus=False),
        "Server": Role(count=max(1, size.ps), command=run, gpus=False),
        "Worker": Role(count=size.workers, command=run),
    }


def _ranks(name: str, size: Size) -> list[dict[str, object]]:
    """Rank, world size and address of the first worker, in the variables that most programs read."""
    index = {"fieldRef": {"fieldPath": "metadata.labels['training.kubeflow.org/replica-index']"}}
    return [
        {"name": "RANK", "valueFrom": index},
        {"name": "WORLD_SIZE", "value": str(size.workers)},
        {"name": "MASTER_ADDR", "value": f"{name}-worker-0"},
        {"name": "MASTER_PORT", "value": "2222"},
    ]


FRAMEWORK_TEMPLATES: dict[str, FrameworkTemplate] = {
    "pytorch": FrameworkTemplate(
        kind="PyTorchJob",
        container="pytorch",
        image=TORCH,
        modules=("torch",),
        specs="pytorchReplicaSpecs",
        roles=_master_and_workers(_torch),
        more=lambda size: {"nprocPerNode": str(max(1, size.gpus))},
    ),
    "tensorflow": FrameworkTemplate(
        kind="TFJob",
        container="tensorflow",
        image="tensorflow/tensorflow:2.20.0",
        gpu_image="tensorflow/tensorflow:2.20.0-gpu",
        modules=("tensorflow", "keras"),
        specs="tfReplicaSpecs",
        roles=_tensorflow,
        more=lambda size: {} if size.ps else {"successPolicy": "AllWorkers"},
        clean=lambda size: "Running" if size.ps else "None",
    ),
    "xgboost": FrameworkTemplate(
        kind="XGBoostJob",
        container="xgboost",
        image="kubeflow/xgboost-dist-iris:latest",
        modules=("xgboost",),
        specs="xgbReplicaSpecs",
        roles=_master_and_workers(lambda size, words: python(words)),
    ),
    "mpi": FrameworkTemplate(
        kind="MPIJob",
        api_version="kubeflow.org/v2beta1",
        container="mpi",
        image="mpioperator/mpi-pi:openmpi",
        modules=("mpi4py",),
        specs="mpiReplicaSpecs",
        roles=_mpi,
        more=lambda size: {"slotsPerWorker": max(1, size.gpus)},
        clean=lambda size: "Running",
    ),
    "jax": FrameworkTemplate(
        kind="JAXJob",
        container="jax",
        image="ghcr.io/kubeflow/training-v1/jaxjob-simple:latest",
        modules=("jax",),
        specs="jaxReplicaSpecs",
        roles=_workers(python),
    ),
    "paddle": FrameworkTemplate(
        kind="PaddleJob",
        container="paddle",
        image="paddlepaddle/paddle:3.0.0",
        modules=("paddle",),
        specs="paddleReplicaSpecs",
        roles=_workers(lambda words: ("python3", "-m", "paddle.distributed.launch", *words)),
    ),
    "mxnet": FrameworkTemplate(
        kind="MXJob",
        container="mxnet",
        image="mxnet/python:1.9.1",
        modules=("mxnet",),
        specs="mxReplicaSpecs",
        roles=_mxnet,
        more=lambda size: {"jobMode": "MXTrain"},
        clean=lambda size: "Running",
    ),
    "python": FrameworkTemplate(
        kind="TFJob",
        container="tensorflow",
        image="python:3.11",
        specs="tfReplicaSpecs",
        roles=_workers(python),
        more=lambda size: {"successPolicy": "AllWorkers"},
        env=_ranks,
    ),
}
"""`python` is for scripts without a framework.

A TFJob is the only kind whose workers are all equal in every version of the operator, and which is done when all are
done.
"""
