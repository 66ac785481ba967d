"""What distinguishes one training framework from another: the environment of each node."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from windlass.apps.trainer.blueprint import Blueprint, put_env, put_port, set_count
from windlass.apps.trainer.kinds import MLPolicy
from windlass.kube.json import Object


@dataclass(frozen=True)
class Policy:
    """A source of `mlPolicy`; `amend` changes the blueprint of jobs whose runtime has it."""

    name: str
    """The field of `mlPolicy`; empty for the plain policy."""
    amend: Callable[[Blueprint], None]
    reserved: frozenset[str] = frozenset()
    """Variables that only the policy may set."""
    title: str = ""
    """Name of the policy in messages."""

    def is_of(self, policy: MLPolicy) -> bool:
        return bool(self.name) and getattr(policy, self.name) is not None


def set_node_environment(plan: Blueprint, variables: Sequence[Object]) -> None:
    """Set the variables and the port of the nodes' container; without `trainer` it stays as the runtime has it."""
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
"""The policy of a runtime that names none: independent nodes."""
