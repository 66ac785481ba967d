"""Fields of Kubeflow's first spawner, JupyterHub's, mean what their successors do."""

from typing import Any

import pytest

from windlass.apps.notebooks.web.form import BadForm
from windlass.apps.notebooks.web.old_fields import with_todays_fields

GPU = "nvidia.com/gpu"
ONE = {"num": "1", "vendor": GPU}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, {}),
        ({"cpu": "0.5", "gpus": {"num": "none"}}, {"cpu": "0.5", "gpus": {"num": "none"}}),
        ({"image": "jupyter:1", "cpu_guarantee": "0.5"}, {"image": "jupyter:1", "cpu": "0.5"}),
        ({"cpu_guarantee": 2}, {"cpu": "2"}),
        ({"cpu_guarantee": "500m", "cpu": "0.5"}, {"cpu": "0.5"}),
        ({"cpu_guarantee": ""}, {}),
        ({"cpu_guarantee": None, "cpu": "1"}, {"cpu": "1"}),
        ({"mem_guarantee": "1Gi"}, {"memory": "1Gi"}),
        ({"mem_guarantee": "1G"}, {"memory": "1G"}),
        ({"mem_guarantee": " 512M "}, {"memory": "512M"}),
        ({"mem_guarantee": "1024Mi", "memory": "1Gi"}, {"memory": "1Gi"}),
        ({"mem_guarantee": "1Gi", "memory": None}, {"memory": "1Gi"}),
        ({"extra_resource_limits": {GPU: 1}}, {"gpus": ONE}),
        ({"extra_resource_limits": {GPU: "1"}}, {"gpus": ONE}),
        ({"extra_resource_limits": '{"nvidia.com/gpu": 1}'}, {"gpus": ONE}),
        ({"extra_resource_limits": "{}"}, {"gpus": {"num": "none"}}),
        ({"extra_resource_limits": {GPU: 0, "amd.com/gpu": 2}}, {"gpus": {"num": "2", "vendor": "amd.com/gpu"}}),
        ({"extra_resource_limits": {GPU: 1}, "gpus": {"num": 1, "vendor": GPU}}, {"gpus": {"num": 1, "vendor": GPU}}),
        ({"extra_resource_limits": {}, "gpus": {"num": "none", "vendor": ""}}, {"gpus": {"num": "none", "vendor": ""}}),
    ],
)
def test_an_old_field_becomes_the_one_of_today(body: dict[str, Any], expected: dict[str, Any]) -> None:
    given = dict(body)

    assert with_todays_fields(body) == expected
    assert body == given


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"cpu_guarantee": "1", "cpu": "2"}, "cpu_guarantee and cpu: both are given, and they differ"),
        ({"cpu_guarantee": "1", "cpu": "many"}, "cpu_guarantee and cpu: both"),
        ({"mem_guarantee": "1G", "memory": "1Gi"}, "mem_guarantee and memory: both"),
        ({"extra_resource_limits": {GPU: 1}, "gpus": {"num": "none"}}, "extra_resource_limits and gpus: both"),
        ({"extra_resource_limits": {GPU: 1}, "gpus": "1"}, "extra_resource_limits and gpus: both"),
        ({"cpu_guarantee": "many"}, "cpu_guarantee: 'many' is not an amount"),
        ({"mem_guarantee": "1 GB"}, "mem_guarantee: '1 GB' is not an amount"),
        ({"mem_guarantee": ["1Gi"]}, "mem_guarantee: "),
        ({"extra_resource_limits": "{"}, "extra_resource_limits: is not JSON"),
        ({"extra_resource_limits": "[" * 100_000}, "extra_resource_limits: is not JSON"),
        ({"extra_resource_limits": "[]"}, "extra_resource_limits: must be a mapping"),
        ({"extra_resource_limits": 1}, "extra_resource_limits: must be a mapping"),
        ({"extra_resource_limits": {GPU: -1}}, "extra_resource_limits.nvidia.com/gpu: -1 is not a number"),
        ({"extra_resource_limits": {GPU: 0.5}}, "extra_resource_limits.nvidia.com/gpu: 0.5 is not a number"),
        ({"extra_resource_limits": {GPU: True}}, "extra_resource_limits.nvidia.com/gpu: True is not a number"),
        ({"extra_resource_limits": {GPU: 1, "amd.com/gpu": 1}}, "names amd.com/gpu, nvidia.com/gpu"),
    ],
)
def test_what_cannot_be_used_is_named(body: dict[str, Any], said: str) -> None:
    with pytest.raises(BadForm) as refused:
        with_todays_fields(body)

    assert said in str(refused.value)
