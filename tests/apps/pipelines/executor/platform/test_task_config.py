"""Settings that a component passes on are in its TASK_CONFIG input, and on its own pod only where it says so."""

from typing import Any

import pytest

from tests.apps.pipelines.executor.builders import OWNER, a_context, constant
from windlass.apps.pipelines.executor.executor_input import executor_input
from windlass.apps.pipelines.executor.pod import EmbeddedStorage, pod

PLATFORM = {
    "nodeSelector": {"labels": {"a": "b"}},
    "tolerations": [{"key": "k"}],
    "nodeAffinity": [{"matchExpressions": [{"key": "z", "operator": "Exists"}]}],
    "pvcMount": [{"pvcNameParameter": constant("data"), "mountPath": "/data"}],
}
CONTAINER = {"env": [{"name": "A", "value": "1"}], "resources": {"resourceCpuLimit": "2"}}
AFFINITY = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [{"key": "z", "operator": "Exists"}]}]
        }
    }
}
FIELDS = (
    "RESOURCES",
    "ENV",
    "KUBERNETES_AFFINITY",
    "KUBERNETES_TOLERATIONS",
    "KUBERNETES_NODE_SELECTOR",
    "KUBERNETES_VOLUMES",
)


def context(passthroughs: list[dict[str, Any]]) -> Any:
    component = {
        "inputDefinitions": {"parameters": {"config": {"parameterType": "TASK_CONFIG", "isOptional": True}}},
        "taskConfigPassthroughs": passthroughs,
    }
    return a_context(component=component, container=CONTAINER, platform=PLATFORM)


def config(passthroughs: list[dict[str, Any]]) -> Any:
    return executor_input(context(passthroughs))["inputs"]["parameterValues"]["config"]


def settings(passthroughs: list[dict[str, Any]]) -> dict[str, bool]:
    """Which settings are on the task's own pod."""
    spec = pod(context(passthroughs), EmbeddedStorage(), owner=OWNER, pod_name="p")["spec"]
    (main,) = spec["containers"]
    return {
        "RESOURCES": "resources" in main,
        "ENV": any(one["name"] == "A" for one in main["env"]),
        "KUBERNETES_AFFINITY": "affinity" in spec,
        "KUBERNETES_TOLERATIONS": "tolerations" in spec,
        "KUBERNETES_NODE_SELECTOR": "nodeSelector" in spec,
        "KUBERNETES_VOLUMES": any(one["mountPath"] == "/data" for one in main["volumeMounts"]),
    }


def test_all_fields_can_be_passed_on() -> None:
    assert config([{"field": field} for field in FIELDS]) == {
        "resources": {"limits": {"cpu": "2"}},
        "env": [{"name": "A", "value": "1"}],
        "affinity": AFFINITY,
        "tolerations": [{"key": "k"}],
        "nodeSelector": {"a": "b"},
        "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
        "volumeMounts": [{"name": "data", "mountPath": "/data"}],
    }


@pytest.mark.parametrize("field", FIELDS)
def test_a_field_that_is_passed_on_leaves_the_pod_unless_it_applies_to_the_task(field: str) -> None:
    assert settings([{"field": field}]) == {one: one != field for one in FIELDS}
    assert all(settings([{"field": field, "applyToTask": True}]).values())


def with_workspace(*, applies: bool) -> Any:
    component = {
        "inputDefinitions": {
            "parameters": {
                "config": {"parameterType": "TASK_CONFIG", "isOptional": True},
                "folder": {"parameterType": "STRING"},
            }
        },
        "taskConfigPassthroughs": [{"field": "KUBERNETES_VOLUMES", "applyToTask": applies}],
    }
    config = {"workspace": {"size": "1Gi"}}
    return a_context(component=component, parameters={"folder": "/kfp-workspace/x"}, pipeline_config=config)


@pytest.mark.parametrize("applies", [True, False])
def test_the_workspace_is_passed_on_like_other_volumes(applies: bool) -> None:
    claim = {"claimName": "train-and-predict-x7k2p-kfp-workspace"}
    context = with_workspace(applies=applies)
    (main,) = pod(context, EmbeddedStorage(), owner=OWNER, pod_name="p")["spec"]["containers"]

    assert executor_input(context)["inputs"]["parameterValues"]["config"] == {
        "volumes": [{"name": "kfp-workspace", "persistentVolumeClaim": claim}],
        "volumeMounts": [{"name": "kfp-workspace", "mountPath": "/kfp-workspace"}],
    }
    assert any(mount["mountPath"] == "/kfp-workspace" for mount in main["volumeMounts"]) == applies


def test_a_field_that_is_not_listed_stays_on_the_pod() -> None:
    assert config([{"field": "ENV"}]) == {"env": [{"name": "A", "value": "1"}]}
    assert config([]) == {}
    assert all(settings([]).values())


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(ValueError, match=r"taskConfigPassthroughs\[0\].field: 'GPUS' is none of RESOURCES"):
        config([{"field": "GPUS"}])
