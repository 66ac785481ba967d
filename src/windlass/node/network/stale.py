"""Finds UDP flows that still go to an endpoint that their Service no longer has, and deletes them.

The kernel routes a flow by its first packet, and UDP has no end of a connection: a client that keeps sending would stay
with a pod that is gone. kube-proxy deletes such flows too.
"""

import logging
from collections.abc import Iterable
from typing import Any

from windlass.node.network.conntrack import Flow
from windlass.node.network.helper_client import HelperClient
from windlass.node.network.ruleset import Ruleset
from windlass.node.network.services import MAP, Endpoint

log = logging.getLogger(__name__)

UdpEndpoints = dict[Endpoint, frozenset[Endpoint]]


def udp_endpoints(rules: Ruleset) -> UdpEndpoints:
    """Return the endpoints of each virtual UDP address and port."""
    found: UdpEndpoints = {}
    for (address, protocol, port), (_, chain) in rules.sets[MAP].elements.items() if MAP in rules.sets else ():
        if protocol == "UDP":
            picked = rules.sets[chain].elements.values()
            found[Endpoint(address, port)] = frozenset(_endpoint(rules, each) for each in picked)
    return found


def _endpoint(rules: Ruleset, picked: tuple[Any, ...]) -> Endpoint:
    if picked[0] != "goto":
        return Endpoint(*picked)
    return next(Endpoint(*each[1:]) for each in rules.chains[picked[1]].rules[0] if each[0] == "dnat")


def stale(flows: Iterable[Flow], endpoints: UdpEndpoints) -> list[Flow]:
    """Return the flows whose replies come from an endpoint that their address no longer leads to."""
    found: list[Flow] = []
    for flow in flows:
        to = Endpoint(flow.to, flow.to_port)
        if Endpoint(flow.answers, flow.answers_port) not in endpoints.get(to, {to}):
            found.append(flow)
    return found


class FlowKeeper:
    """Deletes stale flows whenever the endpoints of UDP Services have changed."""

    def __init__(self) -> None:
        self._endpoints: UdpEndpoints = {}

    async def follow(self, rules: Ruleset, inside: HelperClient) -> None:
        """Compare the flows with rules that have just been applied."""
        endpoints, before = udp_endpoints(rules), self._endpoints
        if endpoints == before:
            return
        try:
            flows = [Flow(*each) for each in await inside.call("udp_flows")]
            await inside.call("forget", stale(flows, endpoints))
        except OSError as error:
            log.warning("clients of UDP Services may keep sending to deleted pods error=%s", error)
        self._endpoints = endpoints
