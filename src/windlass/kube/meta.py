"""The metadata that every Kubernetes object carries, as typed structs, and `Struct`, the base of all of them.

A struct knows the fields that Windlass works with and drops the others when it decodes. So code never writes a decoded
struct back whole: it applies the fields it owns (`Client.apply`) or patches the ones it means to change.

A field left at its default is not sent. Where a zero must differ from an absent value (`replicas: 0`), declare
the field `int | None = None`.
"""

from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, TypeAlias, dataclass_transform

import msgspec
from msgspec import Meta, field

__all__ = [
    "Condition",
    "Key",
    "LabelSelector",
    "LabelSelectorRequirement",
    "ListMeta",
    "Meta",
    "Object",
    "ObjectMeta",
    "OwnerReference",
    "PartialObjectMetadata",
    "Struct",
    "Time",
    "field",
    "parse_time",
]

Time: TypeAlias = str
"""RFC 3339, as on the wire: most are only passed on, and a string costs less than a datetime."""

OPTIONS: dict[str, Any] = {
    "frozen": True,
    "kw_only": True,
    "omit_defaults": True,
    "rename": "camel",
    "gc": False,  # what is decoded from JSON has no cycles, and caches hold a great many of these
}


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(msgspec.field,))
class KubeStructMeta(msgspec.StructMeta):
    """Gives every struct of the Kubernetes vocabulary the same options, so that no declaration repeats them."""

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any) -> Any:
        for option, value in OPTIONS.items():
            options.setdefault(option, value)
        return super().__new__(mcls, name, bases, namespace, **options)


class Struct(msgspec.Struct, metaclass=KubeStructMeta):
    """Immutable, keyword-only, camelCase on the wire, defaults left out."""


class Key(NamedTuple):
    """Which object of a kind; `namespace` is empty for cluster-scoped kinds."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


class OwnerReference(Struct):
    """Names the object that this one belongs to and goes with."""

    api_version: str
    kind: str
    name: str
    uid: str
    controller: bool | None = None
    block_owner_deletion: bool | None = None


class ObjectMeta(Struct):
    """What all objects have. `managedFields` and `selfLink` are left undecoded: no controller reads them."""

    name: str = ""
    generate_name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: Time | None = None
    deletion_timestamp: Time | None = None
    deletion_grace_period_seconds: int | None = None
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    owner_references: list[OwnerReference] = []
    finalizers: list[str] = []

    @property
    def key(self) -> Key:
        return Key(self.namespace, self.name)

    @property
    def controller(self) -> OwnerReference | None:
        """The one owner that manages this object, if any."""
        return next((owner for owner in self.owner_references if owner.controller), None)


class ListMeta(Struct):
    resource_version: str = ""
    continue_: str = field(name="continue", default="")
    remaining_item_count: int | None = None


class Condition(Struct):
    """One aspect of an object's state, as in `kubectl describe`; see `windlass.kube.conditions`."""

    type: str
    status: Literal["True", "False", "Unknown"] = "Unknown"
    observed_generation: int = 0
    last_transition_time: Time | None = None
    reason: str = ""
    message: str = ""


class LabelSelectorRequirement(Struct):
    key: str
    operator: str
    values: list[str] = []


class LabelSelector(Struct):
    """Both parts must hold; an empty selector matches everything."""

    match_labels: dict[str, str] = {}
    match_expressions: list[LabelSelectorRequirement] = []


class Object(Struct):
    """The base of every declared kind. `apiVersion` and `kind` come from its declaration, not from a field."""

    metadata: ObjectMeta = ObjectMeta()


class PartialObjectMetadata(Struct):
    """An object of any kind of which only the metadata was asked for."""

    metadata: ObjectMeta = ObjectMeta()


def parse_time(text: Time) -> datetime:
    """The moment that an RFC 3339 string of the API names. At the ends of the calendar its time zone is ignored."""
    moment = datetime.fromisoformat(text)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return moment.replace(tzinfo=UTC)
