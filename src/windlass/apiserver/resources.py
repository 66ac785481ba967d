"""What the server serves: one `Resource` per resource and version, built in or from a CustomResourceDefinition.

A Resource has its address (group, version, plural, scope), its `schema` and `columns`, and its special behaviour
(`strategy`). The verbs read nothing else, so a custom resource and a Pod take the same path.
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
from windlass.kube.series import Series

if TYPE_CHECKING:
    from windlass.apiserver.conversions import RemoteConversion

ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of `kubectl get`. Priority 0 is always shown, 1 with -o wide."""

    name: str
    cell: Callable[[Object, datetime], Any]
    """The cell of a decoded object, with ages relative to a time (aware, UTC)."""
    type: str = "string"
    format: str = ""
    description: str = ""
    priority: int = 0


def keep_old(new: Object, old: Object) -> None:
    """Undo all changes except the server's own bookkeeping, before the one mutable part is set again."""
    metadata = new["metadata"]
    new.clear()
    new.update(old)
    kept = {name: metadata[name] for name in ("managedFields", "resourceVersion") if name in metadata}
    new["metadata"] = {**old["metadata"], **kept}


class Strategy:
    """The special behaviour of a kind. The base class is a kind with a spec, a status and nothing special.

    All methods take decoded JSON that passed the schema check (known fields, right JSON types). `default`,
    `prepare_create` and `prepare_update` change their first argument in place; `validate*` only read.
    """

    generation_fields: ClassVar[tuple[str, ...] | None] = None
    """The top-level fields whose change increments the generation: () for no generation, None for all fields except
    metadata and status.
    """

    allows_create_on_update: ClassVar[bool] = False
    """Whether PUT of a name that does not exist creates the object."""

    allows_unconditional_update: ClassVar[bool] = True
    """Whether an update may leave out metadata.resourceVersion."""

    orphans_dependents: ClassVar[bool] = False
    """Whether dependents are orphaned if the client sets no propagation policy."""

    orphans_warning: ClassVar[str] = ""
    """The warning to such a client."""

    returns_deleted: ClassVar[bool] = False
    """Whether a deletion returns the object's last state instead of a Status."""

    qualified_finalizers: ClassVar[bool] = False
    """Whether a custom finalizer must have a slash in its name, as in `example.com/mine`."""

    prototypes: Series[Any] | None = None
    """Room for `verbs/prototypes.py`, for a kind whose objects come in series; None for others."""

    def default(self, obj: Object) -> None:
        """Set defaults. Runs on every write, before admission; must be idempotent."""

    def refresh(self, obj: Object) -> None:
        """Adapt an object that was stored under an earlier schema to the current one when it is read."""

    def prepare_create(self, obj: Object) -> None:
        """Drop fields that a creator may not set. By default: the status, if it is a subresource."""

    def prepare_update(self, new: Object, old: Object) -> None:
        """Restore from `old` what an update of the main resource may not change besides status."""

    def prepare_status(self, new: Object, old: Object) -> None:
        """Restore from `old` everything that a write of the status may not change."""
        status = new.get("status")
        keep_old(new, old)
        if status is None:
            new.pop("status", None)
        else:
            new["status"] = status

    def prepare_subresource(self, subresource: str, new: Object, old: Object) -> None:
        """Restore from `old` everything that a write of `subresource` (except status) may not change."""

    def prepare_delete(self, obj: Object) -> None:
        """Add what the first DELETE of an object sets, for example a finalizer of the server's own."""

    def validate(self, obj: Object) -> list[Cause]:
        """Return all errors of `obj` by itself (the verbs validate metadata)."""
        return []

    def validate_create(self, obj: Object) -> tuple[list[Cause], list[str]]:
        """Return all errors of a new object, and the warnings about a valid one."""
        causes = self.validate(obj)
        return causes, [] if causes else self.warnings(obj)

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        """Return the errors of the change from `old` to `new`, such as immutable fields; `validate(new)` runs too."""
        return []

    def validate_change(self, new: Object, old: Object) -> list[Cause]:
        """Return all errors of an update; overridden by kinds that tolerate old errors in unchanged fields."""
        return [*self.validate(new), *self.validate_update(new, old)]

    def validate_name(self, name: str) -> list[str]:
        """Return the errors in a name; empty if it is valid. Default: a DNS subdomain."""
        return dns_subdomain_errors(name)

    def selectable_fields(self, obj: Object) -> dict[str, str]:
        """The field selectors of a kind, besides metadata.name and metadata.namespace, with their values."""
        return {}

    def warnings(self, obj: Object) -> list[str]:
        """Return warnings (HTTP Warning header) about an accepted object."""
        return []


@dataclass(frozen=True, kw_only=True)
class ScaleSpec:
    """The paths of the scale subresource (without the leading dot)."""

    spec_replicas: str = "spec.replicas"
    status_replicas: str = "status.replicas"
    label_selector: str = "spec.selector"


@dataclass(frozen=True, kw_only=True)
class Resource:
    """A resource in one version."""

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
    """The version in which objects are stored; other served versions are converted on read and write."""
    storage_group: str | None = None
    """The group whose storage it shares (core Events for events.k8s.io)."""
    deprecated: str = ""
    """The Warning of every request, if not empty."""
    custom: bool = False
    """Whether a CustomResourceDefinition declares it: wrong types give 422, and nulls may be significant."""
    terminating: bool = False
    """Whether its CustomResourceDefinition is being deleted: objects can be changed, but not created."""
    conformed_since: int = 0
    """The revision of the last schema change: objects written before may not conform, and are refreshed on read."""
    proxied: bool = False
    """Whether another server serves it, as declared by an APIService."""
    strategy: Strategy = field(default_factory=Strategy)
    load_schema: Callable[[], Schema]
    load_columns: Callable[[], tuple[Column, ...]] | None = None
    openapi: Callable[[], Object] | None = None
    """The `openAPIV3Schema` of a custom resource; None for a built-in kind, whose definition is found by its kind."""
    to_storage: Callable[[Object], Object] | None = None
    from_storage: Callable[[Object], Object] | None = None
    conversion: "RemoteConversion | None" = None
    """Replaces the two functions above, which then raise, if a webhook converts."""

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
        """Drop nulls as Kubernetes' decoders do: of a custom resource only in metadata, which is typed."""
        if self.custom:
            drop_nulls_of_metadata(self.schema, obj)
        else:
            drop_nulls(self.schema, obj)

    @cached_property
    def store_key(self) -> str:
        """The key of its objects in the store: the same for all versions of a resource."""
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
        """The resource, or its storage version if a webhook converts, for verbs that work on any version."""
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
    Column("Created At", _created, "date", "", "The creation time of the object."),
)


class Registry:
    """All served resources. CustomResourceDefinitions add and remove some; `generation` increases with every change."""

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
