"""PyTorch: torchrun reads its settings from `PET_` variables; TorchTune's `tune run` takes them as arguments."""

from collections.abc import Iterator

from windlass.apis.env_variables import variable
from windlass.apps.trainer.blueprint import Blueprint, container, cpus, gpus, node_index, put_env
from windlass.apps.trainer.names import PORT
from windlass.apps.trainer.policies import torchtune
from windlass.apps.trainer.policies.policy import Policy, set_node_environment
from windlass.kube.json import Object, dig_list, is_object

NODES, PROCESSES, RANK = "PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK"
MASTER, MASTER_PORT = "PET_MASTER_ADDR", "PET_MASTER_PORT"
AUTO = "auto"
"""Lets torchrun count the GPUs itself."""


def amend(plan: Blueprint) -> None:
    processes = processes_per_node(plan)
    variables = [variable(NODES, plan.num_nodes), variable(PROCESSES, processes), node_index(RANK)]
    if torchtune.is_asked_for(plan.job):
        set_node_environment(plan, variables)
        torchtune.amend(plan, processes)
    else:
        variables += [variable(MASTER, plan.first_node), variable(MASTER_PORT, PORT)]
        set_node_environment(plan, variables)
    if plan.job.spec.trainer is not None:
        for other in _others(plan):
            put_env(other, variables)


def processes_per_node(plan: Blueprint) -> str:
    """The number of processes per node: from the job, else one per GPU, else one per CPU."""
    trainer = plan.job.spec.trainer
    if trainer is not None and trainer.num_proc_per_node is not None:
        return str(trainer.num_proc_per_node)
    resources = plan.resources
    return AUTO if gpus(resources) else str(max(1, cpus(resources)))


def _others(plan: Blueprint) -> Iterator[Object]:
    """Further containers that get the variables, according to the runtime."""
    policy = plan.runtime.ml_policy
    torch = policy.torch if policy is not None else None
    for target in dig_list((torch.env_injection if torch is not None else None) or {}, "targets"):
        replicated = plan.replicated(str(target.get("jobName"))) if is_object(target) else None
        for name in dig_list(target, "containerNames") if replicated is not None else ():
            found = container(replicated, str(name)) if replicated is not None else None
            if found is not None:
                yield found


POLICY = Policy("torch", amend, frozenset((NODES, PROCESSES, RANK, MASTER, MASTER_PORT)), "Torch")
