"""Read amounts, times and references from objects as JSON. Odd values never raise: they count as absent."""

from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec

from windlass.gateway.views.parts import Amount, ObjectRef
from windlass.kube.json import Json, dig, timestamp
from windlass.kube.meta import Struct
from windlass.kube.objects import without_nulls
from windlass.kube.quantity import Quantity

S = TypeVar("S", bound=Struct)

ZERO = Amount(text="0", value=0.0)
BYTES = ("memory", "storage", "ephemeral-storage", "hugepages", "disk")
BINARY_UNITS = ("Ki", "Mi", "Gi", "Ti", "Pi")


def amount_of(text: object, resource: str = "") -> Amount:
    """A quantity of a manifest; 0 for what is none."""
    try:
        quantity = Quantity.parse(str(text))
    except (ValueError, OverflowError):
        return ZERO
    return amount(resource, quantity.nano / 1e9)


def amount(resource: str, value: float) -> Amount:
    """A value, written for people: `2400` or `0.25` of what is counted, `22.4Gi` of what is measured in bytes."""
    return Amount(text=binary_text(value) if is_bytes(resource) else decimal_text(value), value=value)


def decimal_text(value: float) -> str:
    """To three decimals, the finest that Kubernetes keeps of a CPU."""
    return f"{value:.3f}".rstrip("0").rstrip(".")


def is_bytes(resource: str) -> bool:
    name = resource.removeprefix("requests.").removeprefix("limits.")
    return name.startswith(BYTES)


def binary_text(value: float) -> str:
    """`1536Mi`, `64Gi`: at most four digits before the unit."""
    number, unit = float(round(value)), ""
    for larger in BINARY_UNITS:
        if abs(number) < 10240 and not (abs(number) >= 1024 and number % 1024 == 0):
            break
        number, unit = number / 1024, larger
    return f"{number:.0f}{unit}" if number == round(number) or abs(number) >= 100 else f"{number:.1f}{unit}"


def whole(value: object, default: int = 0) -> int:
    """A count in an object."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return default
    try:
        return int(value)
    except (ValueError, OverflowError):
        return default


def text(value: object) -> str:
    return value if isinstance(value, str) else ""


def time_of(value: object) -> datetime | None:
    """A time of the API; None for what is none."""
    if not isinstance(value, str) or not value:
        return None
    try:
        moment = datetime.fromisoformat(value.replace("Z", "+00:00"))
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def time_text(value: object) -> str | None:
    """The same time as text in UTC; None for what is none."""
    moment = time_of(value)
    return timestamp(moment) if moment is not None else None


def seconds_between(start: datetime | None, end: datetime | None) -> float | None:
    if start is None or end is None:
        return None
    return max(0.0, round((end - start).total_seconds(), 1))


def reference(obj: Json, *, kind: str = "", api_version: str = "") -> ObjectRef:
    """Names an object; lists leave out `kind` and `apiVersion`, so these can be given."""
    return ObjectRef(
        api_version=text(dig(obj, "apiVersion")) or api_version,
        kind=text(dig(obj, "kind")) or kind,
        namespace=text(dig(obj, "metadata", "namespace")),
        name=name_of(obj),
        uid=text(dig(obj, "metadata", "uid")),
    )


def name_of(obj: Json) -> str:
    return text(dig(obj, "metadata", "name"))


def namespace_of(obj: Json) -> str:
    return text(dig(obj, "metadata", "namespace"))


def key_text(obj: Json) -> str:
    """`namespace/name`."""
    return f"{namespace_of(obj)}/{name_of(obj)}"


def labels_of(obj: Json) -> dict[str, Any]:
    found = dig(obj, "metadata", "labels")
    return found if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownVariableType] - JSON is Any


def typed(obj: Json, of: type[S]) -> S | None:
    """The object as its struct; None for one that has another shape."""
    try:
        return msgspec.convert(without_nulls(obj), of)
    except msgspec.ValidationError:
        return None
