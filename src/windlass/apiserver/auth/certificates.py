"""The user of a client certificate: its common name, with its organizations as groups.

The TLS layer has verified the chain before; this only reads the subject. It parses the DER itself (an X.509 certificate
is nested length-prefixed values), because loading the cryptography library into every server for two strings costs 20
MB.
"""

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime

from windlass.apiserver.auth.user import User, authenticated, extra_of

SEQUENCE, SET, EXPLICIT_VERSION = 0x30, 0x31, 0xA0
UTC_TIME, GENERALIZED_TIME = 0x17, 0x18
COMMON_NAME, ORGANIZATION, UID = b"\x55\x04\x03", b"\x55\x04\x0a", b"\x2b\x06\x01\x04\x01\x83\x8c\x4f\x02"
"""Object identifiers 2.5.4.3, 2.5.4.10, and 1.3.6.1.4.1.57683.2, which Kubernetes reads the user's uid from."""

_ENCODINGS = {0x1E: "utf-16-be", 0x1C: "utf-32-be", 0x14: "latin-1"}


def user_of_certificate(der: bytes) -> tuple[User, float]:
    """Return (user, expiry in seconds since 1970). Raises ValueError for an invalid certificate or an empty subject."""
    try:
        fields = _certificate_fields(der)
        _, _, validity = fields[3]
        subject = _subject(fields[4])
        expires = _moment(list(_values(validity))[1])
    except (IndexError, UnicodeDecodeError) as error:
        raise ValueError("the certificate cannot be read") from error
    names = subject.get(COMMON_NAME)
    if not names:
        raise ValueError("the certificate has no common name")
    extra = extra_of({"authentication.kubernetes.io/credential-id": [f"X509SHA256={hashlib.sha256(der).hexdigest()}"]})
    uid = subject.get(UID, [""])[0]
    return authenticated(names[-1], uid, subject.get(ORGANIZATION, ()), extra), expires


_Value = tuple[int, bytes, bytes]


def _certificate_fields(der: bytes) -> list[_Value]:
    """Yield serial, algorithm, issuer, validity, subject, … of the signed part."""
    certificate = list(_values(der))
    signed = list(_values(certificate[0][2]))
    fields = list(_values(signed[0][2]))
    return fields[1:] if fields and fields[0][0] == EXPLICIT_VERSION else fields


def _values(data: bytes) -> Iterator[_Value]:
    """Yield (tag, whole, content) of each value in a sequence of DER values."""
    at = 0
    while at < len(data):
        tag, length, start = data[at], data[at + 1], at + 2
        if length & 0x80:
            octets = length & 0x7F
            if not 1 <= octets <= 4:
                raise ValueError("the certificate has a length that DER does not allow")
            length, start = int.from_bytes(data[start : start + octets], "big"), start + octets
        end = start + length
        if end > len(data):
            raise ValueError("the certificate ends too early")
        yield tag, data[at:end], data[start:end]
        at = end


def _subject(value: _Value) -> dict[bytes, list[str]]:
    found: dict[bytes, list[str]] = {}
    for _, _, relative in _values(value[2]):
        for _, _, attribute in _values(relative):
            (_, _, kind), (tag, _, text) = list(_values(attribute))[:2]
            found.setdefault(kind, []).append(text.decode(_ENCODINGS.get(tag, "utf-8")))
    return found


def _moment(value: _Value) -> float:
    tag, _, content = value
    text = content.decode("ascii")
    if tag == UTC_TIME:
        text = ("19" if text[:2] >= "50" else "20") + text
    elif tag != GENERALIZED_TIME:
        raise ValueError("the certificate has an invalid validity period")
    return datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=UTC).timestamp()
