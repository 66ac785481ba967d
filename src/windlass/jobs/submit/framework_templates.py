"""What a script becomes for each framework: the kind, its roles and who runs what. Decides only.

`windlass run` fills these in; the engine that runs the jobs does not know of them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

Words = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much of it: `workers` do the work; `ps` are TensorFlow's parameter servers."""

    workers: int
    ps: int = 0
    gpus: int = 0


@dataclass(frozen=True, kw_only=True)
class Role:
    """Some equal replicas. `command` None: the one of the image or of the operator runs."""

    count: int
    command: Words | None
    gpus: bool = True
    """Whether they use the GPUs that were asked for."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    kind: str
    container: str
    image: str
    specs: str
    """The field of the spec that holds the roles."""
    roles: Callable[[Size, Words], dict[str, Role]]
    """From the size and the words after `python3`, by replica type."""
    api_version: str = "kubeflow.org/v1"
    more: Callable[[Size], dict[str, object]] = field(default=lambda size: {})
    """Further fields of the spec."""
    clean: Callable[[Size], str] = field(default=lambda size: "None")
    """The cleanPodPolicy: Running where some replicas never end by themselves."""
    env: Callable[[str, Size], list[dict[str, object]]] = field(default=lambda name, size: [])
    """Variables for every replica, from the job's name and size, beside those that the operator gives."""
    gpu_image: str = ""
    modules: tuple[str, ...] = ()
    """Modules that every image of the framework has."""


def python(words: Words) -> Words:
    return ("python3", *words)


def _master_and_workers(command: Callable[[Size, Words], Words]) -> Callable[[Size, Words], dict[str, Role]]:
    def roles(size: Size, words: Words) -> dict[str, Role]:
        run = command(size, words)
        found = {"Master": Role(count=1, command=run)}
        if size.workers > 1:
            found["Worker"] = Role(count=size.workers - 1, command=run)
        return found

    return roles


def _workers(command: Callable[[Words], Words]) -> Callable[[Size, Words], dict[str, Role]]:
    return lambda size, words: {"Worker": Role(count=size.workers, command=command(words))}


def _torch(size: Size, words: Words) -> Words:
    """torchrun reads where to meet from the environment; a lone process needs no one to meet."""
    return ("torchrun", *words) if size.workers > 1 or size.gpus > 1 else python(words)


def _tensorflow(size: Size, words: Words) -> dict[str, Role]:
    """With parameter servers a chief coordinates, as ParameterServerStrategy has it; without, all workers are equal."""
    run = python(words)
    workers = {"Worker": Role(count=size.workers, command=run)}
    if not size.ps:
        return workers
    return {
        "Chief": Role(count=1, command=run, gpus=False),
        "PS": Role(count=size.ps, command=run, gpus=False),
        **workers,
    }


def _mpi(size: Size, words: Words) -> dict[str, Role]:
    ranks = size.workers * max(1, size.gpus)
    launch = ("mpirun", "--allow-run-as-root", "-np", str(ranks), *python(words))
    return {"Launcher": Role(count=1, command=launch, gpus=False), "Worker": Role(count=size.workers, command=None)}


def _mxnet(size: Size, words: Words) -> dict[str, Role]:
    run = python(words)
    return {
        "Scheduler": Role(count=1, command=run, gpus=False),
        "Server": Role(count=max(1, size.ps), command=run, gpus=False),
        "Worker": Role(count=size.workers, command=run),
    }


def _ranks(name: str, size: Size) -> list[dict[str, object]]:
    """Who one is, how many there are and where the first one is, in the words that most programs read."""
    index = {"fieldRef": {"fieldPath": "metadata.labels['training.kubeflow.org/replica-index']"}}
    return [
        {"name": "RANK", "valueFrom": index},
        {"name": "WORLD_SIZE", "value": str(size.workers)},
        {"name": "MASTER_ADDR", "value": f"{name}-worker-0"},
        {"name": "MASTER_PORT", "value": "2222"},
    ]


SHAPES: dict[str, Shape] = {
    "pytorch": Shape(
        kind="PyTorchJob",
        container="pytorch",
        image="pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime",
        modules=("torch",),
        specs="pytorchReplicaSpecs",
        roles=_master_and_workers(_torch),
        more=lambda size: {"nprocPerNode": str(max(1, size.gpus))},
    ),
    "tensorflow": Shape(
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
    "xgboost": Shape(
        kind="XGBoostJob",
        container="xgboost",
        image="kubeflow/xgboost-dist-iris:latest",
        modules=("xgboost",),
        specs="xgbReplicaSpecs",
        roles=_master_and_workers(lambda size, words: python(words)),
    ),
    "mpi": Shape(
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
    "jax": Shape(
        kind="JAXJob",
        container="jax",
        image="ghcr.io/kubeflow/training-v1/jaxjob-simple:latest",
        modules=("jax",),
        specs="jaxReplicaSpecs",
        roles=_workers(python),
    ),
    "paddle": Shape(
        kind="PaddleJob",
        container="paddle",
        image="paddlepaddle/paddle:3.0.0",
        modules=("paddle",),
        specs="paddleReplicaSpecs",
        roles=_workers(lambda words: ("python3", "-m", "paddle.distributed.launch", *words)),
    ),
    "mxnet": Shape(
        kind="MXJob",
        container="mxnet",
        image="mxnet/python:1.9.1",
        modules=("mxnet",),
        specs="mxReplicaSpecs",
        roles=_mxnet,
        more=lambda size: {"jobMode": "MXTrain"},
        clean=lambda size: "Running",
    ),
    "python": Shape(
        kind="TFJob",
        container="tensorflow",
        image="python:3.11",
        specs="tfReplicaSpecs",
        roles=_workers(python),
        more=lambda size: {"successPolicy": "AllWorkers"},
        env=_ranks,
    ),
}
"""`python` is for scripts of no framework: of all kinds, a TFJob has nothing but equal workers on every version of the
operator, and is done when all of them are."""
