"""The view `home`: what runs, what needs attention, how much is free, and recent work of a namespace."""

from collections.abc import Iterable, Mapping
from typing import Any

from windlass.gateway.views.parts import Amount, ObjectRef, Time, View, ViewMeta, Why


class AttentionItem(View):
    """An object that is not well: its newest warning, or its state."""

    object: ObjectRef
    why: Why
    count: int
    """Warnings about it in the last hour."""
    last: Time
    link: str
    """Its page in the dashboard."""


class QuotaRow(View):
    """One resource of a ResourceQuota."""

    quota: str
    resource: str
    hard: Amount
    used: Amount


class CapacityUser(View):
    """What holds a part of a resource."""

    namespace: str
    """Empty, like the name, for all of others together."""
    kind: str
    name: str
    amount: Amount


class CapacityRow(View):
    """One resource of the cluster: cpu, memory, GPUs, disk."""

    resource: str
    total: Amount
    requested: Amount
    """By the pods on nodes; of disk: by volumes."""
    in_use: Amount | None
    """Measured; None where nothing measures it."""
    free: Amount
    """The part of the total that no pod requests; of disk: that is not in use."""
    users: tuple[CapacityUser, ...]
    """Who requests it, the largest first."""


def home_struct(rows: Iterable[Mapping[str, type[View]]], recent: Iterable[Mapping[str, type[View]]]) -> type[View]:
    """Return the struct `HomeView`, with the fields of apps: `rows` come first, `recent` last, each sorted by name."""
    fields: dict[str, Any] = {
        "namespace": str,
        **_tuples(rows),
        "attention": tuple[AttentionItem, ...],
        "quotas": tuple[QuotaRow, ...],
        "capacity": tuple[CapacityRow, ...],
        **_tuples(recent),
    }
    namespace = {"__annotations__": fields, "__doc__": "Topic `home {namespace}`.", "__module__": __name__}
    return ViewMeta("HomeView", (View,), namespace)


def _tuples(parts: Iterable[Mapping[str, type[View]]]) -> dict[str, Any]:
    structs = {name: struct for part in parts for name, struct in part.items()}
    return {name: tuple[structs[name], ...] for name in sorted(structs)}  # pyright: ignore[reportInvalidTypeArguments] - a type that is known at run time
