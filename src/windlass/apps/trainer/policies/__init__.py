"""The policies by which runtimes connect training nodes; `policy_for` returns the policy of a runtime."""

from windlass.apps.trainer.kinds import RuntimeSpec
from windlass.apps.trainer.policies import jax, mpi, torch, xgboost
from windlass.apps.trainer.policies.policy import PLAIN, Policy

POLICIES: tuple[Policy, ...] = (torch.POLICY, mpi.POLICY, jax.POLICY, xgboost.POLICY)


def policy_for(runtime: RuntimeSpec) -> Policy:
    asked = runtime.ml_policy
    return next((policy for policy in POLICIES if policy.is_of(asked)), PLAIN) if asked is not None else PLAIN
