"""jax.distributed: where the coordinator is, how many processes there are, and the number of each."""

from windlass.apis.trainer.blueprint import Blueprint, node_index
from windlass.apis.trainer.names import PORT
from windlass.apis.trainer.policies.policy import Policy, tell_nodes
from windlass.apis.training.framework import variable

PROCESSES, PROCESS, COORDINATOR = "JAX_NUM_PROCESSES", "JAX_PROCESS_ID", "JAX_COORDINATOR_ADDRESS"


def amend(plan: Blueprint) -> None:
    tell_nodes(
        plan,
        [
            variable(PROCESSES, plan.num_nodes),
            node_index(PROCESS),
            variable(COORDINATOR, f"{plan.first_node}:{PORT}"),
        ],
    )


POLICY = Policy("jax", amend, title="JAX")
