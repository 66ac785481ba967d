"""Validation of training runtimes, with the messages of upstream's webhooks, and warnings for fields without effect."""

from collections.abc import Iterator

from windlass.apps.trainer.kinds import GROUP
from windlass.apps.trainer.names import ANCESTOR, DATASET, MODEL, NODE, TRAINER
from windlass.apps.trainer.templates import POD, REPLICATED_JOBS, step_of
from windlass.kube.errors import Cause, forbidden, invalid
from windlass.kube.json import Object, dig, dig_list, is_object

SUPPORT, DEPRECATED = f"{GROUP}/support", "deprecated"
_POLICY_PAGE = "https://www.kubeflow.org/docs/components/trainer/operator-guides/runtime/#runtime-deprecation-policy"
_CONTAINERS = {TRAINER: NODE, MODEL: MODEL, DATASET: DATASET}
"""The container that a step must have."""


def runtime_problems(runtime: Object) -> Iterator[Cause]:
    if dig(runtime, "spec", "mlPolicy", "flux") is not None:
        yield forbidden("spec.mlPolicy.flux", "Flux is not supported by Windlass")
    for at, replicated in enumerate(_replicated(runtime)):
        step, where = step_of(replicated), f"{REPLICATED_JOBS}[{at}]"
        if step not in _CONTAINERS:
            continue
        replicas = replicated.get("replicas", 1)
        if replicas != 1:
            yield invalid(f"{where}.replicas", replicas, "always must be 1")
        containers = dig_list(dig(replicated, *POD) or {}, "containers")
        if _CONTAINERS[step] not in [dig(one, "name") for one in containers]:
            why = f"must contain the required container for the ancestor: {step}"
            yield invalid(f"{where}.{'.'.join(POD)}.containers", containers, why)


def runtime_warnings(runtime: Object) -> Iterator[str]:
    """Warnings for a new runtime."""
    if is_deprecated(runtime):
        yield f'{runtime.get("kind")} "{dig(runtime, "metadata", "name")}" {DEPRECATION}'
    if TRAINER not in [step_of(one) for one in _replicated(runtime)]:
        yield f"{REPLICATED_JOBS}: no job is labelled {ANCESTOR}={TRAINER}, so spec.trainer of TrainJobs has no effect"


DEPRECATION = (
    "is deprecated and will be removed in a future release of Kubeflow Trainer. "
    f"See runtime deprecation policy: {_POLICY_PAGE}"
)


def is_deprecated(runtime: Object) -> bool:
    return dig(runtime, "metadata", "labels", SUPPORT) == DEPRECATED


def _replicated(runtime: Object) -> list[Object]:
    return [one for one in dig_list(runtime, *REPLICATED_JOBS.split(".")) if is_object(one)]
