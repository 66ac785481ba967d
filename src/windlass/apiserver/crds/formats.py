"""String formats that Kubernetes validates in custom resources (`format:` beside `type: string`).

Formats that are not in this table (`int32`, `ip`, a vendor's own) are accepted and ignored, as in Kubernetes.
"""

import base64
import binascii
import ipaddress
import re
from collections.abc import Callable, Mapping
from datetime import date
from urllib.parse import urlsplit

from windlass.kube.names import dns_label_errors, dns_subdomain_errors

_DATE_TIME = re.compile(
    r"\d{4}-\d\d-\d\d[Tt ](?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-]\d\d:?\d\d)", re.ASCII
)
_GO_DURATION = re.compile(r"[+-]?(?:0|(?:(?:\d++\.?\d*+|\.\d++)(?:ns|us|µs|μs|ms|s|m|h))+)", re.ASCII)
_LONGEST_DURATION = 1000  # the time that a text of digits takes grows with the square of its length
_WORDED_DURATION = re.compile(
    r"\d+\s*(?:ns?|nanos?|nanoseconds?|us|µs?|micros?|microseconds?|ms|millis?|milliseconds?|s|secs?|seconds?|m|mins?|"
    r"minutes?|h|hours?|hr|hrs|d|days?|w|weeks?|wk|wks)",
    re.ASCII,
)
_HOSTNAME = re.compile(
    r"[a-zA-Z0-9_](?:[a-zA-Z0-9_-]{0,61}[a-zA-Z0-9_])?(?:\.[a-zA-Z0-9_](?:[a-zA-Z0-9_-]{0,61}[a-zA-Z0-9_])?)*\.?"
)
_EMAIL = re.compile(r"(?:[^<>@]*<)?[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+@[A-Za-z0-9\[\]:._-]+>?")
_MAC = re.compile(
    r"(?:[0-9A-Fa-f]{2}([:-]))(?:[0-9A-Fa-f]{2}\1){4,18}[0-9A-Fa-f]{2}|(?:[0-9A-Fa-f]{4}\.){2,9}[0-9A-Fa-f]{4}"
)
_UUID = r"[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?%s[0-9a-fA-F]{3}-?%s[0-9a-fA-F]{3}-?[0-9a-fA-F]{12}"
_ANY, _VARIANT = "[0-9a-fA-F]", "[89abAB]"
_RGB = re.compile(r"rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)")


def _full(pattern: str | re.Pattern[str]) -> Callable[[str], bool]:
    compiled = re.compile(pattern)
    return lambda text: compiled.fullmatch(text) is not None


def _date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return len(text) == 10


def _date_time(text: str) -> bool:
    return _DATE_TIME.fullmatch(text) is not None and _date(text[:10])


def _duration(text: str) -> bool:
    if len(text) > _LONGEST_DURATION:
        return False
    return (_GO_DURATION.fullmatch(text) or _WORDED_DURATION.fullmatch(text)) is not None


def _byte(text: str) -> bool:
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _uri(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return text.startswith("/") or (bool(parts.scheme) and bool(parts.netloc or parts.path))


def _ip(version: int) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        try:
            return ipaddress.ip_address(text).version == version
        except ValueError:
            return False

    return check


def _cidr(text: str) -> bool:
    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        return False
    return "/" in text and text.rpartition("/")[2].isdigit()


def _hostname(text: str) -> bool:
    return len(text) <= 255 and _HOSTNAME.fullmatch(text) is not None


def _rgb(text: str) -> bool:
    found = _RGB.fullmatch(text)
    return found is not None and all(int(part) <= 255 for part in found.groups())


def _isbn10(text: str) -> bool:
    digits = text.replace("-", "").replace(" ", "")
    if not re.fullmatch(r"\d{9}[\dX]", digits):
        return False
    return sum((10 - n) * (10 if d == "X" else int(d)) for n, d in enumerate(digits)) % 11 == 0


def _isbn13(text: str) -> bool:
    digits = text.replace("-", "").replace(" ", "")
    if not re.fullmatch(r"\d{13}", digits):
        return False
    return sum(int(d) * (3 if n % 2 else 1) for n, d in enumerate(digits)) % 10 == 0


def _credit_card(text: str) -> bool:
    digits = [int(d) for d in re.sub(r"[^0-9]", "", text)]
    if not 13 <= len(digits) <= 16:
        return False
    doubled = [d if n % 2 == 0 else (d * 2 - 9 if d > 4 else d * 2) for n, d in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0


FORMATS: Mapping[str, Callable[[str], bool]] = {
    "bsonobjectid": _full(r"[0-9a-fA-F]{24}"),
    "byte": _byte,
    "cidr": _cidr,
    "creditcard": _credit_card,
    "date": _date,
    "datetime": _date_time,
    "duration": _duration,
    "email": _full(_EMAIL),
    "hexcolor": _full(r"#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})"),
    "hostname": _hostname,
    "ipv4": _ip(4),
    "ipv6": _ip(6),
    "isbn": lambda text: _isbn10(text) or _isbn13(text),
    "isbn10": _isbn10,
    "isbn13": _isbn13,
    "k8slongname": lambda text: not dns_subdomain_errors(text),
    "k8sshortname": lambda text: not dns_label_errors(text),
    "mac": _full(_MAC),
    "password": lambda text: True,
    "rgbcolor": _rgb,
    "ssn": _full(r"\d{3}[- ]?\d{2}[- ]?\d{4}"),
    "uri": _uri,
    "uuid": _full(_UUID % (_ANY, _ANY)),
    "uuid3": _full(_UUID % ("3", _ANY)),
    "uuid4": _full(_UUID % ("4", _VARIANT)),
    "uuid5": _full(_UUID % ("5", _VARIANT)),
}


def format_check(name: str) -> Callable[[str], bool] | None:
    """The check of a format by its name in a schema, `date-time` and `datetime` alike; None if unknown."""
    return FORMATS.get(name.replace("-", ""))
