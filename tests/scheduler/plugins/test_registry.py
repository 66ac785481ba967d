"""Which plugins there are, and what a configuration may say of them."""

import json
import re
from pathlib import Path

import pytest

from windlass.scheduler.actions import ACTIONS
from windlass.scheduler.cycle.gang_cycle import read_conf
from windlass.scheduler.framework.conf import BadConf, windlass
from windlass.scheduler.plugins import plugins_of, registry

VOLCANO = {
    "binpack", "capacity", "cdp", "conformance", "deviceshare", "drf", "extender", "gang", "network-topology-aware",
    "nodegroup", "nodeorder", "overcommit", "pdb", "predicates", "priority", "proportion", "rescheduling",
    "resource-strategy-fit", "resourcequota", "sla", "task-topology", "tdm", "usage",
}  # fmt: skip


def a_conf(*plugins: str) -> str:
    return "actions: allocate\ntiers:\n- plugins:\n" + "".join(f"  - name: {name}\n" for name in plugins)


def test_all_of_volcanos_plugins_are_here_but_one() -> None:
    assert set(registry()) == VOLCANO


def test_the_one_that_is_left_out_is_warned_of_by_name() -> None:
    conf = read_conf(a_conf("gang", "numa-aware", "binpack"))

    assert [one.name for one in conf.tiers[0]] == ["gang", "binpack"]
    assert conf.warnings == (
        "tiers[0]: plugin numa-aware is left out: nodes report nothing of their NUMA topology here",
    )


def test_a_name_that_is_none_is_refused() -> None:
    with pytest.raises(BadConf, match=r"tiers\[0\]: there is no plugin crystal-ball"):
        read_conf(a_conf("gang", "crystal-ball"))


def test_capacity_takes_the_place_of_proportion() -> None:
    with pytest.raises(BadConf, match="proportion and capacity exclude each other"):
        read_conf(a_conf("capacity", "proportion"))


def test_each_plugin_has_a_row_in_the_documentation_and_those_with_a_star_are_on() -> None:
    text = Path("docs/scheduling.md").read_text()
    rows = re.findall(r"^\| (`[^|]*) \|", text[text.index("## Plugins") :], re.MULTILINE)
    found = {name: star for row in rows for name, star in re.findall(r"`([a-z-]+)`(\*?)", row)}

    assert set(found) == set(registry())
    on = {one.name for tier in windlass().tiers for one in tier}
    assert {name for name, star in found.items() if star} == on


def test_shuffle_is_an_action() -> None:
    assert "shuffle" in ACTIONS


def test_what_is_not_followed_is_told_of_all_plugins() -> None:
    text = a_conf("numa-aware", "sla") + "    arguments:\n      sla-waiting-time: soon\n"

    assert plugins_of(read_conf(text)).warnings == [
        "tiers[0]: plugin numa-aware is left out: nodes report nothing of their NUMA topology here",
        "sla: sla-waiting-time: 'soon' is not a time such as 1h30m",
    ]


ARGUMENTS = {
    "binpack": ({"binpack.weight": 10, "binpack.resources": "example.com/a", "binpack.resources.example.com/a": 8}, ()),
    "deviceshare": ({"deviceshare.VGPUEnable": True, "deviceshare.KnownGeometriesCMName": "m"}, (1,)),
    "extender": ({"extender.urlPrefix": "http://a", "extender.predicateVerb": "p", "extender.jobReadyVerb": "j"}, ()),
    "network-topology-aware": ({"weight": 10, "hypernode.binpack.cpu": 5, "hypernode.binpack.resources": "a/b"}, ()),
    "nodegroup": ({"strict": False, "enablePreferredOrder": True}, ()),
    "nodeorder": ({"leastrequested.weight": 1, "podtopologyspread.weight": 2, "colour.weight": 1}, (2,)),
    "predicates": ({"predicate.NodePortsEnable": True, "predicate.GPUSharingEnable": True}, (1,)),
    "rescheduling": ({"interval": "10m", "strategies": [], "queueSelector": ["default"]}, (2,)),
    "resource-strategy-fit": ({"resourceStrategyFitWeight": 10, "resources": {}, "proportional": {}}, (2,)),
    "sla": ({"sla-waiting-time": "1h2m3s4ms5µs6ns"}, ()),
    "task-topology": ({"task-topology.weight": 10}, ()),
    "tdm": ({"tdm.revocable-zone.rz1": "10:00-21:00", "tdm.evict.period": "1m"}, ()),
    "usage": ({"usage.weight": 5, "cpu.weight": 1, "thresholds": {"cpu": 80, "mem": 80}}, ()),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_an_argument_that_nobody_asks_for_is_warned_of_by_name_and_no_other_is(name: str) -> None:
    given, without_effect = ARGUMENTS[name]
    conf = read_conf(json.dumps({"actions": "allocate", "tiers": [{"plugins": [{"name": name, "arguments": given}]}]}))

    assert conf.warnings == tuple(f"{name}: {list(given)[at]} has no effect here" for at in without_effect)
