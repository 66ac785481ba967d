"""The built-in ClusterTrainingRuntimes, with the names and images of Kubeflow Trainer.

They include every default, so that a server stores them unchanged.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from windlass.apis.images import JAX, TORCH, TRAINER_REPOSITORY
from windlass.apis.wellknown import NVIDIA_GPU
from windlass.apps.trainer.kinds import GROUP, GROUP_VERSION
from windlass.apps.trainer.names import (
    ANCESTOR,
    DATASET,
    INITIALIZER_VOLUME,
    LAUNCHER,
    MODEL,
    NODE,
    STORAGE_URI,
    TRAINER,
)
from windlass.apps.trainer.public import TRAINER_VERSION
from windlass.kube.json import Object

FRAMEWORK = f"{GROUP}/framework"
"""Label of a runtime; clients ignore runtimes without it."""
_WORKSPACE = "/workspace"
_MPI_USER, _MPI_HOME, _SSH_PORT = 1000, "/home/mpiuser", 2222


def runtimes() -> list[Object]:
    """Return all runtimes, ready to create."""
    return [
        _plain("torch-distributed", "torch", TORCH),
        _plain("jax-distributed", "jax", JAX),
        _plain("xgboost-distributed", "xgboost", _ours("xgboost-runtime")),
        _by_mpi("deepspeed-distributed", "deepspeed", _ours("deepspeed-runtime"), group=True),
        _by_mpi("mlx-distributed", "mlx", _ours("mlx-runtime")),
        *(_fine_tuning(model) for model in _MODELS),
    ]


def _ours(image: str) -> str:
    return f"{TRAINER_REPOSITORY}/{image}:{TRAINER_VERSION}"


def _runtime(name: str, framework: str, policy: Object, template: Object) -> Object:
    return {
        "apiVersion": GROUP_VERSION,
        "kind": "ClusterTrainingRuntime",
        "metadata": {"name": name, "labels": {FRAMEWORK: framework}},
        "spec": {"mlPolicy": {"numNodes": 1, **policy}, "template": {"spec": template}},
    }


def _replicated(name: str, step: str, pod: Object, depends_on: Sequence[tuple[str, str]] = ()) -> Object:
    template: Object = {"spec": {"template": {"spec": pod}}}
    if step:
        template = {"metadata": {"labels": {ANCESTOR: step}}, **template}
    made: Object = {"name": name, "groupName": "default", "replicas": 1, "template": template}
    if depends_on:
        made["dependsOn"] = [{"name": other, "status": status} for other, status in depends_on]
    return made


# --- one job of equal nodes


def _plain(name: str, policy: str, image: str) -> Object:
    node = _replicated(NODE, TRAINER, {"containers": [{"name": NODE, "image": image}]})
    return _runtime(name, policy, {policy: {}}, {"replicatedJobs": [node]})


# --- a launcher, and nodes that it reaches by ssh


def _by_mpi(name: str, framework: str, image: str, *, group: bool = False) -> Object:
    """Build an MPI runtime. With `group`, files belong to the user's group too, which DeepSpeed's image needs."""
    policy: Object = {
        "mpi": {
            "numProcPerNode": 1,
            "mpiImplementation": "OpenMPI",
            "sshAuthMountPath": f"{_MPI_HOME}/.ssh",
            "runLauncherAsNode": True,
        }
    }
    user = {"runAsUser": _MPI_USER, **({"runAsGroup": _MPI_USER} if group else {})}
    container: Object = {"name": NODE, "image": image, "securityContext": user}
    listening: Object = {
        "command": ["/usr/sbin/sshd"],
        "args": ["-De", "-f", f"{_MPI_HOME}/.sshd_config"],
        "readinessProbe": {"tcpSocket": {"port": _SSH_PORT}, "initialDelaySeconds": 5},
    }
    pod: Object = {"securityContext": {"fsGroup": _MPI_USER}} if group else {}
    nodes = _replicated(NODE, "", {**pod, "containers": [{**container, **listening}]})
    launcher = _replicated(LAUNCHER, TRAINER, {**pod, "containers": [container]}, [(NODE, "Ready")])
    template: Object = {
        "network": {"publishNotReadyAddresses": True},
        "successPolicy": {"operator": "All", "targetReplicatedJobs": [LAUNCHER]},
        "replicatedJobs": [nodes, launcher],
    }
    return _runtime(name, framework, policy, template)


# --- data and a model, and then torchtune


@dataclass(frozen=True, kw_only=True)
class _Model:
    """A model with a torchtune recipe. `tokenizer` maps torchtune's settings to files in the model's folder."""

    name: str
    config: str
    source: str
    tokenizer: tuple[tuple[str, str], ...]


_LLAMA_TOKENIZER = (("tokenizer.path", "original/tokenizer.model"),)
_MODELS = (
    _Model(
        name="llama3.2-1b",
        config="llama3_2/1B_full",
        source="hf://meta-llama/Llama-3.2-1B-Instruct",
        tokenizer=_LLAMA_TOKENIZER,
    ),
    _Model(
        name="llama3.2-3b",
        config="llama3_2/3B_full",
        source="hf://meta-llama/Llama-3.2-3B-Instruct",
        tokenizer=_LLAMA_TOKENIZER,
    ),
    _Model(
        name="qwen2.5-1.5b",
        config="qwen2_5/1.5B_full",
        source="hf://Qwen/Qwen2.5-1.5B-Instruct",
        tokenizer=(("tokenizer.path", "vocab.json"), ("tokenizer.merges_file", "merges.txt")),
    ),
)


def _fine_tuning(model: _Model) -> Object:
    claim: Object = {
        "metadata": {"name": INITIALIZER_VOLUME},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "20Gi"}}},
    }
    trainer = _with_workspace(NODE, _ours("torchtune-trainer"))
    trainer["command"] = list(_torchtune(model))
    trainer["resources"] = {"limits": {NVIDIA_GPU: 2}}
    template: Object = {
        "volumeClaimPolicies": [{"templates": [claim]}],
        "replicatedJobs": [
            _initializer(DATASET, "hf://tatsu-lab/alpaca"),
            _initializer(MODEL, model.source),
            _replicated(NODE, TRAINER, {"containers": [trainer]}, [(DATASET, "Complete"), (MODEL, "Complete")]),
        ],
    }
    return _runtime(f"torchtune-{model.name}", "torchtune", {"torch": {}}, template)


def _initializer(step: str, source: str) -> Object:
    container = _with_workspace(step, _ours(step))
    container["env"] = [{"name": STORAGE_URI, "value": source}]
    return _replicated(step, step, {"containers": [container]})


def _with_workspace(name: str, image: str) -> dict[str, Any]:
    return {
        "name": name,
        "image": image,
        "volumeMounts": [{"name": INITIALIZER_VOLUME, "mountPath": _WORKSPACE}],
    }


def _torchtune(model: _Model) -> Iterator[str]:
    yield from ("tune", "run", "--rdzv_endpoint=localhost:29500")
    yield from ("full_finetune_distributed", "--config", model.config)
    yield "dataset=torchtune.datasets.instruct_dataset"
    yield "dataset.source=parquet"
    yield f"dataset.data_dir={_WORKSPACE}/dataset/data"
    yield f"output_dir={_WORKSPACE}/output"
    for setting, file in model.tokenizer:
        yield f"{setting}={_WORKSPACE}/model/{file}"
    yield f"checkpointer.checkpoint_dir={_WORKSPACE}/model"
