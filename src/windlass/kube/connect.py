"""Ways to a server: its Unix socket, an address with credentials, a kubeconfig, or a pod's own service account.

Credentials are tokens, token files, client certificates, and the logins of clouds by exec plug-ins.
"""

import asyncio
import base64
import os
import ssl
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from windlass.formats import yaml_reader
from windlass.kube.client import Client
from windlass.kube.exec_plugin import PluginCredential, read_plugin
from windlass.kube.json import Object as Json
from windlass.kube.json import dig, dig_list, dig_object
from windlass.kube.reconnecting import ReconnectingTransport
from windlass.kube.transport import Credential, HttpTransport, Token, TokenFile

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


def by_socket(
    path: Path, *, token_file: Path | None = None, user_agent: str = "windlass", restart_seconds: float = 0.0
) -> Client:
    """The embedded server on this machine: no TLS, and the token of the part of Windlass that asks.

    With `restart_seconds`, requests wait that long for a server that is restarting.
    """
    credential = TokenFile(token_file, time.monotonic) if token_file is not None else None
    transport = HttpTransport("http://windlass", socket=path, credential=credential, user_agent=user_agent)
    return Client(ReconnectingTransport(transport, restart_seconds) if restart_seconds else transport)


def by_address(
    url: str,
    *,
    ca: bytes | None = None,
    token: str = "",
    token_file: Path | None = None,
    certificate: bytes | None = None,
    private_key: bytes | None = None,
    verify: bool = True,
    server_name: str = "",
    user_agent: str = "windlass",
) -> Client:
    """PEM in, client out. A token file wins over a token, and is read again as it is rotated."""
    credential: Credential | None = Token(token) if token else None
    if token_file is not None:
        credential = TokenFile(token_file, time.monotonic)
    tls = tls_context(ca, certificate, private_key, verify=verify) if url.startswith("https") else None
    return Client(HttpTransport(url, tls=tls, credential=credential, user_agent=user_agent, server_name=server_name))


def tls_context(
    ca: bytes | None, certificate: bytes | None = None, private_key: bytes | None = None, *, verify: bool = True
) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=ca.decode() if ca else None)
    if not verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if certificate and private_key:
        load_key_pair(context, certificate, private_key)
    return context


def load_key_pair(context: ssl.SSLContext, certificate: bytes, private_key: bytes) -> None:
    """The ssl module reads key pairs from files only, so one is there for as long as it takes."""
    with tempfile.TemporaryDirectory(prefix="windlass-") as folder:
        pair = Path(folder, "pair.pem")
        pair.touch(mode=0o600)
        pair.write_bytes(certificate.rstrip() + b"\n" + private_key)
        context.load_cert_chain(pair)


def in_cluster(environment: Mapping[str, str] = os.environ, *, folder: Path = SERVICE_ACCOUNT) -> Client:
    """The service account that a pod runs as."""
    host, port = environment.get("KUBERNETES_SERVICE_HOST"), environment.get("KUBERNETES_SERVICE_PORT")
    token_file = folder / "token"
    if not host or not port or not token_file.exists():
        raise ValueError("not in a cluster: KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT or the token is missing")
    address = f"[{host}]" if ":" in host else host
    ca = folder / "ca.crt"
    return by_address(f"https://{address}:{port}", ca=ca.read_bytes() if ca.exists() else None, token_file=token_file)


async def by_kubeconfig(path: Path, *, context: str = "", user_agent: str = "windlass") -> Client:
    text = await asyncio.to_thread(path.read_text)
    config = cast(Json, yaml_reader.read(text) or {})
    chosen = context or str(config.get("current-context") or "")
    named = dig_object(_named(config, "contexts", chosen, path), "context")
    user = dig_object(_named(config, "users", str(named.get("user", "")), path), "user") if named.get("user") else {}
    cluster = dig_object(_named(config, "clusters", str(named.get("cluster", "")), path), "cluster")
    try:
        return await asyncio.to_thread(_by_entries, cluster, user, path.parent, user_agent)
    except ValueError as error:
        raise ValueError(f'{path}: user "{named.get("user", "")}": {error}') from error


def _named(config: Json, section: str, name: str, path: Path) -> Json:
    for entry in dig_list(config, section):
        if entry.get("name") == name:
            return cast(Json, entry)
    raise ValueError(f'{path} has no entry "{name}" in {section}')


def _by_entries(cluster: Json, user: Json, folder: Path, user_agent: str) -> Client:
    """Raises ValueError."""
    if "auth-provider" in user:
        name = dig(user, "auth-provider", "name")
        raise ValueError(
            f'auth-provider: "{name}" is not supported. Exec plug-ins have replaced these logins: '
            f"get a kubeconfig with one, for OpenID Connect with `kubectl oidc-login setup`"
        )
    url = str(cluster.get("server", ""))
    ca = _pem(cluster, "certificate-authority", folder)
    tls = None
    if url.startswith("https"):
        tls = tls_context(
            ca,
            _pem(user, "client-certificate", folder),
            _pem(user, "client-key", folder),
            verify=not cluster.get("insecure-skip-tls-verify"),
        )
    if ca and "exec" in user:
        cluster = {**cluster, "certificate-authority-data": base64.b64encode(ca).decode()}
    credential = _credential(cluster, user, folder, tls)
    server_name = str(cluster.get("tls-server-name") or "")
    return Client(HttpTransport(url, tls=tls, credential=credential, user_agent=user_agent, server_name=server_name))


def _credential(cluster: Json, user: Json, folder: Path, tls: ssl.SSLContext | None) -> Credential | None:
    if user.get("tokenFile"):
        return TokenFile(folder / str(user["tokenFile"]), time.monotonic)
    if user.get("token"):
        return Token(str(user["token"]))
    if "exec" not in user:
        return None

    def use_certificate(certificate: bytes, private_key: bytes) -> None:
        if tls is not None:
            load_key_pair(tls, certificate, private_key)

    return PluginCredential(read_plugin(dig_object(user, "exec"), cluster, folder), use_certificate)


def _pem(entry: Json, key: str, folder: Path) -> bytes | None:
    """Inline data wins over a file, whose path may be relative to the kubeconfig."""
    if entry.get(f"{key}-data"):
        return base64.b64decode(str(entry[f"{key}-data"]))
    return (folder / str(entry[key])).read_bytes() if entry.get(key) else None
