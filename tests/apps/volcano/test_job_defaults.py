"""What admission fills into a Volcano Job."""

from typing import Any

import pytest

from windlass.apps.volcano.job_defaults import with_defaults

from .builders import TEMPLATE, a_task, written_job


def test_a_job_gets_a_scheduler_a_queue_and_retries() -> None:
    spec = with_defaults(written_job())["spec"]

    assert (spec["schedulerName"], spec["queue"], spec["maxRetry"]) == ("volcano", "default", 3)


def test_what_a_job_says_stays() -> None:
    said = {"schedulerName": "mine", "queue": "night", "maxRetry": 7, "minAvailable": 1, "plugins": {"env": []}}

    assert with_defaults(written_job(**said))["spec"].items() >= said.items()


def test_the_object_that_was_sent_is_not_changed() -> None:
    job = written_job(plugins={"mpi": []})
    with_defaults(job)

    assert job == written_job(plugins={"mpi": []})


@pytest.mark.parametrize(
    ("tasks", "minimum"),
    [
        ([a_task("a", 2), a_task("b", 3)], 5),
        ([a_task("a", 2, minAvailable=1), a_task("b", 3)], 4),
        ([a_task("a", 2, minAvailable=0)], 0),
        ([a_task("a", 8, partitionPolicy={"totalPartitions": 4, "partitionSize": 2, "minPartitions": 3})], 6),
    ],
)
def test_a_job_needs_what_its_tasks_need(tasks: list[Any], minimum: int) -> None:
    assert with_defaults(written_job(*tasks))["spec"]["minAvailable"] == minimum
    assert with_defaults(written_job(*tasks, minAvailable=0))["spec"]["minAvailable"] == minimum


def test_a_task_gets_a_name_a_minimum_and_retries() -> None:
    _, second = with_defaults(written_job(a_task("a"), {"replicas": 4, "template": TEMPLATE}))["spec"]["tasks"]

    assert second == {"name": "default1", "replicas": 4, "minAvailable": 4, "maxRetry": 3, "template": TEMPLATE}


@pytest.mark.parametrize(
    ("pod", "policy"),
    [
        ({"hostNetwork": True}, "ClusterFirstWithHostNet"),
        ({"hostNetwork": True, "dnsPolicy": "Default"}, "Default"),
        ({}, None),
    ],
)
def test_pods_in_the_hosts_network_find_the_clusters_names(pod: Any, policy: str | None) -> None:
    (task,) = with_defaults(written_job({"replicas": 1, "template": {"spec": pod}}))["spec"]["tasks"]

    assert task["template"]["spec"].get("dnsPolicy") == policy


@pytest.mark.parametrize(
    ("given", "added"),
    [
        (["env"], []),
        (["tensorflow"], ["svc"]),
        (["pytorch"], ["svc"]),
        (["ray"], ["svc"]),
        (["mpi"], ["svc", "ssh"]),
        (["svc", "ssh"], []),
    ],
)
def test_a_framework_brings_the_plugins_that_it_needs(given: list[str], added: list[str]) -> None:
    plugins = {name: ["--flag"] for name in given}

    made = with_defaults(written_job(plugins=plugins))["spec"]["plugins"]

    assert made == {**plugins, **{name: [] for name in added}}


@pytest.mark.parametrize(
    "spec",
    [
        5,
        None,
        {"tasks": 5},
        {"tasks": [5, None]},
        {"tasks": [{"replicas": "x", "minAvailable": "y", "template": 7}]},
        {"tasks": [{"partitionPolicy": {"minPartitions": "2", "partitionSize": None}}]},
        {"plugins": ["svc"]},
    ],
)
def test_what_has_the_wrong_shape_is_left_for_the_schema_to_refuse(spec: Any) -> None:
    made = with_defaults({"spec": spec})["spec"]

    if isinstance(spec, dict):
        assert made["schedulerName"] == "volcano"
    else:
        assert made == spec
