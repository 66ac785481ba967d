"""How a cycle is set up: the format of volcano-scheduler.conf, and one switch for those who do not want to learn it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from windlass.formats import json_or_yaml

PREEMPTION = ("off", "priority", "priority+fair")
Preemption = Literal["off", "priority", "priority+fair"]
SWITCHES: Mapping[str, str] = {
    "enableJobOrder": "job_order",
    "enableJobReady": "job_ready",
    "enableJobPipelined": "job_pipelined",
    "enableJobEnqueued": "job_enqueueable",
    "enableTaskOrder": "task_order",
    "enablePreemptable": "preemptable",
    "enableReclaimable": "reclaimable",
    "enablePreemptive": "preemptive",
    "enableQueueOrder": "queue_order",
    "enablePredicate": "node_mask",
    "enableNodeOrder": "node_score",
    "enableJobStarving": "job_starving",
    "enabledVictim": "victims",
    "enabledOverused": "overused",
    "enabledAllocatable": "allocatable",
    "enabledHyperNodeOrder": "hyper_node_score",
    "enabledHyperNodeGradient": "hyper_nodes",
}
"""What each switch of a plugin turns off."""
WITHOUT_EFFECT = frozenset(
    (
        "enableBestNode",
        "enableTargetJob",
        "enableReservedNodes",
        "enabledSubJobReady",
        "enabledSubJobPipelined",
        "enabledSubJobOrder",
        "EnabledClusterOrder",
    )
)
"""Switches of hooks that no plugin here has."""


LEFT_OUT: Mapping[str, str] = {"numa-aware": "nodes report nothing of their NUMA topology here"}
"""Plugins of Volcano that are not here, and why: a configuration that names one is used without it."""


DEVICE_MODES = ("deviceshare.GPUSharingEnable", "deviceshare.GPUNumberEnable", "deviceshare.VGPUEnable")
"""Ways of sharing cards, of which one can be used."""


class BadConf(ValueError):
    """The configuration cannot be used; the text says what is wrong with it."""


@dataclass(frozen=True)
class PluginConf:
    name: str
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    off: frozenset[str] = frozenset()
    """Hooks that are switched off."""
    hierarchy: bool = False


@dataclass(frozen=True)
class Timeouts:
    """For how many seconds gangs are waited for. Set as arguments of the configuration named `windlass`:

    `configurations: [{name: windlass, arguments: {gangHoldSeconds: 60}}]`
    """

    gang_hold: float = 60.0
    """`gangHoldSeconds`: the place of a lost member is kept for the gang."""
    gang_recovery: float = 300.0
    """`gangRecoverySeconds`: broken gangs may block each other before one of them is given up."""
    starvation: float = 300.0
    """`starvationSeconds`: a gang may be passed by those behind it, where nobody knows when others end."""
    nomination: float = 60.0
    """`nominationSeconds`: room that was made by preemption is kept for whom it was made."""

    @classmethod
    def of(cls, arguments: Mapping[str, Any], warnings: list[str] | None = None) -> "Timeouts":
        """What is not a number is not taken, and warned of."""
        told: list[str] = [] if warnings is None else warnings
        found: dict[str, float] = {}
        for name, value in arguments.items():
            field_name = TIMEOUTS.get(name)
            if field_name is None:
                told.append(f"configurations.windlass: there is no argument {name}")
            elif isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
                told.append(f"configurations.windlass: {name}: {value!r} is not a number of seconds")
            else:
                found[field_name] = float(value)
        return cls(**found)


TIMEOUTS: Mapping[str, str] = {
    "gangHoldSeconds": "gang_hold",
    "gangRecoverySeconds": "gang_recovery",
    "starvationSeconds": "starvation",
    "nominationSeconds": "nomination",
}


@dataclass(frozen=True)
class Conf:
    """`actions` in their order; plugins tier by tier; `configurations` are arguments of actions."""

    actions: tuple[str, ...]
    tiers: tuple[tuple[PluginConf, ...], ...]
    configurations: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, "Mapping[str, Any]"])
    reservation: bool = True
    """The first gang that cannot be placed has nodes kept for it."""
    strict: bool = False
    """A job that cannot be placed blocks its queue, as with `dequeueStrategy: fifo` everywhere."""
    warnings: tuple[str, ...] = ()
    metrics: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @cached_property
    def timeouts(self) -> Timeouts:
        return Timeouts.of(self.configurations.get("windlass") or {})


def parse(text: str, actions: frozenset[str], plugins: frozenset[str]) -> Conf:
    """Read a configuration; raises BadConf. `actions` and `plugins` are the names that there are."""
    try:
        given: Any = json_or_yaml.parse(text)
    except ValueError as error:
        raise BadConf(f"it is not YAML: {error}") from error
    if not isinstance(given, dict):
        raise BadConf("it must be a mapping with actions and tiers")
    warnings: list[str] = []
    wanted = tuple(name.strip() for name in str(given.get("actions") or "").split(",") if name.strip())
    unknown = [name for name in wanted if name not in actions]
    if unknown or not wanted:
        raise BadConf(f"actions: there is no action {', '.join(unknown)}" if unknown else "actions: none is named")
    tiers = tuple(_tier(number, tier, plugins, warnings) for number, tier in enumerate(_listed(given, "tiers")))
    _check_together(wanted, tiers)
    configurations = {str(one.get("name")): one.get("arguments") or {} for one in _listed(given, "configurations")}
    for name, arguments in configurations.items():
        if not isinstance(arguments, dict):
            raise BadConf(f"configurations.{name}.arguments: it must be a mapping")
    Timeouts.of(configurations.get("windlass") or {}, warnings)
    return Conf(wanted, tiers, configurations, warnings=tuple(warnings), metrics=given.get("metrics") or {})


def _listed(given: Mapping[str, Any], name: str) -> list[Any]:
    found = given.get(name) or []
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise BadConf(f"{name}: it must be a list of mappings")
    return found


def _tier(number: int, tier: Mapping[str, Any], plugins: frozenset[str], warnings: list[str]) -> tuple[PluginConf, ...]:
    found: list[PluginConf] = []
    for one in _listed(tier, "plugins"):
        why = LEFT_OUT.get(str(one.get("name")))
        if why is not None:
            warnings.append(f"tiers[{number}]: plugin {one['name']} is left out: {why}")
        else:
            found.append(_plugin(f"tiers[{number}]", one, plugins, warnings))
    return tuple(found)


def _plugin(where: str, given: Mapping[str, Any], plugins: frozenset[str], warnings: list[str]) -> PluginConf:
    name = str(given.get("name") or "")
    if name not in plugins:
        raise BadConf(f"{where}: there is no plugin {name or 'without a name'}")
    off: set[str] = set()
    for key, value in given.items():
        if key in ("name", "arguments", "enableHierarchy"):
            continue
        if key in WITHOUT_EFFECT:
            warnings.append(f"{where}.{name}: {key} has no effect here")
        elif key not in SWITCHES:
            warnings.append(f"{where}.{name}: there is no switch {key}")
        elif not isinstance(value, bool):
            raise BadConf(f"{where}.{name}.{key}: it must be true or false")
        elif not value:
            off.add(SWITCHES[key])
            off.update({"node_score": {"use_scores"}, "victims": {"may_go"}}.get(SWITCHES[key], ()))
    arguments = given.get("arguments") or {}
    if not isinstance(arguments, dict):
        raise BadConf(f"{where}.{name}.arguments: it must be a mapping")
    return PluginConf(name, arguments, frozenset(off), hierarchy=given.get("enableHierarchy") is True)


def _check_together(actions: tuple[str, ...], tiers: tuple[tuple[PluginConf, ...], ...]) -> None:
    for number, tier in enumerate(tiers):
        names = {one.name: one for one in tier}
        if "proportion" in names and "drf" in names and names["drf"].hierarchy:
            raise BadConf(f"tiers[{number}]: proportion and drf with enableHierarchy exclude each other")
    listed = {one.name for tier in tiers for one in tier}
    if {"proportion", "capacity"} <= listed:
        raise BadConf("tiers: proportion and capacity exclude each other")
    for one in (one for tier in tiers for one in tier if one.name == "deviceshare"):
        on = [mode for mode in DEVICE_MODES if one.arguments.get(mode) is True]
        if len(on) > 1:
            raise BadConf(f"deviceshare: {' and '.join(on)} exclude each other")
    for whole, single in (("gangpreempt", "preempt"), ("gangreclaim", "reclaim")):
        if whole in actions and single in actions:
            raise BadConf(f"actions: {whole} and {single} exclude each other")


# --- what is used where nobody says otherwise


def _tiers(*tiers: tuple[PluginConf | str, ...]) -> tuple[tuple[PluginConf, ...], ...]:
    return tuple(tuple(PluginConf(one) if isinstance(one, str) else one for one in tier) for tier in tiers)


_KEEPS_VICTIMS = frozenset(("preemptable",))
_NEAR_IF_ASKED = PluginConf("network-topology-aware", {"hypernode.binpack.normal-pod.enable": False})
"""Pods without a wish are placed many at a time: rating hyper nodes for each would cost more than it gains."""
_NO_SPREADING = PluginConf("nodeorder", {"leastrequested.weight": 0, "balancedresource.weight": 0})
"""A score for empty nodes works against `binpack`: pods that are wherever there is most room leave no node whole."""
_PACKING = PluginConf("binpack", {"binpack.sparing.weight": 3})

VOLCANO = Conf(
    actions=("enqueue", "allocate", "backfill"),
    tiers=_tiers(
        ("priority", PluginConf("gang", off=_KEEPS_VICTIMS), "conformance"),
        (
            "overcommit",
            PluginConf("drf", off=_KEEPS_VICTIMS),
            "predicates",
            "proportion",
            "nodeorder",
            "binpack",
        ),
    ),
    reservation=False,
)
"""As Volcano ships."""


def windlass(preemption: Preemption = "priority") -> Conf:
    """What Windlass does: Volcano's plugins, quotas for whole gangs, gangs that preempt as a whole."""
    actions = {
        "off": ("enqueue", "allocate", "backfill"),
        "priority": ("enqueue", "allocate", "gangpreempt", "backfill"),
        "priority+fair": ("enqueue", "allocate", "gangpreempt", "gangreclaim", "backfill"),
    }[preemption]
    return Conf(
        actions=actions,
        tiers=_tiers(
            ("priority", "gang", "conformance"),
            (
                "overcommit",
                "resourcequota",
                PluginConf("drf", off=_KEEPS_VICTIMS),
                "predicates",
                "proportion",
                _NO_SPREADING,
                _PACKING,
                _NEAR_IF_ASKED,
                "task-topology",
            ),
        ),
    )
