"""Conversations by UDP that go on to somewhere that their address no longer leads to.

The kernel leads a flow where its first packet was led to, and UDP has no end of a conversation: a client that goes on
sending would stay with a pod that has gone. Like kube-proxy, have such flows forgotten.
"""

import logging
from collections.abc import Iterable
from typing import Any

from windlass.node.network.conntrack import Flow
from windlass.node.network.inside import Inside
from windlass.node.network.ruleset import Ruleset
from windlass.node.network.services import MAP, Endpoint

log = logging.getLogger(__name__)

Ways = dict[Endpoint, frozenset[Endpoint]]


def udp_ways(rules: Ruleset) -> Ways:
    """Where each virtual address and port of UDP leads to."""
    found: Ways = {}
    for (address, protocol, port), (_, chain) in rules.sets[MAP].elements.items() if MAP in rules.sets else ():
        if protocol == "UDP":
            picked = rules.sets[chain].elements.values()
            found[Endpoint(address, port)] = frozenset(_endpoint(rules, each) for each in picked)
    return found


def _endpoint(rules: Ruleset, picked: tuple[Any, ...]) -> Endpoint:
    if picked[0] != "goto":
        return Endpoint(*picked)
    return next(Endpoint(*each[1:]) for each in rules.chains[picked[1]].rules[0] if each[0] == "dnat")


def stale(flows: Iterable[Flow], ways: Ways) -> list[Flow]:
    """Those that are answered by somebody whom their address does not lead to."""
    found: list[Flow] = []
    for flow in flows:
        to = Endpoint(flow.to, flow.to_port)
        if Endpoint(flow.answers, flow.answers_port) not in ways.get(to, {to}):
            found.append(flow)
    return found


class FlowKeeper:
    """Looks at the flows when the ways of UDP have changed."""

    def __init__(self) -> None:
        self._ways: Ways = {}

    async def follow(self, rules: Ruleset, inside: Inside) -> None:
        """These rules hold now."""
        ways, before = udp_ways(rules), self._ways
        if ways == before:
            return
        try:
            flows = [Flow(*each) for each in await inside.call("udp_flows")]
            await inside.call("forget", stale(flows, ways))
        except OSError as error:
            log.warning("clients of UDP Services may stay with pods that have gone error=%s", error)
        self._ways = ways
