"""An object with its owners and what it owns."""

from typing import Any

from windlass.gateway.views.parts import ObjectRef, Time, View


class TreeNode(View):
    """An object of the tree."""

    object: ObjectRef
    link: str
    """Its page in the dashboard."""
    depth: int
    """How many owners are between it and the object that was asked for, which has 0. Owners have negative numbers."""
    created: Time | None
    is_deleting: bool
    status: dict[str, Any]
    """The parts of its status that say how it is: phase, conditions, replicas, containers. Empty where it has none."""


class ObjectTree(View):
    """Topic `tree {group, version, resource, namespace, name}`."""

    owners: tuple[TreeNode, ...]
    """The topmost first."""
    nodes: tuple[TreeNode, ...]
    """The object first; children follow their owner."""
    hidden: int
    """How many more there are."""
    notes: tuple[str, ...]
    """What could not be listed, and why."""
