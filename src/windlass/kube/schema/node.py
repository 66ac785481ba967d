"""One node of a kind's structure, and whether a value fits it.

Fitting is the fast question, asked of every write; `check` asks again, slowly, for what is wrong and where.
"""

import base64
import re
from collections.abc import Callable
from typing import Any, Final, cast

from windlass.kube.json import Object
from windlass.kube.quantity import Quantity

Fits = Callable[["Schema", Any], bool]
PythonType = type[Any]

_RFC3339: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d([.,]\d+)?([Zz]|[+-]\d\d:\d\d)\Z")


class Schema:
    """One node of a kind's structure; do not change one after it is built: nodes are shared.

    A node made for a `$ref` starts empty, and the first read of any attribute copies the definition's into it.
    """

    type: str
    properties: "dict[str, Schema]"
    items: "Schema | None"
    list_type: str
    list_keys: tuple[str, ...]
    key_defaults: Object
    map_type: str
    patch_strategy: tuple[str, ...]
    merge_key: str
    preserve_unknown: bool
    required: tuple[str, ...]
    nullable: bool
    format: str
    name: str  # of the definition, for example io.k8s.api.core.v1.PodSpec; "" where the type is written in place
    whole: bool  # whether server-side apply owns such a list or map as one field
    plain: "PythonType | None"  # a value of exactly this Python type needs no further look
    fits: Fits  # whether a value is whole and right, at full speed and without saying why not

    __slots__ = (
        "_load",
        "fits",
        "format",
        "items",
        "key_defaults",
        "list_keys",
        "list_type",
        "map_type",
        "merge_key",
        "name",
        "nullable",
        "patch_strategy",
        "plain",
        "preserve_unknown",
        "properties",
        "required",
        "type",
        "whole",
    )
    _load: "Callable[[Schema], None] | None"

    def __init__(self, type: str = "any", **given: Any) -> None:
        self._load = None
        self.type = type
        self.properties = given.get("properties", {})
        self.items = given.get("items")
        self.list_type = given.get("list_type", "atomic")
        self.list_keys = given.get("list_keys", ())
        self.key_defaults = given.get("key_defaults", {})
        self.map_type = given.get("map_type", "granular")
        self.patch_strategy = given.get("patch_strategy", ())
        self.merge_key = given.get("merge_key", "")
        self.preserve_unknown = given.get("preserve_unknown", False)
        self.required = given.get("required", ())
        self.nullable = given.get("nullable", False)
        self.format = given.get("format", "")
        self.name = given.get("name", "")
        self.whole = (self.list_type if type == "list" else self.map_type) == "atomic"
        self.plain = _plain(type, self.format)
        self.fits = TYPES[type]

    def __getattr__(self, name: str) -> Any:
        # Reached only while a slot is unset, which is so only before a `$ref` was followed.
        load = None if name == "_load" else self._load
        if load is None:
            raise AttributeError(name)
        load(self)
        self._load = None
        return object.__getattribute__(self, name)

    @classmethod
    def lazy(cls, load: "Callable[[Schema], None]") -> "Schema":
        """A node that `load` fills when it is first looked at."""
        schema = cls.__new__(cls)
        schema._load = load
        return schema

    def __repr__(self) -> str:
        return f"<Schema {self.type} {self.name}>".replace(" >", ">")


def _fits_object(schema: Schema, value: Any) -> bool:
    if value.__class__ is not dict:
        return False
    known = schema.properties
    for key, item in value.items():
        child = known.get(key)
        if child is None:
            if not schema.preserve_unknown:
                return False
        elif item.__class__ is not child.plain and not child.fits(child, item):
            return False
    return True


def _fits_map(schema: Schema, value: Any) -> bool:
    if value.__class__ is not dict:
        return False
    child = cast(Schema, schema.items)
    plain = child.plain
    for item in value.values():  # noqa: SIM110 - a generator costs as much as the whole loop
        if item.__class__ is not plain and not child.fits(child, item):
            return False
    return True


def _fits_list(schema: Schema, value: Any) -> bool:
    if value.__class__ is not list:
        return False
    child = cast(Schema, schema.items)
    plain = child.plain
    for item in value:  # noqa: SIM110 - a generator costs as much as the whole loop
        if item.__class__ is not plain and not child.fits(child, item):
            return False
    return True


def _fits_string(schema: Schema, value: Any) -> bool:
    return value.__class__ is str and format_error(schema.format, value) is None


def _fits_integer(schema: Schema, value: Any) -> bool:
    if value.__class__ is not int:
        return False
    if -0x80000000 <= value <= 0x7FFFFFFF:
        return True
    return schema.format != "int32" and -(2**63) <= value < 2**63


def _fits_number(schema: Schema, value: Any) -> bool:
    return value.__class__ is int or value.__class__ is float


def _fits_boolean(schema: Schema, value: Any) -> bool:
    return value.__class__ is bool


def _fits_int_or_string(schema: Schema, value: Any) -> bool:
    return value.__class__ is str or value.__class__ is int


def _fits_quantity(schema: Schema, value: Any) -> bool:
    return quantity_error(value) is None


def quantity_error(value: Any) -> str | None:
    """Why this is no amount, in the words of the decoder."""
    try:
        Quantity.parse(value)
    except ValueError as error:
        return str(error)
    return None


def _fits_any(schema: Schema, value: Any) -> bool:
    return value is not None


TYPES: Final[dict[str, Fits]] = {
    "object": _fits_object,
    "map": _fits_map,
    "list": _fits_list,
    "string": _fits_string,
    "integer": _fits_integer,
    "number": _fits_number,
    "boolean": _fits_boolean,
    "int-or-string": _fits_int_or_string,
    "quantity": _fits_quantity,
    "any": _fits_any,
}


def _plain(type_: str, format_: str) -> "PythonType | None":
    if type_ == "string":
        return None if format_ in ("date-time", "byte") else str
    return bool if type_ == "boolean" else None


def format_error(format_: str, text: str) -> str | None:
    """Why Go could not decode this text, for the formats that are more than text to it."""
    if format_ == "date-time":
        if _RFC3339.match(text):
            return None
        return f'parsing time "{text}" as "2006-01-02T15:04:05Z07:00": cannot parse "{text}" as "2006"'
    if format_ == "byte":
        try:
            base64.b64decode(text, validate=True)
        except ValueError:  # binascii.Error too; plain for text that is not ASCII
            good = re.match(r"[A-Za-z0-9+/\r\n]*", text)
            return f"illegal base64 data at input byte {len(good[0]) if good else 0}"
    return None


ANY: Final = Schema("any", preserve_unknown=True)  # fields inside are owned one by one, as in a preserving CRD
ATOMIC_ANY: Final = Schema("any", preserve_unknown=True, map_type="atomic")  # owned whole, as a RawExtension


def short_name(name: str) -> str:
    """`PodSpec` of `io.k8s.api.core.v1.PodSpec`."""
    return name.rpartition(".")[2]
