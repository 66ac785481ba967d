"""Signing of CertificateSigningRequests, by the rules of Kubernetes' own signers.

Each signer defines the usages and subjects that it accepts; other requests are refused with a message for the request's
`Failed` condition. Approval happens elsewhere: all requests here are approved.
"""

import base64
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

CLIENT = "kubernetes.io/kube-apiserver-client"
KUBELET_CLIENT = "kubernetes.io/kube-apiserver-client-kubelet"
KUBELET_SERVING = "kubernetes.io/kubelet-serving"
LEGACY = "kubernetes.io/legacy-unknown"
SIGNERS = (CLIENT, KUBELET_CLIENT, KUBELET_SERVING, LEGACY)

SHORTEST, LONGEST = timedelta(seconds=600), timedelta(days=365)
BACKDATE = timedelta(minutes=5)

_ANY_KEY = {"digital signature", "key encipherment"}
_KEY_USAGES = _ANY_KEY | {"signing", "content commitment", "data encipherment", "key agreement"}
_CLIENT_USAGES = _ANY_KEY | {"client auth"}
_SERVER_USAGES = _ANY_KEY | {"server auth"}


def signed(
    ca: "x509.Certificate",
    ca_key: "EllipticCurvePrivateKey | RSAPrivateKey",
    pem: bytes,
    signer: str,
    expiration: timedelta | None,
    usages: Sequence[str],
) -> bytes:
    """Sign a request; returns PEM. Raises ValueError if the request is malformed or does not fit `signer`."""
    from cryptography import x509
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.serialization import Encoding

    request = x509.load_pem_x509_csr(pem)
    if not request.is_signature_valid:
        raise ValueError("the request's signature does not match its key")
    if signer not in SIGNERS:
        raise ValueError(f"{signer!r} is not a signer of this server")
    wanted = set(usages) or {CLIENT: _CLIENT_USAGES, KUBELET_CLIENT: _CLIENT_USAGES}.get(signer, _SERVER_USAGES)
    problem = _problem(request, signer, wanted)
    if problem:
        raise ValueError(problem)
    now = datetime.now(UTC)
    ends = min(now + _lifetime(expiration), ca.not_valid_after_utc)
    builder = (
        x509.CertificateBuilder()
        .subject_name(request.subject)
        .issuer_name(ca.subject)
        .public_key(request.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATE)
        .not_valid_after(ends)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key()), critical=False)
    )
    usage = _key_usage(wanted)
    if usage is not None:
        builder = builder.add_extension(usage, critical=True)
    extended = _extended_usage(wanted)
    if extended is not None:
        builder = builder.add_extension(extended, critical=False)
    names = _alternative_names(request)
    if names is not None and signer != CLIENT:
        builder = builder.add_extension(names, critical=False)
    return builder.sign(ca_key, SHA256()).public_bytes(Encoding.PEM)


def organizations(request: str) -> list[str]:
    """The organizations of a certificate request (PEM in base64, as in the API); empty if it is malformed."""
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    try:
        subject = x509.load_pem_x509_csr(base64.b64decode(request)).subject
    except ValueError:
        return []
    return [str(attribute.value) for attribute in subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)]


def _lifetime(asked: timedelta | None) -> timedelta:
    if asked is None:
        return LONGEST
    return min(max(asked, SHORTEST), LONGEST)


def _problem(request: "x509.CertificateSigningRequest", signer: str, usages: set[str]) -> str:
    from cryptography.x509.oid import NameOID

    names = [str(a.value) for a in request.subject.get_attributes_for_oid(NameOID.COMMON_NAME)]
    organizations = [str(a.value) for a in request.subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)]
    if signer in (CLIENT, KUBELET_CLIENT) and not ("client auth" in usages and usages <= _CLIENT_USAGES):
        return _mismatch(_CLIENT_USAGES)
    if signer == CLIENT:
        # Kubernetes' admission refuses this group too: who may approve requests must not be able to make admins.
        return "the organization system:masters cannot be requested" if "system:masters" in organizations else ""
    if signer == KUBELET_SERVING:
        if not ("server auth" in usages and usages <= _SERVER_USAGES):
            return _mismatch(_SERVER_USAGES)
        if _alternative_names(request) is None:
            return "DNS or IP subjectAltName is required"
    if signer == LEGACY:
        return ""
    if organizations != ["system:nodes"]:
        return "subject organization is not system:nodes"
    if not any(name.startswith("system:node:") and len(name) > len("system:node:") for name in names):
        return "subject common name does not begin with system:node:"
    return ""


def _mismatch(usages: set[str]) -> str:
    return f"usages did not match [{', '.join(sorted(usages))}]"


def _alternative_names(request: "x509.CertificateSigningRequest") -> "x509.SubjectAlternativeName | None":
    from cryptography import x509

    try:
        return request.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return None


def _key_usage(usages: set[str]) -> "x509.KeyUsage | None":
    """The key usage extension, if any usage is requested: TLS libraries refuse an empty extension."""
    from cryptography import x509

    if not usages & _KEY_USAGES:
        return None
    agreement = "key agreement" in usages
    return x509.KeyUsage(
        digital_signature=bool({"digital signature", "signing"} & usages),
        content_commitment="content commitment" in usages,
        key_encipherment="key encipherment" in usages,
        data_encipherment="data encipherment" in usages,
        key_agreement=agreement,
        key_cert_sign=False,
        crl_sign=False,
        encipher_only=agreement and "encipher only" in usages,
        decipher_only=agreement and "decipher only" in usages,
    )


def _extended_usage(usages: set[str]) -> "x509.ExtendedKeyUsage | None":
    from cryptography import x509
    from cryptography.x509.oid import ExtendedKeyUsageOID

    known = {
        "any": ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE,
        "server auth": ExtendedKeyUsageOID.SERVER_AUTH,
        "client auth": ExtendedKeyUsageOID.CLIENT_AUTH,
        "code signing": ExtendedKeyUsageOID.CODE_SIGNING,
        "email protection": ExtendedKeyUsageOID.EMAIL_PROTECTION,
        "timestamping": ExtendedKeyUsageOID.TIME_STAMPING,
        "ocsp signing": ExtendedKeyUsageOID.OCSP_SIGNING,
    }
    chosen = [oid for usage, oid in known.items() if usage in usages]
    return x509.ExtendedKeyUsage(chosen) if chosen else None
