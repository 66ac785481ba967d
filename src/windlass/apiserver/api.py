"""The state that all verbs share: the store, the registry, authorization and admission.

`server.py` creates one `Api`. Verbs read objects through it, so that each stored value is decoded at most once while it
is the newest.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from windlass.apiserver.resources import Registry, Resource
from windlass.apiserver.store import Row, Store
from windlass.kube.faults import Faults
from windlass.kube.json import Object, decode

if TYPE_CHECKING:
    from windlass.apiserver.admission.chain import Admission
    from windlass.apiserver.allocators import Allocators
    from windlass.apiserver.audit import AuditLog
    from windlass.apiserver.auth.authenticate import Authenticator
    from windlass.apiserver.auth.rbac import Rbac
    from windlass.apiserver.metrics import Metrics
    from windlass.apiserver.pki import Pki

_DECODED_KEPT = 2048

Reaction: TypeAlias = Callable[[Object, bool], None]
"""Reacts to a durable change: (object in its storage version, whether it was deleted)."""


class Api:
    """The shared state of the verbs. `server.build` sets the parts that are not set here."""

    authenticator: "Authenticator"
    rbac: "Rbac"
    admission: "Admission"
    allocators: "Allocators"
    metrics: "Metrics"
    pki: "Pki"
    audit: "AuditLog | None" = None

    def __init__(self, store: Store, registry: Registry) -> None:
        self.store = store
        self.registry = registry
        self.reactions: dict[str, Reaction] = {}
        self.deletion_reactions: dict[str, Reaction] = {}
        self.faults = Faults("windlass-server")
        self._decoded: OrderedDict[tuple[str, str, str], tuple[Row, Object]] = OrderedDict()

    def react(self, resource: Resource, obj: Object, *, gone: bool = False) -> None:
        """Run the server's own reactions to a durable change, before its author gets a response."""
        reaction = self.reactions.get(resource.store_key)
        if gone and reaction is None:
            reaction = self.deletion_reactions.get(resource.store_key)
        if reaction is not None:
            with self.faults.contain(f"reaction to {resource.store_key}", obj, None):
                reaction(obj, gone)

    def read(self, store_key: str, namespace: str, name: str) -> Object | None:
        """Return the newest state of an object in its storage version; shared and read-only."""
        row = self.store.newest((store_key, namespace, name))
        return None if row is None else self.decoded(row)

    def read_all(self, store_key: str, namespace: str | None = None) -> Iterator[Object]:
        """Return the newest state of every object of a kind; shared and read-only."""
        return map(self.decoded, self.store.newest_rows(store_key, namespace))

    def decoded(self, row: Row) -> Object:
        """Return a row's object, decoded once while it stays in use; shared and read-only."""
        cached = self._decoded.get(row.key)
        if cached is not None and cached[0] is row:
            return cached[1]
        obj: Object = decode(row.value)
        self._decoded[row.key] = (row, obj)
        self._decoded.move_to_end(row.key)
        if len(self._decoded) > _DECODED_KEPT:
            self._decoded.popitem(last=False)
        return obj


def load(resource: Resource, row: Row) -> Object:
    """Return a private copy of the stored object in the version of `resource`.

    If `resource.conversion` is set, the row must have been fetched with it before.
    """
    if resource.conversion is not None:
        obj: Object = decode(resource.conversion.converted(row))
    else:
        obj = decode(row.value)
        if resource.from_storage is not None:
            obj = resource.from_storage(obj)
    if row.rev < resource.conformed_since:
        resource.strategy.refresh(obj)
    return obj
