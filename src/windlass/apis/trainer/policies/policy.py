"""What makes one kind of training different from another: what each node must be told."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from windlass.apis.trainer.blueprint import Blueprint, put_env, put_port, set_count
from windlass.apis.trainer_v1alpha1 import MLPolicy
from windlass.kube.json import Object


@dataclass(frozen=True)
class Policy:
    """One source of `mlPolicy`; `amend` changes the blueprint of a job whose runtime has it."""

    name: str
    """The field of `mlPolicy`; empty where it has none."""
    amend: Callable[[Blueprint], None]
    reserved: frozenset[str] = frozenset()
    """Variables that are the policy's to set, so that no job may."""
    title: str = ""
    """What it is called in messages."""

    def is_of(self, policy: MLPolicy) -> bool:
        return bool(self.name) and getattr(policy, self.name) is not None


def tell_nodes(plan: Blueprint, variables: Sequence[Object]) -> None:
    """The nodes' container gets the variables and its port; without `trainer` it is left as the runtime has it."""
    count_nodes(plan)
    node = plan.node
    if plan.job.spec.trainer is not None and node is not None:
        put_env(node, variables)
        put_port(node)


def count_nodes(plan: Blueprint) -> None:
    trainer = plan.trainer
    if trainer is not None:
        trainer["replicas"] = 1
        set_count(trainer, plan.num_nodes)


PLAIN = Policy("", count_nodes)
"""Of a runtime that names none: nodes that know nothing of each other."""
