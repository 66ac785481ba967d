"""The server's certificates and keys: created at the first start, renewed in time, stored under DATA/pki.

    ca.crt, ca.key                 the CA of the server certificate and of client certificates
    server.crt, server.key         the serving certificate; replaced when its host names change
    kubelet.crt, kubelet.key       the serving certificate of the node agent
    NAME.crt, NAME.key             the client certificates of the server itself, see `CLIENTS`
    service-account.key            signs service account tokens
    state.json                     validity of the files, so that most starts need not read certificates

All keys are P-256, which takes a millisecond to generate. `cryptography` is imported only when something must be
created or read; with `in_child=True` a short-lived process does even that, which saves 20 MB of memory in the server.
"""

import hashlib
import ipaddress
import os
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from windlass.kube.json import Object, decode, dig, encode, is_object

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey, EllipticCurvePublicKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

    CaKey = EllipticCurvePrivateKey | RSAPrivateKey

CA_DAYS, LEAF_DAYS = 3650, 365
KUBELET_CLIENT, FRONT_PROXY_CLIENT = "kube-apiserver-kubelet-client", "front-proxy-client"
CLIENTS: dict[str, tuple[str, ...]] = {KUBELET_CLIENT: ("system:masters",), FRONT_PROXY_CLIENT: ()}
"""As whom the server asks node agents and remote API servers, with the groups in the certificate."""
RENEW_BEFORE_DAYS = {"ca": 365, "server": 60, "kubelet": 60, **dict.fromkeys(CLIENTS, 60)}
BACKDATE = timedelta(minutes=5)
"""Certificates are valid from a moment in the past, for clients whose clock is behind."""
SERVICE_ADDRESS = "10.96.0.1"
NAMES = (
    "localhost",
    "127.0.0.1",
    "::1",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
    SERVICE_ADDRESS,
)


AGENT_NAMES = ("localhost", "127.0.0.1", "::1", "metrics-server.kube-system.svc")
"""Names of the node agent, besides the machine's own: it also serves metrics.k8s.io behind that Service."""


class Pki:
    """The files of one data directory. Created by `load_or_create`."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.ca_file = directory / "ca.crt"
        self.ca_key_file = directory / "ca.key"
        self.server_file = directory / "server.crt"
        self.server_key_file = directory / "server.key"
        self.kubelet_file = directory / "kubelet.crt"
        self.kubelet_key_file = directory / "kubelet.key"
        self.service_account_key_file = directory / "service-account.key"
        self.state_file = directory / "state.json"
        self._client_contexts: dict[str, ssl.SSLContext] = {}

    @classmethod
    def load_or_create(cls, directory: Path, hosts: Iterable[str] = (), *, in_child: bool = False) -> "Pki":
        """Load the files, or create those that are missing or not valid for `hosts` (besides the standard names)."""
        pki = cls(directory)
        wanted = serving_names(hosts)
        if not pki._needed(wanted, time.time()):
            return pki
        directory.mkdir(parents=True, exist_ok=True)
        directory.chmod(0o700)
        if in_child:
            pki._make_in_child(wanted)
        else:
            pki.make(wanted)
        return pki

    @property
    def ca_pem(self) -> bytes:
        return self.ca_file.read_bytes()

    def ssl_context(self, client_ca_files: Sequence[Path] = ()) -> ssl.SSLContext:
        """The TLS settings of a server with optional client certificates of our CA and of `client_ca_files`."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(self.server_file, self.server_key_file)
        for trusted in (self.ca_file, *client_ca_files):
            context.load_verify_locations(cafile=trusted)
        context.verify_mode = ssl.CERT_OPTIONAL
        context.set_alpn_protocols(["http/1.1"])
        return context

    def make(self, names: Sequence[str]) -> None:
        """Create files that are missing, expiring or do not fit `names`. A renewed CA keeps its key, and is trusted."""
        needed = self._needed(names, time.time())
        if "ca" in needed and not self._has_good_ca():
            ca_key = _read_key(self.ca_key_file) if self.ca_key_file.exists() else _new_key(self.ca_key_file)
            write_file(self.ca_file, _pem(_self_signed(ca_key)), 0o644)
        if "server" in needed or "ca" in needed:
            key = _new_key(self.server_key_file)
            made = self._issue(key.public_key(), "kube-apiserver", (), names=names, server=True, client=False)
            write_file(self.server_file, made, 0o644)
        if "kubelet" in needed or "ca" in needed:
            key, node, agent = _new_key(self.kubelet_key_file), socket.gethostname().lower(), agent_names()
            user = f"system:node:{node}"
            made = self._issue(key.public_key(), user, ("system:nodes",), names=agent, server=True, client=False)
            write_file(self.kubelet_file, made, 0o644)
        for name, groups in CLIENTS.items():
            if name in needed or "ca" in needed:
                self._make_client(name, groups)
        if "service-account" in needed:
            _new_key(self.service_account_key_file)
        self._write_state(names)

    def _make_in_child(self, names: Sequence[str]) -> None:
        command = [sys.executable, "-m", "windlass.apiserver.pki", str(self.directory), *names]
        done = subprocess.run(
            command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60
        )
        if done.returncode:
            last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
            raise OSError(f"cannot create certificates in {self.directory}: {last}")

    def client_certificate(
        self, name: str, groups: Iterable[str] = (), lifetime: timedelta = timedelta(days=LEAF_DAYS)
    ) -> tuple[bytes, bytes]:
        """Return (certificate, key), both PEM, for user `name` in `groups`."""
        key = _generate()
        made = self._issue(
            key.public_key(), name, tuple(groups), names=(), server=False, client=True, lifetime=lifetime
        )
        return made, _key_pem(key)

    def client_context(self, name: str) -> ssl.SSLContext:
        """The TLS settings of one of `CLIENTS` that trusts only our CA, for any host."""
        context = self._client_contexts.get(name)
        if context is None:
            context = self._client_contexts[name] = ssl.create_default_context(cafile=self.ca_file)
            context.check_hostname = False  # node agents are known by address, and only our CA signs for them
            context.load_cert_chain(*self.client_files(name))
        return context

    def client_files(self, name: str) -> tuple[Path, Path]:
        """The certificate of one of `CLIENTS` and its key."""
        return self.directory / f"{name}.crt", self.directory / f"{name}.key"

    def _make_client(self, name: str, groups: Iterable[str]) -> None:
        certificate, key = self.client_files(name)
        made, made_key = self.client_certificate(name, groups)
        write_file(key, made_key, 0o600)
        write_file(certificate, made, 0o644)

    def sign_csr(
        self, pem: bytes, signer: str, expiration: timedelta | None = None, usages: Sequence[str] = ()
    ) -> bytes:
        """Sign a CertificateSigningRequest; returns PEM. Raises ValueError with the reason of a refusal."""
        from windlass.apiserver.auth.csr import signed

        return signed(self._read_ca(), _read_key(self.ca_key_file), pem, signer, expiration, usages)

    def _issue(
        self,
        public: "EllipticCurvePublicKey",
        name: str,
        groups: Sequence[str],
        *,
        names: Sequence[str],
        server: bool,
        client: bool,
        lifetime: timedelta = timedelta(days=LEAF_DAYS),
    ) -> bytes:
        from cryptography import x509
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

        ca, ca_key = self._read_ca(), _read_key(self.ca_key_file)
        subject = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups]
        subject.append(x509.NameAttribute(NameOID.COMMON_NAME, name))
        usage = [ExtendedKeyUsageOID.SERVER_AUTH] * server + [ExtendedKeyUsageOID.CLIENT_AUTH] * client
        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(x509.Name(subject))
            .issuer_name(ca.subject)
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - BACKDATE)
            .not_valid_after(min(now + lifetime, ca.not_valid_after_utc))
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_key_usage(signs_certificates=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage(usage), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key()), critical=False)
        )
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName([_san(n) for n in names]), critical=False)
        return _pem(builder.sign(ca_key, SHA256()))

    def _has_good_ca(self) -> bool:
        """Whether the CA's own files are usable: a user may have replaced them."""
        if not self.ca_file.exists() or not self.ca_key_file.exists():
            return False
        ca = self._read_ca()
        left = ca.not_valid_after_utc - datetime.now(UTC)
        fits = ca.public_key() == _read_key(self.ca_key_file).public_key()
        return fits and left > timedelta(days=RENEW_BEFORE_DAYS["ca"])

    def _read_ca(self) -> "x509.Certificate":
        from cryptography import x509

        return x509.load_pem_x509_certificate(self.ca_file.read_bytes())

    def _needed(self, names: Sequence[str], now: float) -> set[str]:
        """Return which of ca, server, kubelet, `CLIENTS` and service-account must be created."""
        needed: set[str] = set()
        state = self._read_state()
        for which, files in self._pairs().items():
            ends = dig(state, which, "ends")
            fresh = isinstance(ends, int | float) and now < ends - RENEW_BEFORE_DAYS[which] * 86_400
            if not fresh or dig(state, which, "digest") != _digest(*files):
                needed.add(which)
        if not set(names) <= set(dig(state, "server", "names") or ()):
            needed.add("server")
        if not set(agent_names()) <= set(dig(state, "kubelet", "names") or ()):
            needed.add("kubelet")
        if not self.service_account_key_file.exists():
            needed.add("service-account")
        return needed

    def _pairs(self) -> dict[str, tuple[Path, Path]]:
        """Certificates and their keys."""
        return {
            "ca": (self.ca_file, self.ca_key_file),
            "server": (self.server_file, self.server_key_file),
            "kubelet": (self.kubelet_file, self.kubelet_key_file),
            **{name: self.client_files(name) for name in CLIENTS},
        }

    def _read_state(self) -> Object:
        try:
            state = decode(self.state_file.read_bytes())
        except (OSError, ValueError):
            return {}
        return state if is_object(state) else {}

    def _write_state(self, names: Sequence[str]) -> None:
        from cryptography import x509

        state: Object = {}
        for which, (path, key) in self._pairs().items():
            certificate = x509.load_pem_x509_certificate(path.read_bytes())
            state[which] = {"ends": certificate.not_valid_after_utc.timestamp(), "digest": _digest(path, key)}
        state["server"]["names"], state["kubelet"]["names"] = list(names), agent_names()
        write_file(self.state_file, encode(state), 0o600)


def serving_names(hosts: Iterable[str]) -> list[str]:
    """The names and addresses of the server's certificate, the standard ones first."""
    asked = [host.strip("[]") for host in hosts]
    wildcard = {"", "0.0.0.0", "::"}
    return list(dict.fromkeys([*NAMES, socket.gethostname().lower(), *(h for h in asked if h not in wildcard)]))


def agent_names() -> list[str]:
    """The names and addresses of the node agent's certificate."""
    return list(dict.fromkeys([*AGENT_NAMES, socket.gethostname().lower()]))


def write_file(path: Path, content: bytes, mode: int) -> None:
    """Replace `path` atomically: a reader sees the old or the new content, and never with wider permissions."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.unlink(missing_ok=True)
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(file.fileno(), mode)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def _digest(*paths: Path) -> str:
    found = hashlib.sha256()
    for path in paths:
        found.update(path.read_bytes() if path.exists() else b"missing")
    return found.hexdigest()


def _generate() -> "EllipticCurvePrivateKey":
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.generate_private_key(ec.SECP256R1())


def _key_pem(key: "EllipticCurvePrivateKey") -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _new_key(path: Path) -> "EllipticCurvePrivateKey":
    key = _generate()
    write_file(path, _key_pem(key), 0o600)
    return key


def _read_key(path: Path) -> "CaKey":
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    key = load_pem_private_key(path.read_bytes(), None)
    if not isinstance(key, EllipticCurvePrivateKey | RSAPrivateKey):
        raise ValueError(f"{path} is neither an elliptic-curve nor an RSA key")
    return key


def _pem(certificate: "x509.Certificate") -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding

    return certificate.public_bytes(Encoding.PEM)


def _self_signed(key: "CaKey") -> "x509.Certificate":
    from cryptography import x509
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.x509.oid import NameOID

    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "windlass-ca")])
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - BACKDATE)
        .not_valid_after(now + timedelta(days=CA_DAYS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(_key_usage(signs_certificates=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, SHA256())
    )


def _key_usage(*, signs_certificates: bool) -> "x509.KeyUsage":
    from cryptography import x509

    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=True,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _san(name: str) -> "x509.GeneralName":
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


if __name__ == "__main__":
    Pki(Path(sys.argv[1])).make(sys.argv[2:])
