"""Amounts and lengths of time as people write them."""

from windlass.apis.wellknown import NVIDIA_GPU
from windlass.kube.quantity import Quantity

Length = int | float | str
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def parse_length(given: Length) -> float:
    """Seconds; or with a unit, `90s`, `5m`, `2h`, `1d`. Raises ValueError."""
    try:
        seconds = float(given) if isinstance(given, int | float) else _with_unit(given.strip())
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise ValueError(f"{given!r} is no length of time, such as 90, 5m, 2h or 1d")
    return seconds


def _with_unit(text: str) -> float:
    unit = _UNITS.get(text[-1:])
    return float(text[:-1]) * unit if unit else float(text)


def parse_amount(name: str, given: str | int | float) -> float:
    """Of a resource: cpu in thousandths, all else in units. Parts of a GPU may be written. Raises ValueError."""
    try:
        if name == NVIDIA_GPU and "." in str(given):
            amount = float(given)
        else:
            quantity = Quantity.parse(given)
            amount = float(quantity.milli() if name == "cpu" else quantity.value())
    except ValueError:
        amount = -1.0
    if not 0 <= amount < float("inf"):
        raise ValueError(f"{given!r} is no amount of {name}, such as 4 or 8Gi")
    return amount
