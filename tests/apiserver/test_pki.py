"""Certificates and keys: made once, private, renewed in time, and good for a real TLS handshake."""

import asyncio
import ssl
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from tests.loops import end_connections
from windlass.apiserver.auth.certificates import user_of_certificate
from windlass.apiserver.pki import CLIENTS, FRONT_PROXY_CLIENT, Pki
from windlass.kube.json import decode, encode

NAMES = {
    "localhost",
    "127.0.0.1",
    "::1",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
    "10.96.0.1",
}


@pytest.fixture(scope="module")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Pki:
    return Pki.load_or_create(tmp_path_factory.mktemp("pki"), ["192.0.2.7", "0.0.0.0"])


def contents(pki: Pki) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in pki.directory.iterdir()}


def a_csr(name: str, organization: str = "", san: str = "") -> bytes:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = [x509.NameAttribute(NameOID.COMMON_NAME, name)]
    if organization:
        subject.append(x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization))
    builder = x509.CertificateSigningRequestBuilder().subject_name(x509.Name(subject))
    if san:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(san)]), critical=False)
    return builder.sign(key, SHA256()).public_bytes(Encoding.PEM)


def test_keys_are_for_their_owner_only(pki: Pki) -> None:
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in pki.directory.iterdir()}

    assert stat.S_IMODE(pki.directory.stat().st_mode) == 0o700
    assert {name for name, mode in modes.items() if mode == 0o600} >= {"ca.key", "server.key", "service-account.key"}


def test_the_server_certificate_names_all_that_clients_may_call_it(pki: Pki) -> None:
    certificate = x509.load_pem_x509_certificate(pki.server_file.read_bytes())
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value

    held = {*names.get_values_for_type(x509.DNSName), *map(str, names.get_values_for_type(x509.IPAddress))}
    assert held >= {*NAMES, "192.0.2.7"}
    assert "0.0.0.0" not in held


def test_a_second_start_changes_nothing(pki: Pki) -> None:
    before = contents(pki)

    Pki.load_or_create(pki.directory, ["192.0.2.7"])

    assert contents(pki) == before


def test_a_usual_start_does_not_load_the_cryptography_library(pki: Pki) -> None:
    code = (
        "import sys; from pathlib import Path; from windlass.apiserver.pki import KUBELET_CLIENT, Pki;"
        "pki = Pki.load_or_create(Path(sys.argv[1]), ['192.0.2.7']);"
        "pki.ssl_context(); pki.client_context(KUBELET_CLIENT);"
        "sys.exit('cryptography' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", code, str(pki.directory)], check=False).returncode == 0


def test_a_child_process_makes_the_same_files(tmp_path: Path) -> None:
    made = Pki.load_or_create(tmp_path, ["192.0.2.9"], in_child=True)

    assert set(contents(made)) == {
        "ca.crt",
        "ca.key",
        "server.crt",
        "server.key",
        "service-account.key",
        "kubelet.crt",
        "kubelet.key",
        "kube-apiserver-kubelet-client.crt",
        "kube-apiserver-kubelet-client.key",
        "front-proxy-client.crt",
        "front-proxy-client.key",
        "state.json",
    }
    made.ssl_context()


@pytest.mark.parametrize("in_child", [False, True])
def test_a_folder_that_cannot_be_made_is_an_os_error(tmp_path: Path, in_child: bool) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(OSError):
        Pki.load_or_create(tmp_path / "file" / "pki", in_child=in_child)


def test_a_ca_key_that_is_rubbish_is_named_by_the_child(tmp_path: Path) -> None:
    Pki.load_or_create(tmp_path)
    (tmp_path / "ca.key").write_text("rubbish")

    with pytest.raises(OSError, match="cannot create certificates"):
        Pki.load_or_create(tmp_path, in_child=True)


def test_a_new_name_makes_a_new_server_certificate_and_keeps_the_rest(tmp_path: Path) -> None:
    before = contents(Pki.load_or_create(tmp_path))

    after = contents(Pki.load_or_create(tmp_path, ["192.0.2.8"]))

    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"server.crt", "server.key", "state.json"}


@pytest.mark.parametrize(
    ("which", "renewed"),
    [
        ("server", {"server.crt", "server.key"}),
        (FRONT_PROXY_CLIENT, {f"{FRONT_PROXY_CLIENT}.crt", f"{FRONT_PROXY_CLIENT}.key"}),
        ("ca", {f"{name}.{end}" for name in ("server", "kubelet", *CLIENTS) for end in ("crt", "key")}),
    ],
)
def test_a_certificate_that_ends_soon_is_renewed(tmp_path: Path, which: str, renewed: set[str]) -> None:
    pki = Pki.load_or_create(tmp_path)
    state = decode(pki.state_file.read_bytes())
    state[which]["ends"] = (datetime.now(UTC) + timedelta(days=1)).timestamp()
    pki.state_file.write_bytes(encode(state))
    before = contents(pki)

    after = contents(Pki.load_or_create(tmp_path))

    assert {name for name in before if before[name] != after[name]} - {"state.json"} == renewed


def test_a_renewed_ca_keeps_its_key_so_that_clients_with_the_old_one_still_trust_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("windlass.apiserver.pki.CA_DAYS", 30)
    old = x509.load_pem_x509_certificate(Pki.load_or_create(tmp_path).ca_pem)
    monkeypatch.undo()

    pki = Pki.load_or_create(tmp_path)

    new = x509.load_pem_x509_certificate(pki.ca_pem)
    assert new.not_valid_after_utc > old.not_valid_after_utc + timedelta(days=3000)
    x509.load_pem_x509_certificate(pki.server_file.read_bytes()).verify_directly_issued_by(old)


def test_a_lost_certificate_is_made_again(tmp_path: Path) -> None:
    pki = Pki.load_or_create(tmp_path)
    key = pki.ca_key_file.read_bytes()
    pki.ca_file.unlink()
    pki.server_key_file.unlink()

    Pki.load_or_create(tmp_path).ssl_context()

    assert pki.ca_key_file.read_bytes() == key


def test_a_ca_that_somebody_put_there_is_used(tmp_path: Path) -> None:
    theirs = Pki.load_or_create(tmp_path / "theirs")
    (tmp_path / "ours").mkdir()
    for file in (theirs.ca_file, theirs.ca_key_file):
        (tmp_path / "ours" / file.name).write_bytes(file.read_bytes())

    ours = Pki.load_or_create(tmp_path / "ours")

    assert ours.ca_pem == theirs.ca_pem
    assert contents(Pki.load_or_create(tmp_path / "ours")) == contents(ours)


@asynccontextmanager
async def a_server(context: ssl.SSLContext) -> AsyncIterator[int]:
    """Tells each caller which user their certificate stands for."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tls: ssl.SSLObject = writer.get_extra_info("ssl_object")
        der = tls.getpeercert(binary_form=True)
        who = user_of_certificate(der)[0].name if der else "nobody"
        writer.write(f"{who} {tls.version()} {tls.selected_alpn_protocol()}\n".encode())
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
    async with server:
        yield server.sockets[0].getsockname()[1]
    await end_connections()


async def hello(port: int, context: ssl.SSLContext, name: str = "localhost") -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=context, server_hostname=name)
    try:
        line = (await reader.readline()).decode().strip()
    finally:
        writer.close()
    return line


async def refused(port: int, context: ssl.SSLContext) -> bool:
    """TLS 1.3 tells a client that its certificate is refused only after the handshake: then nothing comes."""
    try:
        return not await hello(port, context)
    except (ssl.SSLError, ConnectionError):
        return True


def a_client(pki: Pki, certificate: tuple[bytes, bytes] | None = None, folder: Path | None = None) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=str(pki.ca_file))
    context.verify_flags |= ssl.VERIFY_X509_STRICT  # what Python 3.13 asks for by default
    context.set_alpn_protocols(["h2", "http/1.1"])
    if certificate is not None and folder is not None:
        (folder / "client.pem").write_bytes(certificate[0] + certificate[1])
        context.load_cert_chain(folder / "client.pem")
    return context


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "kubernetes.default.svc", "10.96.0.1"])
async def test_a_client_without_a_certificate_may_connect(pki: Pki, name: str) -> None:
    async with a_server(pki.ssl_context()) as port:
        assert await hello(port, a_client(pki), name) == "nobody TLSv1.3 http/1.1"


async def test_a_client_with_a_certificate_of_ours_is_its_user(pki: Pki, tmp_path: Path) -> None:
    client = a_client(pki, pki.client_certificate("jane", ["devs"]), tmp_path)

    async with a_server(pki.ssl_context()) as port:
        assert (await hello(port, client)).startswith("jane ")


async def test_a_certificate_of_another_ca_counts_once_that_ca_is_given(pki: Pki, tmp_path: Path) -> None:
    other = Pki.load_or_create(tmp_path / "other")
    client = a_client(pki, other.client_certificate("eve"), tmp_path)

    async with a_server(pki.ssl_context()) as port:
        assert await refused(port, client)
    async with a_server(pki.ssl_context([other.ca_file])) as port:
        assert (await hello(port, client)).startswith("eve ")


async def test_a_certificate_that_is_over_does_not_connect(pki: Pki, tmp_path: Path) -> None:
    client = a_client(pki, pki.client_certificate("jane", lifetime=timedelta(seconds=-1)), tmp_path)

    async with a_server(pki.ssl_context()) as port:
        assert await refused(port, client)


async def test_old_tls_is_refused(pki: Pki) -> None:
    client = a_client(pki)
    client.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        client.minimum_version = client.maximum_version = ssl.TLSVersion.TLSv1_1

    async with a_server(pki.ssl_context()) as port:
        assert await refused(port, client)


def test_a_signed_request_is_a_client_certificate_for_as_long_as_asked(pki: Pki) -> None:
    made = pki.sign_csr(a_csr("jane", "devs"), "kubernetes.io/kube-apiserver-client", timedelta(hours=2))

    certificate = x509.load_pem_x509_certificate(made)
    user, _ = user_of_certificate(ssl.PEM_cert_to_DER_cert(made.decode()))
    certificate.verify_directly_issued_by(x509.load_pem_x509_certificate(pki.ca_pem))
    usage = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert list(usage) == [ExtendedKeyUsageOID.CLIENT_AUTH]
    assert (user.name, user.groups) == ("jane", ("devs", "system:authenticated"))
    assert timedelta(hours=2) <= certificate.not_valid_after_utc - certificate.not_valid_before_utc < timedelta(hours=3)


async def test_a_certificate_for_client_auth_alone_can_be_used(pki: Pki, tmp_path: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "jane")])
    csr = x509.CertificateSigningRequestBuilder().subject_name(name).sign(key, SHA256()).public_bytes(Encoding.PEM)
    made = pki.sign_csr(csr, "kubernetes.io/kube-apiserver-client", None, ["client auth"])
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())

    async with a_server(pki.ssl_context()) as port:
        assert (await hello(port, a_client(pki, (made, secret), tmp_path))).startswith("jane ")


def test_a_node_gets_its_serving_certificate(pki: Pki) -> None:
    csr = a_csr("system:node:laptop", "system:nodes", "laptop")

    made = pki.sign_csr(csr, "kubernetes.io/kubelet-serving", None, ["digital signature", "server auth"])

    certificate = x509.load_pem_x509_certificate(made)
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["laptop"]


@pytest.mark.parametrize(
    ("csr", "signer", "usages", "complaint"),
    [
        (a_csr("eve", "system:masters"), "kubernetes.io/kube-apiserver-client", [], "system:masters"),
        (a_csr("jane"), "kubernetes.io/kube-apiserver-client", ["server auth"], "usages did not match"),
        (a_csr("jane"), "kubernetes.io/kube-apiserver-client-kubelet", [], "organization is not system:nodes"),
        (a_csr("jane", "system:nodes"), "kubernetes.io/kube-apiserver-client-kubelet", [], "begin with system:node:"),
        (a_csr("system:node:a", "system:nodes"), "kubernetes.io/kubelet-serving", [], "subjectAltName is required"),
        (a_csr("jane"), "example.com/mine", [], "not a signer"),
        (b"rubbish", "kubernetes.io/kube-apiserver-client", [], ""),
    ],
)
def test_a_request_that_its_signer_does_not_sign_is_refused(
    pki: Pki, csr: bytes, signer: str, usages: list[str], complaint: str
) -> None:
    with pytest.raises(ValueError) as refused:
        pki.sign_csr(csr, signer, None, usages)

    assert complaint in str(refused.value)


def test_a_request_whose_signature_is_not_of_its_key_is_refused(pki: Pki) -> None:
    der = bytearray(ssl.PEM_cert_to_DER_cert(_as_certificate(a_csr("jane"))))
    der[-1] ^= 1
    forged = _as_request(ssl.DER_cert_to_PEM_cert(bytes(der)))

    with pytest.raises(ValueError):
        pki.sign_csr(forged, "kubernetes.io/kube-apiserver-client")


def _as_certificate(pem: bytes) -> str:
    return pem.decode().replace("CERTIFICATE REQUEST", "CERTIFICATE")


def _as_request(pem: str) -> bytes:
    return pem.replace("CERTIFICATE", "CERTIFICATE REQUEST").encode()


def test_a_key_made_here_can_be_read_by_others(pki: Pki) -> None:
    _, key = pki.client_certificate("jane")

    read = load_pem_private_key(key, None)
    assert read.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()) == key


def test_the_node_agent_has_a_certificate_for_its_names(tmp_path: Path) -> None:
    pki = Pki.load_or_create(tmp_path)

    held = x509.load_pem_x509_certificate(pki.kubelet_file.read_bytes())
    names = held.extensions.get_extension_for_class(x509.SubjectAlternativeName).value

    assert {"localhost", "metrics-server.kube-system.svc"} <= set(names.get_values_for_type(x509.DNSName))
    assert "127.0.0.1" in [str(address) for address in names.get_values_for_type(x509.IPAddress)]
