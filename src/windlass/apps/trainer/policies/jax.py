"""jax.distributed: the coordinator's address, the number of processes, and the index of each."""

from windlass.apis.env_variables import variable
from windlass.apps.trainer.blueprint import Blueprint, node_index
from windlass.apps.trainer.names import PORT
from windlass.apps.trainer.policies.policy import Policy, set_node_environment

PROCESSES, PROCESS, COORDINATOR = "JAX_NUM_PROCESSES", "JAX_PROCESS_ID", "JAX_COORDINATOR_ADDRESS"


def amend(plan: Blueprint) -> None:
    set_node_environment(
        plan,
        [
            variable(PROCESSES, plan.num_nodes),
            node_index(PROCESS),
            variable(COORDINATOR, f"{plan.first_node}:{PORT}"),
        ],
    )


POLICY = Policy("jax", amend, title="JAX")
