"""The objects that a view is computed from, of those that a user may see.

A view says what it wants; rights are asked for once, by access reviews, and decide which namespaces are read. What is
read is then the same for all users with the same rights, so one computation serves them all.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from windlass.apis.core_v1 import Pod
from windlass.gateway.access.reviews import Access
from windlass.gateway.context import GatewayContext
from windlass.gateway.live.entries import MetadataView
from windlass.gateway.live.rights import followed_namespaces
from windlass.gateway.request import Identity
from windlass.gateway.views.live_view import DISCOVERY_AGE
from windlass.gateway.views.visibility import EVERYTHING, Visible, only
from windlass.kube.errors import Forbidden, MethodNotAllowed, NotFound
from windlass.kube.json import Object, decode
from windlass.kube.kind import KINDS, Kind

PODS = KINDS.of(Pod)


@dataclass(frozen=True, slots=True)
class Want:
    """Objects of one kind. An empty namespace means all that the user may list."""

    kind: Kind
    namespace: str = ""
    required: bool = False
    """Who may not list these gets no view; others are left out."""
    whole: bool = False
    """Read of the whole cluster for every user: the view shows only sums and counts of it, or masks the names."""
    metadata_only: bool = False
    """Names, times and owners are enough: of a list of all kinds, the objects themselves would be large."""


@dataclass(frozen=True, slots=True)
class Part:
    """A list to read: a kind in one namespace, or in all (`""`)."""

    kind: Kind
    namespace: str
    metadata_only: bool = False


@dataclass(frozen=True)
class Rights:
    """What a view may be computed from for a user; equal for users with the same rights."""

    parts: tuple[tuple[Want, tuple[str, ...]], ...]
    """The namespaces in which each is read; `("",)` is all of them."""
    visible: Visible
    """Whose names may be shown: namespaces of which the user may list pods."""
    may_read_logs: bool = False
    user: str = ""
    """Only of views that show what depends on more than these rights: then each user has their own."""

    @property
    def lists(self) -> list[Part]:
        return list(
            dict.fromkeys(Part(want.kind, name, want.metadata_only) for want, names in self.parts for name in names)
        )


@dataclass(frozen=True)
class Inputs:
    """What was read."""

    rights: Rights
    objects: Mapping[Part, Sequence[Object]]
    _by_want: dict[tuple[Kind, bool], list[Object]] = field(default_factory=dict[tuple[Kind, bool], list[Object]])

    @property
    def visible(self) -> Visible:
        return self.rights.visible

    def of(self, kind: Kind, *, whole: bool = False) -> list[Object]:
        """Objects of a kind that the user may see; with `whole` those of the cluster."""
        known = self._by_want.get((kind, whole))
        if known is None:
            known = [
                obj
                for want, names in self.rights.parts
                if want.kind == kind and want.whole == whole
                for name in names
                for obj in self.objects.get(Part(kind, name, want.metadata_only), ())
            ]
            self._by_want[kind, whole] = known
        return known

    def may_list(self, kind: Kind) -> bool:
        return any(names for want, names in self.rights.parts if want.kind == kind and not want.whole)


async def served_kinds(context: GatewayContext, age: timedelta = DISCOVERY_AGE) -> tuple[Kind, ...]:
    return await context.client.discovery.kinds_of_last(age)


async def rights_of(
    context: GatewayContext, identity: Identity, wants: Iterable[Want], *, logs_of: str | None = None
) -> Rights:
    """Raises Forbidden for what is required. `logs_of`: the namespace whose logs the view shows something of."""
    wanted = list(dict.fromkeys(wants))
    namespaces = await asyncio.gather(*(_namespaces(context, identity, want) for want in wanted))
    logs = False
    if logs_of is not None:
        logs = await context.proxy.reviews.allows(identity, Access("get", "", "pods", logs_of, subresource="log"))
    return Rights(
        parts=tuple(zip(wanted, namespaces, strict=True)),
        visible=await visible_to(context, identity),
        may_read_logs=logs,
    )


async def visible_to(context: GatewayContext, identity: Identity) -> Visible:
    """Return the namespaces of which a user may list pods: names of objects in others are hidden."""
    seen = await followed_namespaces(context, identity, PODS, "", "")
    return EVERYTHING if seen == ("",) else only(seen)


async def _namespaces(context: GatewayContext, identity: Identity, want: Want) -> tuple[str, ...]:
    if want.whole:
        return ("",)
    try:
        return await followed_namespaces(context, identity, want.kind, want.namespace, "")
    except Forbidden:
        if want.required:
            raise
        return ()


async def list_parts(context: GatewayContext, parts: Iterable[Part]) -> dict[Part, list[Object]]:
    """Read all lists once, with the gateway's own rights: `rights_of` has asked for the user's."""
    wanted = list(parts)
    return dict(zip(wanted, await asyncio.gather(*(_list(context, part) for part in wanted)), strict=True))


async def _list(context: GatewayContext, part: Part) -> list[Object]:
    try:
        if part.metadata_only:
            found = (await context.client.list(MetadataView(part.kind), part.namespace)).items
            return [decode(entry.json) for entry in found]
        items = (await context.client.list(part.kind, part.namespace)).items
    except (NotFound, MethodNotAllowed):
        return []
    return [{"apiVersion": part.kind.api_version, "kind": part.kind.name, **obj} for obj in items]
