"""The policies that are compared: how people schedule without gangs, how Volcano does, how Windlass does."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from windlass.scheduler.actions import ACTIONS
from windlass.scheduler.framework import conf
from windlass.scheduler.framework.conf import Conf, PluginConf
from windlass.scheduler.plugins import registry


@dataclass(frozen=True)
class Policy:
    """`one_queue`: all jobs wait in one line, whatever queues there are."""

    name: str
    title: str
    conf: Conf
    one_queue: bool = False


AS_OTHERS_DO = {"windlass": {"gangHoldSeconds": 0, "gangRecoverySeconds": 1e12}}
"""No place is kept for a gang that lost a pod, and none is given up: only Windlass does so."""


def _tier(*names: str) -> tuple[PluginConf, ...]:
    return tuple(PluginConf(name) for name in names)


def present(wanted: Conf) -> Conf:
    """Without actions and plugins that there are not."""
    known = registry()
    tiers = tuple(tuple(one for one in tier if one.name in known) for tier in wanted.tiers)
    return replace(wanted, actions=tuple(one for one in wanted.actions if one in ACTIONS), tiers=tiers)


POD_BY_POD = Policy(
    "pod-by-pod",
    "pod by pod",
    present(Conf(("allocate", "backfill"), (_tier("predicates", "nodeorder"),), AS_OTHERS_DO, reservation=False)),
    one_queue=True,
)
FIFO_GANG = Policy(
    "fifo-gang",
    "strict FIFO gang",
    present(
        Conf(
            ("allocate", "backfill"),
            (_tier("gang"), _tier("predicates", "nodeorder", "binpack")),
            AS_OTHERS_DO,
            strict=True,
        )
    ),
    one_queue=True,
)
VOLCANO = Policy("volcano", "Volcano's default", present(replace(conf.VOLCANO, configurations=AS_OTHERS_DO)))
WINDLASS = Policy("windlass", "Windlass", present(conf.windlass()))
POLICIES: Sequence[Policy] = (POD_BY_POD, FIFO_GANG, VOLCANO, WINDLASS)


def policy_named(name: str) -> Policy:
    return next(policy for policy in POLICIES if policy.name == name)


def own(conf: Conf) -> Policy:
    """The user's own configuration."""
    return Policy("own", "your configuration", conf)
