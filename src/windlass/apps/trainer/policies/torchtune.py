"""TorchTune: the recipe and configuration of a job, passed to `tune run` as arguments."""

from collections.abc import Sequence

from windlass.apps.trainer.blueprint import Blueprint, gpus
from windlass.apps.trainer.kinds import RuntimeSpec, TrainJob
from windlass.apps.trainer.names import NODE, PORT, TRAINER
from windlass.apps.trainer.templates import containers_of, step_of
from windlass.kube.json import Object, dig_list

ENTRYPOINT = ["tune", "run"]
FIXED = frozenset(("output_dir", "tokenizer.path", "checkpointer.checkpoint_dir", "tokenizer.merges_file"))
"""Settings that only the runtime may set."""
LORA, QUANTIZED, DORA = "model.lora_attn_modules", "model.quantize_base", "model.use_dora"


def is_asked_for(job: TrainJob) -> bool:
    return job.spec.trainer is not None and job.spec.trainer.command == ENTRYPOINT


def amend(plan: Blueprint, processes: str) -> None:
    """Set the nodes' command from the job's `tune run` arguments and the runtime's fixed settings."""
    node, trainer = plan.node, plan.job.spec.trainer
    if node is None or trainer is None:
        return
    count = gpus(plan.resources)
    recipe, config = recipe_and_config(
        model_of(plan.job.spec.runtime_ref.name), plan.num_nodes, is_alone(processes, count), trainer.args or ()
    )
    rendezvous = [f"--rdzv_endpoint={plan.first_node}:{PORT}"]
    given = [word for word in _command_of(plan.runtime) if word.split("=")[0] in FIXED]
    together = plan.num_nodes > 1 or not is_alone(processes, count)
    node["command"] = [*ENTRYPOINT, *(rendezvous if together else ()), recipe, "--config", config, *given]


def _command_of(runtime: RuntimeSpec) -> list[str]:
    """The command of the nodes in the runtime."""
    replicated: list[Object] = [{"template": one.template} for one in runtime.template.spec.replicated_jobs]
    nodes = [containers_of(one).get(NODE) for one in replicated if step_of(one) == TRAINER]
    return [str(word) for node in nodes for word in dig_list(node, "command")]


def is_alone(processes: str, gpu_count: int) -> bool:
    """Whether a node runs a single process."""
    return processes == "1" or gpu_count == 1


def recipe_and_config(model: str, nodes: int, alone: bool, args: Sequence[str]) -> tuple[str, str]:
    """TorchTune's recipe and the configuration of the model for it."""
    lora = any(LORA in one for one in args)
    quantized = any(QUANTIZED in one for one in args) and not any(DORA in one for one in args)
    if nodes > 1:
        return "full_finetune_distributed", f"{model}_full_multinode"
    device = "single_device" if alone else "distributed"
    suffix = "_single_device" if alone else ""
    if quantized:
        return f"lora_finetune_{device}", f"{model}_qlora{suffix}"
    if lora:
        return f"lora_finetune_{device}", f"{model}_lora{suffix}"
    return f"full_finetune_{device}", f"{model}_full{suffix}"


def model_of(runtime: str) -> str:
    """The model of a runtime name: `torchtune-llama3.2-1b` is llama3_2/1B; empty if the name has no model."""
    parts = runtime.split("-")
    return f"{parts[1].replace('.', '_')}/{parts[2].upper()}" if len(parts) == 3 else ""
