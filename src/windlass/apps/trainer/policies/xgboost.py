"""XGBoost: a tracker on the first node, and one worker per GPU, or one per node without GPUs."""

from windlass.apis.env_variables import variable
from windlass.apps.trainer.blueprint import Blueprint, gpus, node_index
from windlass.apps.trainer.names import PORT
from windlass.apps.trainer.policies.policy import Policy, set_node_environment

TRACKER, TRACKER_PORT, TASK, WORKERS = "DMLC_TRACKER_URI", "DMLC_TRACKER_PORT", "DMLC_TASK_ID", "DMLC_NUM_WORKER"


def amend(plan: Blueprint) -> None:
    workers = plan.num_nodes * max(1, gpus(plan.resources))
    set_node_environment(
        plan,
        [
            variable(TRACKER, plan.first_node),
            variable(TRACKER_PORT, PORT),
            node_index(TASK),
            variable(WORKERS, workers),
        ],
    )


POLICY = Policy("xgboost", amend, frozenset((TRACKER, TRACKER_PORT, TASK, WORKERS)), "XGBoost")
