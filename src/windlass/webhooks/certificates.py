"""The serving certificate of the webhooks, signed by its own CA; created if missing, and renewed before it expires.

Certificate and CA are in one Secret, which every manager of an installation reads: whichever manager an API server
calls presents a certificate that the API server trusts.
"""

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from ipaddress import ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

CA_LIFE, LIFE = timedelta(days=3650), timedelta(days=365)
RENEW_BEFORE = timedelta(days=90)
AUTHORITY = "windlass-webhook-ca"
BACKDATE = timedelta(minutes=5)
"""Certificates are valid from a moment in the past, for API servers whose clock is behind."""


@dataclass(frozen=True, kw_only=True)
class Bundle:
    """Certificate, key, CA and CA key in PEM. A Secret holds them under their conventional names."""

    ca: bytes
    ca_key: bytes
    certificate: bytes
    key: bytes

    @classmethod
    def from_secret(cls, data: Mapping[str, str]) -> "Bundle | None":
        """Decode a Secret's `data`; None if something is missing or unreadable."""
        try:
            found = {name: base64.b64decode(data[NAMES[name]], validate=True) for name in NAMES}
        except (KeyError, TypeError, binascii.Error):
            return None
        return cls(**found) if all(found.values()) else None

    def as_secret(self) -> dict[str, str]:
        return {NAMES[one.name]: base64.b64encode(getattr(self, one.name)).decode() for one in fields(self)}


NAMES = {"ca": "ca.crt", "ca_key": "ca.key", "certificate": "tls.crt", "key": "tls.key"}


def renewed(bundle: Bundle | None, names: Sequence[str], now: datetime) -> Bundle:
    """Return `bundle` if it is valid for `names` for long enough, or its replacement, with the same CA if possible."""
    if bundle is None or not _ca_is_good(bundle, now):
        ca_key = _new_key()
        made = Bundle(ca=_pem(_authority(ca_key, now)), ca_key=_key_pem(ca_key), certificate=b"", key=b"")
        return _issued(made, names, now)
    return bundle if _serves(bundle, names, now) else _issued(bundle, names, now)


def _ca_is_good(bundle: Bundle, now: datetime) -> bool:
    from cryptography import x509

    try:
        ca, key = x509.load_pem_x509_certificate(bundle.ca), _read_key(bundle.ca_key)
    except (ValueError, TypeError):
        return False
    return ca.public_key() == key.public_key() and ca.not_valid_after_utc - now > LIFE


def _serves(bundle: Bundle, names: Sequence[str], now: datetime) -> bool:
    from cryptography import x509
    from cryptography.exceptions import InvalidSignature

    try:
        found, ca = (x509.load_pem_x509_certificate(pem) for pem in (bundle.certificate, bundle.ca))
        found.verify_directly_issued_by(ca)
        key = _read_key(bundle.key)
        held = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (ValueError, TypeError, InvalidSignature, x509.ExtensionNotFound):
        return False
    fits = found.public_key() == key.public_key() and set(map(_general_name, names)) <= set(held)
    return fits and found.not_valid_after_utc - now > RENEW_BEFORE


def _issued(bundle: Bundle, names: Sequence[str], now: datetime) -> Bundle:
    """Return the bundle with a new certificate, signed by its CA."""
    from cryptography import x509
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.x509.oid import ExtendedKeyUsageOID

    ca, ca_key, key = x509.load_pem_x509_certificate(bundle.ca), _read_key(bundle.ca_key), _new_key()
    made = (
        _beginning(names[0], now, LIFE)
        .issuer_name(ca.subject)
        .public_key(key.public_key())
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName([_general_name(name) for name in names]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key()), critical=False)
        .sign(ca_key, SHA256())
    )
    return Bundle(ca=bundle.ca, ca_key=bundle.ca_key, certificate=_pem(made), key=_key_pem(key))


def _authority(key: "EllipticCurvePrivateKey", now: datetime) -> "x509.Certificate":
    from cryptography import x509
    from cryptography.hazmat.primitives.hashes import SHA256

    usage = x509.KeyUsage(
        digital_signature=True, key_cert_sign=True, crl_sign=True, content_commitment=False, key_encipherment=False,
        data_encipherment=False, key_agreement=False, encipher_only=False, decipher_only=False,
    )  # fmt: skip
    return (
        _beginning(AUTHORITY, now, CA_LIFE)
        .issuer_name(_named(AUTHORITY))
        .public_key(key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, SHA256())
    )


def _beginning(name: str, now: datetime, life: timedelta) -> "x509.CertificateBuilder":
    from cryptography import x509

    return (
        x509.CertificateBuilder()
        .subject_name(_named(name))
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATE)
        .not_valid_after(now + life)
    )


def _named(name: str) -> "x509.Name":
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name[:64])])  # the most that X.509 allows


def _general_name(name: str) -> "x509.GeneralName":
    from cryptography import x509

    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _new_key() -> "EllipticCurvePrivateKey":
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.generate_private_key(ec.SECP256R1())


def _read_key(pem: bytes) -> "EllipticCurvePrivateKey":
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    key = load_pem_private_key(pem, None)
    if not isinstance(key, EllipticCurvePrivateKey):
        raise ValueError("the key is not an elliptic-curve key")
    return key


def _key_pem(key: "EllipticCurvePrivateKey") -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _pem(certificate: "x509.Certificate") -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding

    return certificate.public_bytes(Encoding.PEM)
