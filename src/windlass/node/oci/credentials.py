# pyright: strict
"""Users and passwords of registries, from the Secrets that a pod names in imagePullSecrets. Pure."""

import base64
import binascii
import hashlib
from collections.abc import Iterable
from fnmatch import fnmatchcase

import msgspec
from msgspec import Struct

from windlass.kube.json import Object, dig_object, is_object, parse
from windlass.node.images.reference import HUB, HUB_ALIASES, Reference

_HUB_KEYS = frozenset({HUB, *HUB_ALIASES})


class Credential(Struct, frozen=True):
    username: str
    password: str

    @property
    def fingerprint(self) -> str:
        """Identifies the credential in records, without disclosing it."""
        return hashlib.sha256(msgspec.json.encode([self.username, self.password])).hexdigest()

    @property
    def basic(self) -> str:
        return "Basic " + base64.b64encode(f"{self.username}:{self.password}".encode()).decode()


class Keyring:
    """The credentials of a pod, in the order of its Secrets."""

    def __init__(self, entries: Iterable[tuple[str, Credential]] = ()) -> None:
        self._entries = [(_place(key), credential) for key, credential in entries]

    def matching(self, reference: Reference) -> list[Credential]:
        """Return the credentials for a repository, those of the longest matching path first, as kubelet does."""
        found = [(place, credential) for place, credential in self._entries if _matches(place, reference)]
        found.sort(key=lambda entry: -len(entry[0]))
        return list(dict.fromkeys(credential for _, credential in found))


def keyring(secrets: Iterable[Object]) -> Keyring:
    """Return the credentials of Secrets of the types dockerconfigjson and dockercfg; others have none."""
    return Keyring(entry for secret in secrets for entry in _of_secret(secret))


def _of_secret(secret: Object) -> Iterable[tuple[str, Credential]]:
    data = dig_object(secret, "data")
    config = _decoded(data.get(".dockerconfigjson"))
    entries = dig_object(config, "auths") or _decoded(data.get(".dockercfg"))
    for key, value in entries.items():
        credential = _credential(value) if is_object(value) else None
        if credential is not None:
            yield key, credential


def _decoded(value: object) -> Object:
    try:
        config = parse(base64.b64decode(str(value or "")))
    except (binascii.Error, ValueError):
        return {}
    return config if is_object(config) else {}


def _credential(entry: Object) -> Credential | None:
    """Return user and password, which `auth` has in base64."""
    username, password = str(entry.get("username") or ""), str(entry.get("password") or "")
    if not username and entry.get("auth"):
        try:
            username, _, password = base64.b64decode(str(entry["auth"])).decode().partition(":")
        except (binascii.Error, ValueError):
            return None
    return Credential(username, password.rstrip("\0")) if username else None


def _place(key: str) -> tuple[str, ...]:
    """Return host and path of a key such as `https://index.docker.io/v1/` or `registry.example.com/team`."""
    host, *path = [part for part in (key.partition("://")[2] or key).split("/") if part] or [""]
    if path in (["v1"], ["v2"]):
        path = []
    return (HUB if host in _HUB_KEYS else host, *path)


def _matches(place: tuple[str, ...], reference: Reference) -> bool:
    host, *path = place
    wanted, there = host.split("."), reference.registry.split(".")
    same_host = len(wanted) == len(there) and all(map(fnmatchcase, there, wanted))
    return same_host and reference.repository.split("/")[: len(path)] == path
