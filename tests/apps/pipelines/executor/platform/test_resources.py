"""Requests and limits, in the fields of new and old SDKs."""

from typing import Any

import pytest

from tests.apps.pipelines.executor.builders import a_context, a_scope, inputs
from windlass.apps.pipelines.executor.platform.resources import resources


def of(spec: Any, **parameters: Any) -> Any:
    fields: dict[str, Any] = {
        "container": {"resources": spec},
        "component": inputs(**dict.fromkeys(parameters, "STRING")),
        "parameters": parameters,
    }
    return resources(a_context(**fields), a_scope(**fields))


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, {}),
        (
            {
                "resourceCpuLimit": "2",
                "resourceCpuRequest": "500m",
                "resourceMemoryLimit": "1Gi",
                "resourceMemoryRequest": "1G",
            },
            {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "500m", "memory": "1G"}},
        ),
        (
            {"cpuLimit": 1.5, "cpuRequest": 1.0, "memoryLimit": 0.5, "memoryRequest": 2.0},
            {"limits": {"cpu": "1.5", "memory": "0.5G"}, "requests": {"cpu": "1", "memory": "2G"}},
        ),
        ({"cpuLimit": 1.0, "resourceCpuLimit": "3"}, {"limits": {"cpu": "3"}}),
        (
            {"accelerator": {"resourceType": "nvidia.com/gpu", "resourceCount": "2"}},
            {"limits": {"nvidia.com/gpu": "2"}},
        ),
        ({"accelerator": {"type": "nvidia.com/gpu", "count": "1"}}, {"limits": {"nvidia.com/gpu": "1"}}),
        ({"accelerator": {"resourceType": "nvidia.com/gpu"}}, {}),
        ({"accelerator": {"resourceCount": "2"}}, {}),
    ],
)
def test_amounts_become_requests_and_limits(spec: Any, expected: Any) -> None:
    assert of(spec) == expected


def test_amounts_may_be_inputs() -> None:
    spec = {
        "resourceMemoryLimit": "{{$.inputs.parameters['m']}}",
        "resourceCpuLimit": "{{$.inputs.parameters['empty']}}",
        "accelerator": {
            "resourceType": "{{$.inputs.parameters['t']}}",
            "resourceCount": "{{$.inputs.parameters['n']}}",
        },
    }

    assert of(spec, m="2Gi", t="amd.com/gpu", n="1", empty="") == {"limits": {"memory": "2Gi", "amd.com/gpu": "1"}}


@pytest.mark.parametrize(
    "spec",
    [
        {"resourceCpuLimit": "many"},
        {"cpuLimit": -1.0},
        {"resourceCpuLimit": "{{$.inputs.parameters['unknown']}}"},
        {"accelerator": {"resourceType": "x", "resourceCount": "some"}},
    ],
)
def test_a_wrong_amount_is_refused_by_field(spec: Any) -> None:
    with pytest.raises(ValueError, match=r"resources\.\S+: .* is not a quantity"):
        of(spec)
