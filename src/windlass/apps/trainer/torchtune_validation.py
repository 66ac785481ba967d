"""Validation of TorchTune jobs: combinations of model and settings that `tune run` does not support."""

from collections.abc import Iterator

from windlass.apps.trainer.blueprint import gpus
from windlass.apps.trainer.names import NODE, TRAINER
from windlass.apps.trainer.policies.torch import AUTO
from windlass.apps.trainer.policies.torchtune import FIXED, LORA, is_alone, model_of, recipe_and_config
from windlass.apps.trainer.templates import containers_of, jobs_of, step_of
from windlass.kube.errors import Cause, invalid
from windlass.kube.json import Object, dig, dig_list, dig_object

LLAMA_1B, LLAMA_3B, LLAMA_70B, QWEN = "llama3_2/1B", "llama3_2/3B", "llama3_3/70B", "qwen2_5/1.5B"
SUPPORTED = (LLAMA_1B, LLAMA_3B, LLAMA_70B, QWEN)
_REFERENCE, _NODES = "spec.runtimeRef.name", "spec.trainer.numNodes"


def torchtune_problems(job: Object, runtime: Object) -> Iterator[Cause]:
    name = str(dig(job, "spec", "runtimeRef", "name"))
    model, nodes = model_of(name), int(dig(job, "spec", "trainer", "numNodes") or 1)
    args = [str(arg) for arg in dig_list(job, "spec", "trainer", "args")]
    if model not in SUPPORTED:
        why = f"must have a supported pretrained model, invalid model configured: {model}"
        yield invalid(_REFERENCE, name, why)
    if nodes > 1 and model != LLAMA_70B:
        yield invalid(_NODES, nodes, f"must be 1 for {model} model")
    yield from _quantized(job, runtime, model, nodes, args)
    if nodes > 1 and any(LORA in arg for arg in args):
        yield invalid(_NODES, nodes, "LoRA fine-tuning is not supported for multi-node training in TorchTune")
    for at, arg in enumerate(args):
        setting = arg.split("=")[0]
        if setting in FIXED:
            why = f'must not set immutable config "{setting}" in trainer args; it is managed by the runtime'
            yield invalid(f"spec.trainer.args[{at}]", arg, why)


def _quantized(job: Object, runtime: Object, model: str, nodes: int, args: list[str]) -> Iterator[Cause]:
    asked = dig(job, "spec", "trainer", "numProcPerNode")
    processes = AUTO if asked is None else asked
    alone = is_alone(str(processes), gpus(_resources(job, runtime)))
    _, config = recipe_and_config(model, nodes, alone, args)
    if not config.startswith(f"{model}_qlora"):
        return
    if model == QWEN:
        yield invalid(
            _REFERENCE, str(dig(job, "spec", "runtimeRef", "name")), f"QLoRA is not supported for {model} model"
        )
    if not alone and model in (LLAMA_1B, LLAMA_3B):
        why = f"must be auto or 1 for {model} model when using QLoRA"
        yield invalid("spec.trainer.numProcPerNode", processes, why)
        why = f"must have gpu resource with value 1 for {model} model when using QLoRA"
        yield invalid("spec.trainer.resourcesPerNode", dig(job, "spec", "trainer", "resourcesPerNode"), why)


def _resources(job: Object, runtime: Object) -> Object:
    """The resources of each node, from the job or else from the runtime."""
    asked = dig_object(job, "spec", "trainer", "resourcesPerNode")
    if asked:
        return asked
    trainers = [one for one in jobs_of(runtime).values() if step_of(one) == TRAINER]
    nodes = [containers_of(one).get(NODE) for one in trainers]
    return dig_object(nodes[0] or {}, "resources") if nodes else {}
