"""Nodes and what they offer, as several views show them."""

from windlass.gateway.views.parts import Amount, View


class NodeResource(View):
    """One resource of a node. `used` is what its pods request."""

    resource: str
    allocatable: Amount
    used: Amount
    free: Amount


class NodeRow(View):
    """A node."""

    name: str
    ready: bool
    schedulable: bool
    pods: int
    resources: tuple[NodeResource, ...]
