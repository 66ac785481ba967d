"""What the server serves: one `Resource` per resource and version, built in or declared by a CustomResourceDefinition.

A Resource says where it is found (group, version, plural, scope), what it looks like (`schema`, `columns`) and what is
special about it (`strategy`). The verbs read nothing else, so a foreign CRD and a Pod take the same path.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from windlass.kube.errors import Cause
from windlass.kube.json import Json, Object, dig
from windlass.kube.names import dns_subdomain_errors
from windlass.kube.schema import Schema, drop_nulls, drop_nulls_of_metadata

if TYPE_CHECKING:
    from windlass.apiserver.conversions import RemoteConversion

ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of `kubectl get`. Priority 0 is always shown, 1 with -o wide."""

    name: str
    cell: Callable[[Object, datetime], Any]
    """The cell of a decoded object, at the moment (aware, UTC) that ages are counted to."""
    type: str = "string"
    format: str = ""
    description: str = ""
    priority: int = 0


def keep_old(new: Object, old: Object) -> None:
    """Undo every change but the server's own book-keeping, before the one part that may change is put in again."""
    metadata = new["metadata"]
    new.clear()
    new.update(old)
    kept = {name: metadata[name] for name in ("managedFields", "resourceVersion") if name in metadata}
    new["metadata"] = {**old["metadata"], **kept}


class Strategy:
    """What is special about a kind. The base class is a kind with a spec, a status and nothing special.

    All methods work on decoded JSON that the schema check has passed (known fields, right JSON types). `default`,
    `prepare_create` and `prepare_update` change their first argument in place; `validate*` only look.
    """

    generation_fields: ClassVar[tuple[str, ...] | None] = None
    """The top-level fields whose change makes a new generation: () for no generation at all, None for all fields but
    metadata and status."""

    allows_create_on_update: ClassVar[bool] = False
    """Whether PUT of a name that does not exist creates it."""

    allows_unconditional_update: ClassVar[bool] = True
    """Whether an update may leave out metadata.resourceVersion."""

    orphans_dependents: ClassVar[bool] = False
    """Whether dependents stay where a client does not say what is to happen to them."""

    orphans_warning: ClassVar[str] = ""
    """What such a client is told."""

    returns_deleted: ClassVar[bool] = False
    """Whether a deletion is answered with the object's last state instead of a Status."""

    qualified_finalizers: ClassVar[bool] = False
    """Whether a finalizer of somebody else must have a slash in its name, as in `example.com/mine`."""

    def default(self, obj: Object) -> None:
        """Fill in what Kubernetes fills in. Runs on every write, before admission; must be idempotent."""

    def refresh(self, obj: Object) -> None:
        """Bring an object that was stored under an earlier schema in line with the present one, as it is read."""

    def prepare_create(self, obj: Object) -> None:
        """Drop what a creator may not set. By default: the status, where it is a subresource."""

    def prepare_update(self, new: Object, old: Object) -> None:
        """Carry over from `old` what an update of the main resource may not change besides status."""

    def prepare_status(self, new: Object, old: Object) -> None:
        """Carry over from `old` all that a write of the status may not change: everything else."""
        status = new.get("status")
        keep_old(new, old)
        if status is None:
            new.pop("status", None)
        else:
            new["status"] = status

    def prepare_subresource(self, subresource: str, new: Object, old: Object) -> None:
        """Carry over from `old` all that a write of `subresource` (status has a rule of its own) may not change."""

    def prepare_delete(self, obj: Object) -> None:
        """Add what the first DELETE of an object leaves on it, for example a finalizer of the server's own."""

    def validate(self, obj: Object) -> list[Cause]:
        """Everything wrong with `obj` on its own (metadata is checked by the verbs)."""
        return []

    def validate_create(self, obj: Object) -> tuple[list[Cause], list[str]]:
        """Everything wrong with a new object, and the warnings about one with which nothing is wrong."""
        causes = self.validate(obj)
        return causes, [] if causes else self.warnings(obj)

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        """What is wrong with the step from `old` to `new`, immutable fields above all (besides `validate(new)`)."""
        return []

    def validate_change(self, new: Object, old: Object) -> list[Cause]:
        """Everything wrong with an update; a kind that tolerates old faults which are left alone says so here."""
        return [*self.validate(new), *self.validate_update(new, old)]

    def validate_name(self, name: str) -> list[str]:
        """What is wrong with the name; an empty list is none. Default: a DNS subdomain."""
        return dns_subdomain_errors(name)

    def selectable_fields(self, obj: Object) -> dict[str, str]:
        """Fields, besides metadata.name and metadata.namespace, that a field selector may name, with their values."""
        return {}

    def warnings(self, obj: Object) -> list[str]:
        """What a person should be told (HTTP Warning header) about an object that is accepted all the same."""
        return []


@dataclass(frozen=True, kw_only=True)
class ScaleSpec:
    """Where the scale subresource finds its numbers (paths without the leading dot)."""

    spec_replicas: str = "spec.replicas"
    status_replicas: str = "status.replicas"
    label_selector: str = "spec.selector"


@dataclass(frozen=True, kw_only=True)
class Resource:
    """One resource in one version."""

    group: str
    version: str
    kind: str
    plural: str
    namespaced: bool
    singular: str = ""
    list_kind: str = ""
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ALL_VERBS
    subresources: frozenset[str] = frozenset()
    scale: ScaleSpec | None = None
    storage_version: str = ""
    """The version its bytes are kept in; another served version is converted on the way in and out."""
    storage_group: str | None = None
    """The group whose store it shares (core Events for events.k8s.io)."""
    deprecated: str = ""
    """Sent as a Warning on every use, when not empty."""
    custom: bool = False
    """Declared by a CustomResourceDefinition: wrong types are validation errors (422) and nulls may have meaning."""
    terminating: bool = False
    """Its CustomResourceDefinition is being deleted: what exists can still be changed, and nothing new is created."""
    conformed_since: int = 0
    """Objects that were written before this revision may not fit the schema, which has changed since: refresh them."""
    proxied: bool = False
    """Served by another server, which an APIService names."""
    strategy: Strategy = field(default_factory=Strategy)
    load_schema: Callable[[], Schema]
    load_columns: Callable[[], tuple[Column, ...]] | None = None
    openapi: Callable[[], Object] | None = None
    """The `openAPIV3Schema` of a custom resource; None for a built-in kind, whose definition is found by its kind."""
    to_storage: Callable[[Object], Object] | None = None
    from_storage: Callable[[Object], Object] | None = None
    conversion: "RemoteConversion | None" = None
    """Instead of the two above, where a webhook converts and must be waited for; they then raise."""

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def singular_name(self) -> str:
        return self.singular or self.kind.lower()

    @property
    def list_kind_name(self) -> str:
        return self.list_kind or f"{self.kind}List"

    @property
    def group_resource(self) -> str:
        """`deployments.apps`, as messages and RBAC name it."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def drop_nulls(self, obj: Json) -> None:
        """Treat null as Kubernetes' decoders do: of a custom resource only metadata is decoded into a type."""
        if self.custom:
            drop_nulls_of_metadata(self.schema, obj)
        else:
            drop_nulls(self.schema, obj)

    @cached_property
    def store_key(self) -> str:
        """Under which the store keeps its objects: the same for all versions of a resource."""
        group = self.group if self.storage_group is None else self.storage_group
        return f"{group}/{self.plural}"

    @cached_property
    def schema(self) -> Schema:
        return self.load_schema()

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return self.load_columns() if self.load_columns else DEFAULT_COLUMNS

    @property
    def at_rest(self) -> "Resource":
        """Itself, or in its storage version where a webhook converts: for verbs that the version does not matter to."""
        return self if self.conversion is None else self.conversion.at_rest

    @property
    def has_status(self) -> bool:
        return "status" in self.subresources


def _name(obj: Object, now: datetime) -> Any:
    return dig(obj, "metadata", "name") or ""


def _created(obj: Object, now: datetime) -> Any:
    return dig(obj, "metadata", "creationTimestamp")


DEFAULT_COLUMNS = (
    Column("Name", _name, "string", "name", "Name of the object."),
    Column("Created At", _created, "date", "", "When the object was created."),
)


class Registry:
    """All resources served now. CustomResourceDefinitions come and go; `generation` grows with every change."""

    def __init__(self, resources: Iterable[Resource] = ()) -> None:
        self._by_path: dict[tuple[str, str, str], Resource] = {}
        self.generation = 0
        for resource in resources:
            self.add(resource)

    def add(self, resource: Resource) -> None:
        self._by_path[resource.group, resource.version, resource.plural] = resource
        self.generation += 1

    def remove(self, group: str, plural: str) -> None:
        """Stop serving every version of a resource."""
        for path in [p for p in self._by_path if p[0] == group and p[2] == plural]:
            del self._by_path[path]
        self.generation += 1

    def remove_version(self, group: str, version: str, plural: str) -> None:
        """Stop serving one version of a resource."""
        if self._by_path.pop((group, version, plural), None) is not None:
            self.generation += 1

    def find(self, group: str, version: str, plural: str) -> Resource | None:
        return self._by_path.get((group, version, plural))

    def by_kind(self, group: str, version: str, kind: str) -> Resource | None:
        return next((r for r in self if r.group == group and r.version == version and r.kind == kind), None)

    def versions(self, group: str, plural: str) -> list[Resource]:
        return [r for r in self if r.group == group and r.plural == plural]

    def __iter__(self) -> Iterator[Resource]:
        return iter(list(self._by_path.values()))
