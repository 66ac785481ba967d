"""What `configurations` of volcano-scheduler.conf say to actions, and what is told of what they cannot mean."""

import json
from typing import Any

import pytest

from windlass.scheduler.cycle.gang_cycle import read_conf
from windlass.scheduler.framework.action_arguments import Comparing, WholeGangs, comparing, whole_gangs
from windlass.scheduler.framework.conf import Conf


def configured(name: str, **arguments: Any) -> Conf:
    given = {"actions": "allocate", "tiers": [], "configurations": [{"name": name, "arguments": arguments}]}
    return read_conf(json.dumps(given))


def test_what_is_said_is_followed_without_a_warning() -> None:
    gangs = configured("gangreclaim", allowWholeBundle=False, maxDomains=3)
    single = configured("preempt", enableTopologyAwarePreemption=True, minCandidateNodesAbsolute=2)

    assert whole_gangs(gangs.configurations, "gangreclaim") == WholeGangs(False, 3)
    assert whole_gangs(gangs.configurations, "gangpreempt") == WholeGangs(True, 8)
    assert comparing(single.configurations) == Comparing(True, 10, 2, 100)
    assert gangs.warnings == single.warnings == ()


@pytest.mark.parametrize(
    ("action", "argument", "value", "why"),
    [
        ("gangpreempt", "allowWholeBundle", "no", "'no' is not true or false; True is used"),
        ("gangpreempt", "maxDomains", "4", "'4' is not a number; 8 is used"),
        ("gangreclaim", "maxDomains", True, "True is not a number; 8 is used"),
        ("gangreclaim", "maxDomains", 0, "0 is less than 1; 8 is used"),
        ("gangreclaim", "maxDomains", float("nan"), "nan is not a number; 8 is used"),
        ("gangreclaim", "maxDomains", 10**400, f"{10**400} is not a number; 8 is used"),
        ("preempt", "enableTopologyAwarePreemption", 1, "1 is not true or false; False is used"),
        ("preempt", "minCandidateNodesPercentage", [], "[] is not a number; 10 is used"),
        ("preempt", "maxCandidateNodesAbsolute", -1, "-1 is less than 1; 100 is used"),
    ],
)
def test_an_argument_of_another_type_is_told_by_its_name_and_has_its_default(
    action: str, argument: str, value: Any, why: str
) -> None:
    text = json.dumps(value).replace("NaN", ".nan")
    conf = read_conf(
        f"actions: allocate\ntiers: []\nconfigurations: [{{name: {action}, arguments: {{{argument}: {text}}}}}]"
    )

    assert conf.warnings == (f"configurations.{action}: {argument}: {why}",)
    assert whole_gangs(conf.configurations, action) == WholeGangs(True, 8)
    assert comparing(conf.configurations) == Comparing(False, 10, 1, 100)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("allocate", "configurations.allocate: predicateErrorCacheEnable has no effect here"),
        ("gangpreempt", "configurations.gangpreempt: predicateErrorCacheEnable has no effect here"),
        ("gang-preempt", "configurations: there is no action gang-preempt"),
        ("windlass", "configurations.windlass: there is no argument predicateErrorCacheEnable"),
    ],
)
def test_what_nobody_asks_for_is_told_by_its_name(name: str, told: str) -> None:
    assert configured(name, predicateErrorCacheEnable=True).warnings == (told,)


@pytest.mark.parametrize("value", [".inf", ".nan", "-1", "soon"])
def test_patience_is_a_number_of_seconds(value: str) -> None:
    text = (
        f"actions: allocate\ntiers: []\nconfigurations: [{{name: windlass, arguments: {{gangHoldSeconds: {value}}}}}]"
    )

    conf = read_conf(text)

    assert conf.timeouts.gang_hold == 60
    assert [told.partition(": ")[2].partition(":")[0] for told in conf.warnings] == ["gangHoldSeconds"]


def test_a_bad_argument_of_a_plugin_is_told_where_the_configuration_is_read_and_once() -> None:
    text = "actions: allocate\ntiers: [{plugins: [{name: binpack, arguments: {binpack.weight: heavy}}]}]"

    assert read_conf(text).warnings == ("binpack: binpack.weight: 'heavy' is not a number; 1 is used",)
