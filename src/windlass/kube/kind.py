"""What a kind of object is called and where it is served, and the registry of those that Windlass declares.

A kind that Windlass knows is declared once, with `@kind(...)` on its struct. A foreign one is described by the same
`Kind`, read from a server's discovery. Client and informers take either.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal, TypeVar
from urllib.parse import quote

T = TypeVar("T")

ColumnType = Literal["string", "integer", "number", "boolean", "date"]
READ_WRITE = frozenset(("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"))


@dataclass(frozen=True, slots=True)
class Column:
    """One column that `kubectl get` shows; priority 1 is shown with -o wide only."""

    name: str
    json_path: str
    type: ColumnType = "string"
    priority: int = 0
    format: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Where the scale subresource finds its numbers."""

    spec_replicas: str = ".spec.replicas"
    status_replicas: str = ".status.replicas"
    label_selector: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Kind:
    """One kind in one version. Two are the same when they are served at the same place."""

    group: str
    version: str
    name: str
    plural: str
    namespaced: bool = True
    singular: str = ""
    short: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    status: bool = False
    scale: Scale | None = None
    columns: tuple[Column, ...] = ()
    verbs: frozenset[str] = READ_WRITE
    struct: type | None = field(default=None, repr=False)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kind) and self.place == other.place

    def __hash__(self) -> int:
        return hash(self.place)

    def __str__(self) -> str:
        return f"{self.name}.{self.version}.{self.group}" if self.group else f"{self.name}.{self.version}"

    @property
    def place(self) -> tuple[str, str, str]:
        return self.group, self.version, self.plural

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def group_resource(self) -> str:
        """`deployments.apps`, as messages and RBAC name it."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def path(self, namespace: str = "", name: str = "", subresource: str = "") -> str:
        """The URL path of one object, of a collection, or (without `namespace`) of all namespaces' objects."""
        parts = ["/apis", self.group, self.version] if self.group else ["/api", self.version]
        if namespace and self.namespaced:
            parts += ["namespaces", quote(namespace, safe="")]
        parts.append(self.plural)
        if name:
            parts.append(quote(name, safe=""))
        if subresource:
            parts.append(subresource)
        return "/".join(parts)


class Kinds:
    """The declared kinds, by what an object calls itself."""

    def __init__(self) -> None:
        self._by_name: dict[tuple[str, str], Kind] = {}
        self._by_type: dict[type, Kind] = {}

    def add(self, kind: Kind) -> None:
        known = self._by_name.setdefault((kind.api_version, kind.name), kind)
        if known is not kind:
            raise ValueError(f"{kind} is declared twice: by {known.struct} and by {kind.struct}")
        if kind.struct is not None:
            self._by_type[kind.struct] = kind

    def find(self, api_version: str, name: str) -> Kind | None:
        return self._by_name.get((api_version, name))

    def of(self, declared: type) -> Kind:
        """The kind of a declared struct."""
        found = self._by_type.get(declared)
        if found is None:
            raise TypeError(f"{declared.__name__} is not declared with @kind")
        return found

    def __iter__(self) -> Iterator[Kind]:
        return iter(self._by_name.values())

    def values(self) -> list[Kind]:
        return list(self._by_name.values())


KINDS = Kinds()


def kind(
    api_version: str,
    *,
    plural: str,
    singular: str = "",
    short: tuple[str, ...] = (),
    categories: tuple[str, ...] = (),
    namespaced: bool = True,
    status: bool = True,
    scale: Scale | None = None,
    columns: tuple[Column, ...] = (),
) -> Callable[[type[T]], type[T]]:
    """Declare the decorated struct as a kind. `status` and `scale` say which subresources its server has."""
    group, _, version = api_version.rpartition("/")

    def declare(struct: type[T]) -> type[T]:
        KINDS.add(
            Kind(
                group=group,
                version=version,
                name=struct.__name__,
                plural=plural,
                namespaced=namespaced,
                singular=singular or struct.__name__.lower(),
                short=short,
                categories=categories,
                status=status,
                scale=scale,
                columns=columns,
                struct=struct,
            )
        )
        return struct

    return declare
