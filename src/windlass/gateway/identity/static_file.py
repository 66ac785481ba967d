"""Users, clients and issuers of a YAML file in dex's format, read again when the file changes.

staticPasswords:                        staticClients:                  connectors:
- email: ann@example.com                - id: grafana                   - type: oidc
  hash: $2y$12$…                          secret: …                       id: company
  username: ann                           redirectURIs: [https://…]       name: Company login
  userID: "17"                                                            config: {issuer, clientID, clientSecret}
  groups: [ml-team]
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from windlass.gateway.identity.clients import OAuthClient
from windlass.gateway.identity.connectors import Connector
from windlass.gateway.identity.emails import group_problem, normalised, problem
from windlass.gateway.identity.passwords import is_hash
from windlass.gateway.identity.user import User


class BadUsersFile(Exception):
    """The file cannot be used; the message names the entry."""


@dataclass(frozen=True)
class StaticConfig:
    users: tuple[User, ...] = ()
    clients: tuple[OAuthClient, ...] = ()
    connectors: tuple[Connector, ...] = ()


class StaticFile:
    """The file's latest good contents. A broken edit keeps what was there and is reported by `problem`."""

    def __init__(self, path: Path | None, environment: Mapping[str, str]) -> None:
        """Raises BadUsersFile if the file is there and broken. `environment` is for `hashFromEnv`."""
        self._path = path
        self._environment = environment
        self._stamp: tuple[int, int] | None = None
        self.problem = ""
        self.changes = 0
        self.config = StaticConfig()
        self._reload(is_start=True)

    def refresh(self) -> StaticConfig:
        self._reload(is_start=False)
        return self.config

    def _reload(self, *, is_start: bool) -> None:
        if self._path is None:
            return
        try:
            status = os.stat(self._path)  # noqa: PTH116 - a Path would be made again for each request
            stamp = (status.st_mtime_ns, status.st_size)
            if stamp == self._stamp:
                return
            self.config, self.problem, self._stamp = parse(self._path.read_text(), self._environment), "", stamp
            self.changes += 1
        except FileNotFoundError:
            if self._stamp is not None:
                self.config, self._stamp = StaticConfig(), None
                self.changes += 1
        except (OSError, UnicodeDecodeError, BadUsersFile) as error:
            self.problem = f"{self._path}: {error}"
            if is_start:
                raise BadUsersFile(self.problem) from error


def parse(text: str, environment: Mapping[str, str]) -> StaticConfig:
    """Raises BadUsersFile for the first entry that cannot be used."""
    import yaml

    try:
        document: Any = yaml.safe_load(text) or {}
    except yaml.YAMLError as error:
        raise BadUsersFile(f"not YAML: {str(error).splitlines()[0]}") from error
    if not isinstance(document, dict):
        raise BadUsersFile("not a mapping with staticPasswords, staticClients or connectors")
    content = cast(dict[str, Any], document)
    return StaticConfig(
        tuple(_user(entry, where, environment) for entry, where in _entries(content, "staticPasswords")),
        tuple(_client(entry, where) for entry, where in _entries(content, "staticClients")),
        tuple(_connector(entry, where) for entry, where in _entries(content, "connectors")),
    )


def _entries(content: dict[str, Any], key: str) -> list[tuple[dict[str, Any], str]]:
    listed: Any = content.get(key) or []
    if not isinstance(listed, list):
        raise BadUsersFile(f"{key} is not a list")
    found: list[tuple[dict[str, Any], str]] = []
    for number, entry in enumerate(cast(list[Any], listed)):
        if not isinstance(entry, dict):
            raise BadUsersFile(f"{key}[{number}] is not a mapping")
        found.append((cast(dict[str, Any], entry), f"{key}[{number}]"))
    return found


def _text(entry: dict[str, Any], key: str, where: str, default: str | None = None) -> str:
    value = entry.get(key, default)
    if not isinstance(value, str | int) or isinstance(value, bool) or (value == "" and default is None):
        raise BadUsersFile(f"{where}.{key} is missing or not a text")
    return str(value)


def _texts(entry: dict[str, Any], key: str, where: str) -> tuple[str, ...]:
    value: Any = entry.get(key) or []
    if not isinstance(value, list) or not all(isinstance(item, str) for item in cast(list[Any], value)):
        raise BadUsersFile(f"{where}.{key} is not a list of texts")
    return tuple(cast(list[str], value))


def _user(entry: dict[str, Any], where: str, environment: Mapping[str, str]) -> User:
    email = normalised(_text(entry, "email", where))
    if why := problem(email):
        raise BadUsersFile(f"{where}.email: {email!r}: {why}")
    if "hash" not in entry and "hashFromEnv" in entry:
        hashed = environment.get(_text(entry, "hashFromEnv", where), "")
    else:
        hashed = _text(entry, "hash", where)
    if not is_hash(hashed):
        raise BadUsersFile(f"{where}.hash is neither bcrypt ($2y$…) nor argon2id")
    groups = _texts(entry, "groups", where)
    for group in groups:
        if why := group_problem(group):
            raise BadUsersFile(f"{where}.groups: {group!r}: {why}")
    return User(
        email=email,
        username=_text(entry, "username", where, email.partition("@")[0]),
        user_id=_text(entry, "userID", where, email),
        password_hash=hashed,
        groups=groups,
        source="file",
    )


def _client(entry: dict[str, Any], where: str) -> OAuthClient:
    is_public = bool(entry.get("public", False))
    return OAuthClient(
        client_id=_text(entry, "id", where),
        secret="" if is_public else _text(entry, "secret", where),
        redirect_uris=_texts(entry, "redirectURIs", where),
        is_public=is_public,
    )


def _connector(entry: dict[str, Any], where: str) -> Connector:
    kind = _text(entry, "type", where)
    if kind != "oidc":
        raise BadUsersFile(f"{where}.type: {kind!r} is not supported; oidc is")
    config: Any = entry.get("config")
    if not isinstance(config, dict):
        raise BadUsersFile(f"{where}.config is missing")
    given = cast(dict[str, Any], config)
    name = _text(entry, "id", where)
    if name == "local" or not name.replace("-", "").replace("_", "").isalnum():
        raise BadUsersFile(f"{where}.id: {name!r} is not a name of letters, digits and dashes, or is taken")
    return Connector(
        id=name,
        name=_text(entry, "name", where, name),
        issuer=_text(given, "issuer", f"{where}.config").rstrip("/"),
        client_id=_text(given, "clientID", f"{where}.config"),
        client_secret=_text(given, "clientSecret", f"{where}.config", ""),
        scopes=_texts(given, "scopes", f"{where}.config") or ("openid", "email", "profile"),
        groups_claim=_text(given, "groupsClaim", f"{where}.config", "groups"),
        trusts_unverified_email=bool(given.get("insecureSkipEmailVerified", False)),
    )
