"""Users, clients and connectors of a YAML file in dex's format, read again when the file changes.

staticPasswords:                        staticClients:                  connectors:
- email: ann@example.com                - id: grafana                   - type: oidc
  hash: $2y$12$…                          secret: …                       id: company
  username: ann                           redirectURIs: [https://…]       name: Company login
  userID: "17"                                                            config: {issuer, clientID, clientSecret}
  groups: [ml-team]
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from windlass.formats import yaml_reader
from windlass.gateway.identity.clients import OAuthClient
from windlass.gateway.identity.emails import group_problem, normalised, problem
from windlass.gateway.identity.file_fields import BadUsersFile, Fields
from windlass.gateway.identity.passwords import is_hash
from windlass.gateway.identity.user import User

if TYPE_CHECKING:
    from windlass.gateway.identity.connectors.connector import Connector


@dataclass(frozen=True)
class StaticConfig:
    users: tuple[User, ...] = ()
    clients: tuple[OAuthClient, ...] = ()
    connectors: "tuple[Connector, ...]" = ()
    warnings: tuple[str, ...] = ()
    """Of fields that change nothing."""


class StaticFile:
    """The file's latest good contents. A broken edit keeps what was there."""

    def __init__(
        self, path: Path | None, environment: Mapping[str, str], report: Callable[[str], None] = lambda _: None
    ) -> None:
        """Raises BadUsersFile if the file is there and broken. `environment` is for `hashFromEnv`.

        `report` is called once for each broken edit, and for each field of a good one that changes nothing.
        """
        self._path = path
        self._environment = environment
        self._report = report
        self._stamp: tuple[int, int, int] | None = None
        self._problem = ""
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
            stamp = (status.st_mtime_ns, status.st_ctime_ns, status.st_size)  # ctime changes with the file's mode
            if stamp == self._stamp:
                return
            self._stamp = stamp
            self.config = parse(self._path.read_text(), self._environment)
            self.changes += 1
            self._problem = ""
            for warning in self.config.warnings:
                self._report(f"{self._path}: {warning}")
        except FileNotFoundError:
            if self._stamp is not None:
                self.config, self._stamp = StaticConfig(), None
                self.changes += 1
        except (OSError, UnicodeDecodeError, BadUsersFile) as error:
            problem = f"{self._path}: {error}"
            if is_start:
                raise BadUsersFile(problem) from error
            if problem != self._problem:
                self._report(f"{problem}. What it said before counts")
            self._problem = problem


def parse(text: str, environment: Mapping[str, str]) -> StaticConfig:
    """Raises BadUsersFile for the first entry that cannot be used."""
    from windlass.gateway.identity.connectors.entries import connector_of  # most installations have no connectors

    try:
        document: Any = yaml_reader.read(text) or {}
    except yaml_reader.BadYaml as error:
        raise BadUsersFile(f"not YAML: {str(error).splitlines()[0]}") from error
    if not isinstance(document, dict):
        raise BadUsersFile("not a mapping with staticPasswords, staticClients or connectors")
    content = Fields(cast(dict[str, Any], document), "")
    connectors = tuple(connector_of(entry) for entry in content.mappings("connectors"))
    repeated = [one.id for number, one in enumerate(connectors) if one.id in {each.id for each in connectors[:number]}]
    if repeated:
        raise BadUsersFile(f"connectors: the id {repeated[0]!r} is there twice")
    return StaticConfig(
        tuple(_user(entry, environment) for entry in content.mappings("staticPasswords")),
        tuple(_client(entry) for entry in content.mappings("staticClients")),
        connectors,
        tuple(content.warnings),
    )


def _user(entry: Fields, environment: Mapping[str, str]) -> User:
    email = normalised(entry.text("email"))
    if why := problem(email):
        raise BadUsersFile(f"{entry.where}.email: {email!r}: {why}")
    if "hash" not in entry and "hashFromEnv" in entry:
        hashed = environment.get(entry.text("hashFromEnv"), "")
    else:
        hashed = entry.text("hash")
    if not is_hash(hashed):
        raise entry.error("hash", "is neither bcrypt ($2y$…) nor argon2id")
    groups = entry.texts("groups")
    for group in groups:
        if why := group_problem(group):
            raise BadUsersFile(f"{entry.where}.groups: {group!r}: {why}")
    return User(
        email=email,
        username=entry.text("username", email.partition("@")[0]),
        user_id=entry.text("userID", email),
        password_hash=hashed,
        groups=groups,
        source="file",
    )


def _client(entry: Fields) -> OAuthClient:
    is_public = entry.flag("public")
    return OAuthClient(
        client_id=entry.text("id"),
        secret="" if is_public else entry.text("secret"),
        redirect_uris=entry.texts("redirectURIs"),
        is_public=is_public,
    )
