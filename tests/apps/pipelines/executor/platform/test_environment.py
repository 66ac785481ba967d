"""Variables from Secrets, ConfigMaps and fields of the pod."""

from typing import Any

import pytest

from tests.apps.pipelines.executor.builders import a_context, constant
from windlass.apps.pipelines.executor.platform.environment import task_variables, unique


def of(env: Any = None, **platform: Any) -> Any:
    return task_variables(a_context(container={"env": env or []}, platform=platform))


def test_variables_of_the_component_come_before_those_of_the_platform() -> None:
    pair = [{"secretKey": "k", "envVar": "S"}]
    found = of([{"name": "A", "value": "1"}, {"name": "EMPTY"}], secretAsEnv=[{"secretName": "s", "keyToEnv": pair}])

    assert found == [
        {"name": "A", "value": "1"},
        {"name": "EMPTY", "value": ""},
        {"name": "S", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
    ]


def test_every_key_of_a_config_map_has_its_variable() -> None:
    pairs = [{"configMapKey": "k", "envVar": "A"}, {"configMapKey": "l", "envVar": "B"}]
    found = of(configMapAsEnv=[{"configMapNameParameter": constant("c"), "keyToEnv": pairs, "optional": True}])

    assert [one["valueFrom"]["configMapKeyRef"] for one in found] == [
        {"name": "c", "key": "k", "optional": True},
        {"name": "c", "key": "l", "optional": True},
    ]


def test_a_field_of_the_pod_is_a_variable() -> None:
    assert of(fieldPathAsEnv=[{"name": "N", "fieldPath": "metadata.labels['x']"}]) == [
        {"name": "N", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['x']"}}}
    ]


def test_an_optional_name_that_is_missing_skips_its_variables() -> None:
    pair = [{"secretKey": "k", "envVar": "S"}]
    assert of(secretAsEnv=[{"secretNameParameter": constant(None), "keyToEnv": pair}]) == []


def test_the_last_variable_of_a_name_is_kept() -> None:
    assert unique([{"name": "A", "value": "1"}, {"name": "B"}, {"name": "A", "value": "2"}]) == [
        {"name": "B"},
        {"name": "A", "value": "2"},
    ]


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"env": [{"value": "x"}]}, r"env\[0\].name is required"),
        ({"secretAsEnv": [{"keyToEnv": []}]}, r"secretAsEnv\[0\].secretName is required"),
        ({"secretAsEnv": [{"secretName": "s", "keyToEnv": [{"envVar": "A"}]}]}, r"keyToEnv\[0\].secretKey is required"),
        ({"configMapAsEnv": [{"configMapName": "s", "keyToEnv": [{"configMapKey": "A"}]}]}, "envVar is required"),
        ({"fieldPathAsEnv": [{"name": "N"}]}, r"fieldPathAsEnv\[0\].fieldPath is required"),
    ],
)
def test_a_wrong_variable_is_refused_by_field(fields: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        of(**fields)
