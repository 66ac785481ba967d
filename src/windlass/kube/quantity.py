"""Amounts of a resource, as Kubernetes writes them: `500m`, `1.5`, `128Mi`, `1e3`.

A `Quantity` is exact: it holds an integer number of nano-units, the finest that Kubernetes keeps (finer ones are
rounded up). Its magnitude is at most 2^63-1: larger ones are capped, as the API documents, so that an amount that was
parsed always fits a float. It remembers which family of suffixes it was written in, and prints the canonical form in
that family.
"""

import re
from functools import lru_cache, total_ordering
from typing import Final

FORMAT_ERROR: Final = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
SUFFIX_ERROR: Final = "unable to parse quantity's suffix"
NUMBER_ERROR: Final = "unable to parse numeric part of quantity"

PATTERN: Final = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)
"""What a CustomResourceDefinition's schema says of one."""

_SHAPE: Final = re.compile(r"([+-]?)([0-9]*+)(?:\.([0-9]*+))?([eEinumkKMGTP]*[-+]?[0-9]*)")
_EXPONENT: Final = re.compile(r"[eE][+-]?[0-9]{1,18}")
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_SUFFIX: Final = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_BINARY_SUFFIX: Final = ("", *_BINARY)
_NANO: Final = 10**9
_MAX_NANO: Final = (2**63 - 1) * _NANO
_MAX_DIGITS: Final = 1000  # of a number as it is written
_MAX_EXPONENT: Final = 2**31 - 1  # what Kubernetes' decoder keeps of one

DECIMAL_SI: Final = "DecimalSI"
BINARY_SI: Final = "BinarySI"
DECIMAL_EXPONENT: Final = "DecimalExponent"


@total_ordering
class Quantity:
    """An immutable amount; equal amounts are equal however they are written."""

    __slots__ = ("format", "nano")

    def __init__(self, nano: int, format: str = DECIMAL_SI) -> None:
        self.nano = nano
        self.format = format

    @staticmethod
    def parse(text: "str | int | float | Quantity") -> "Quantity":
        """The amount that `text` says; ValueError with Kubernetes' message where it says none."""
        if isinstance(text, Quantity):
            return text
        if isinstance(text, bool) or not isinstance(text, str | int | float):  # pyright: ignore[reportUnnecessaryIsInstance] - JSON from a stranger
            raise ValueError(FORMAT_ERROR)
        return _parse(text if isinstance(text, str) else str(text))

    @classmethod
    def of_milli(cls, milli: int) -> "Quantity":
        return cls(milli * 10**6)

    def value(self) -> int:
        """Whole units, rounded away from zero."""
        return _divided_up(self.nano, _NANO)

    def milli(self) -> int:
        """Thousandths, rounded away from zero."""
        return _divided_up(self.nano, 10**6)

    def __str__(self) -> str:
        if self.format == BINARY_SI and abs(self.nano) >= 1024 * _NANO and self.nano % _NANO == 0:
            return _binary_text(self.nano // _NANO)
        return _decimal_text(self.nano, self.format)

    def __repr__(self) -> str:
        return f"Quantity({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and self.nano == other.nano

    def __lt__(self, other: "Quantity") -> bool:
        return self.nano < other.nano

    def __gt__(self, other: "Quantity") -> bool:
        return self.nano > other.nano

    def __hash__(self) -> int:
        return hash(self.nano)

    def __bool__(self) -> bool:
        return self.nano != 0

    def __add__(self, other: "Quantity") -> "Quantity":
        return Quantity(self.nano + other.nano, self.format if self.nano else other.format)

    def __sub__(self, other: "Quantity") -> "Quantity":
        return Quantity(self.nano - other.nano, self.format if self.nano else other.format)

    def __neg__(self) -> "Quantity":
        return Quantity(-self.nano, self.format)

    def __mul__(self, times: int) -> "Quantity":
        return Quantity(self.nano * times, self.format)


ZERO: Final = Quantity(0)


@lru_cache(maxsize=4096)
def _parse(text: str) -> Quantity:
    found = _SHAPE.fullmatch(text)
    if found is None or not text.isascii() or not (found[2] or found[3] is not None):
        raise ValueError(FORMAT_ERROR)
    sign, whole, fraction, suffix = found[1], found[2], found[3] or "", found[4]
    base, exponent, format_ = _suffix(suffix)
    if not 0 < len(whole) + len(fraction) <= _MAX_DIGITS:
        raise ValueError(NUMBER_ERROR)
    number = int(whole + fraction)
    if base == 2:
        number <<= exponent
        exponent = 0
    nano = _nano(number, exponent - len(fraction))
    if format_ == BINARY_SI and nano < _NANO:
        format_ = DECIMAL_SI
    return Quantity(-nano if sign == "-" else nano, format_)


def _nano(number: int, exponent: int) -> int:
    """`number` times ten to the `exponent`, rounded up to nano-units and capped, without making huge numbers."""
    if not number:
        return 0
    if exponent >= 0:
        return min(number * _NANO * 10 ** min(exponent, 19), _MAX_NANO)
    divisor = 10 ** min(-exponent, _MAX_DIGITS + 19)  # what is left by more is rounded up to one nano-unit just so
    return min(_divided_up(number * _NANO, divisor), _MAX_NANO)


def _suffix(suffix: str) -> tuple[int, int, str]:
    """(base, exponent, family) of a suffix."""
    if suffix in _DECIMAL:
        return 10, _DECIMAL[suffix], DECIMAL_SI
    if suffix in _BINARY:
        return 2, _BINARY[suffix], BINARY_SI
    if _EXPONENT.fullmatch(suffix) and abs(int(suffix[1:])) <= _MAX_EXPONENT:
        return 10, int(suffix[1:]), DECIMAL_EXPONENT
    raise ValueError(SUFFIX_ERROR)


def _divided_up(number: int, divisor: int) -> int:
    """The quotient, rounded away from zero."""
    return -(-number // divisor) if number >= 0 else number // divisor


def _decimal_text(nano: int, format_: str) -> str:
    """The shortest whole mantissa whose exponent is a multiple of three."""
    if nano == 0:
        return "0"
    mantissa, exponent = nano, -9
    while mantissa % 1000 == 0 and (format_ == DECIMAL_EXPONENT or exponent < 18):
        mantissa //= 1000
        exponent += 3
    if format_ != DECIMAL_EXPONENT:
        return f"{mantissa}{_DECIMAL_SUFFIX[exponent]}"
    return f"{mantissa}e{exponent}" if exponent else str(mantissa)


def _binary_text(value: int) -> str:
    power = 0
    while value % 1024 == 0 and power < 6:
        value //= 1024
        power += 1
    return f"{value}{_BINARY_SUFFIX[power]}"
