"""What is refused of a runtime, and what is only warned of."""

from typing import Any

import pytest

from tests.apis.verdicts import judged
from tests.apps.trainer.runtime_builders import BUILT_IN, a_runtime, replicated

AT = "spec.template.spec.replicatedJobs"
CONTAINERS = "template.spec.template.spec.containers"


def refusal(runtime: Any, old: Any = None) -> str:
    return judged("ClusterTrainingRuntime", runtime, old)[0]


@pytest.mark.parametrize("name", BUILT_IN)
def test_runtimes_that_come_with_windlass_keep_the_rules(name: str) -> None:
    assert refusal(BUILT_IN[name]) == ""
    assert judged("ClusterTrainingRuntime", BUILT_IN[name])[1] == []


@pytest.mark.parametrize(
    ("runtime", "told"),
    [
        (a_runtime(replicated("node", "trainer", "node", replicas=2)),
         f"{AT}[0].replicas: Invalid value: 2: always must be 1"),
        (a_runtime(replicated("x"), replicated("node", "trainer", "main")),
         f'{AT}[1].{CONTAINERS}: Invalid value: [{{"name":"main","image":"i"}}]: must contain the required container '
         "for the ancestor: trainer"),
        (a_runtime(replicated("m", "model-initializer", "model-initializer")), ""),
        (a_runtime(replicated("d", "dataset-initializer", "node")),
         f'{AT}[0].{CONTAINERS}: Invalid value: [{{"name":"node","image":"i"}}]: must contain the required container '
         "for the ancestor: dataset-initializer"),
        (a_runtime(replicated("other", "somebody's own", replicas=3)), ""),
        (a_runtime(flux={}), "spec.mlPolicy.flux: Forbidden: Flux is not supported by Windlass"),
    ],
)  # fmt: skip
def test_a_step_of_the_training_is_one_job_with_its_container(runtime: Any, told: str) -> None:
    assert refusal(runtime) == told
    assert refusal(runtime, runtime) == ""


def test_a_runtime_that_cannot_train_or_is_deprecated_is_warned_of() -> None:
    runtime = a_runtime(replicated("alone"), labels={"trainer.kubeflow.org/support": "deprecated"})

    deprecated, idle = judged("ClusterTrainingRuntime", runtime)[1]

    assert deprecated.startswith('ClusterTrainingRuntime "mine" is deprecated and will be removed in a future release')
    assert idle.startswith(f"{AT}: no job is labelled trainer.kubeflow.org/trainjob-ancestor-step=trainer")
    assert judged("ClusterTrainingRuntime", runtime, runtime)[1] == []
