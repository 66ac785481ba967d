"""Credentials that the server issues to the administrator and to Windlass' own processes.

    DATA/credentials/tokens.csv            every token issued here, in the form of Kubernetes' token file
    DATA/credentials/<name>.kubeconfig     a kubeconfig for kubectl and for Windlass' other processes

All files are readable by their owner only (0600 in a 0700 folder).
"""

import base64
import csv
import io
import json
import secrets
from collections.abc import Iterable
from pathlib import Path

from windlass.apiserver.auth.tokens import read_token_file
from windlass.apiserver.auth.user import AUTHENTICATED, MASTERS, NODES, User, authenticated
from windlass.apiserver.pki import write_file
from windlass.kube.json import Object, is_object

ADMIN = authenticated("kubernetes-admin", "kubernetes-admin", (MASTERS,))
MANAGER = authenticated("system:kube-controller-manager", "system:kube-controller-manager")
GATEWAY = authenticated("system:windlass-gateway", "system:windlass-gateway")
SCHEDULER = authenticated("system:kube-scheduler", "system:kube-scheduler")


def node_user(name: str) -> User:
    return authenticated(f"system:node:{name}", f"system:node:{name}", (NODES,))


class Credentials:
    """The tokens issued in one data directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._file = directory / "tokens.csv"
        self._tokens: dict[User, str] = {}

    @classmethod
    def load_or_create(cls, directory: Path) -> "Credentials":
        """Read the issued tokens; create the administrator's token if it is missing."""
        directory.mkdir(parents=True, exist_ok=True)
        directory.chmod(0o700)
        credentials = cls(directory)
        if credentials._file.exists():
            credentials._tokens = {user: token for token, user in read_token_file(credentials._file)}
        credentials.issue(ADMIN)
        return credentials

    def tokens(self) -> list[tuple[str, User]]:
        """Return the tokens for `Authenticator.add_tokens`."""
        return [(token, user) for user, token in self._tokens.items()]

    def issue(self, user: User) -> str:
        """Return the token of `user`; created and stored on first use."""
        token = self._tokens.get(user)
        if token is None:
            token = self._tokens[user] = secrets.token_urlsafe(32)
            self._write()
        return token

    def write_kubeconfig(
        self, name: str, user: User, server_url: str, ca_pem: bytes, *, path: Path | None = None
    ) -> Path:
        """Write `<name>.kubeconfig` (or `path`) for `user` and return its path; an unchanged file is left alone."""
        target = path or self.directory / f"{name}.kubeconfig"
        write_kubeconfig(target, kubeconfig(server_url, ca_pem, user=user.name, token=self.issue(user)))
        return target

    def _write(self) -> None:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        for user, token in self._tokens.items():
            writer.writerow([token, user.name, user.uid, ",".join(g for g in user.groups if g != AUTHENTICATED)])
        write_file(self._file, text.getvalue().encode(), 0o600)


def kubeconfig(
    server_url: str,
    ca_pem: bytes,
    *,
    user: str = ADMIN.name,
    token: str = "",
    certificate: tuple[bytes, bytes] | None = None,
    context: str = "windlass",
    namespace: str = "",
) -> Object:
    """Build a kubeconfig with one cluster, one user (by token, or by certificate and key in PEM) and one context."""
    if certificate is not None:
        proof: Object = {"client-certificate-data": _b64(certificate[0]), "client-key-data": _b64(certificate[1])}
    else:
        proof = {"token": token}
    where: Object = {"cluster": context, "user": user}
    if namespace:
        where["namespace"] = namespace
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "preferences": {},
        "clusters": [{"name": context, "cluster": {"server": server_url, "certificate-authority-data": _b64(ca_pem)}}],
        "users": [{"name": user, "user": proof}],
        "contexts": [{"name": context, "context": where}],
        "current-context": context,
    }


def write_kubeconfig(path: Path, config: Object) -> None:
    """Write a kubeconfig as YAML, readable by the owner only, atomically."""
    content = ("\n".join(_yaml(config)) + "\n").encode()
    if path.exists() and path.read_bytes() == content and path.stat().st_mode & 0o077 == 0:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, content, 0o600)


def _yaml(value: Object, indent: str = "") -> Iterable[str]:
    """Format nested objects, lists of objects and strings as block YAML, which is all that a kubeconfig needs."""
    for key, item in value.items():
        if is_object(item) and item:
            yield f"{indent}{key}:"
            yield from _yaml(item, indent + "  ")
        elif isinstance(item, list):
            yield f"{indent}{key}:"
            for entry in item:  # pyright: ignore[reportUnknownVariableType] - JSON is Any
                lines = list(_yaml(entry, indent + "  "))  # pyright: ignore[reportUnknownArgumentType] - JSON is Any
                lines[0] = f"{indent}- {lines[0].lstrip()}"
                yield from lines
        else:
            yield f"{indent}{key}: {json.dumps(item)}"


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()
