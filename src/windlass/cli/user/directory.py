"""The gateway's users, sessions and tokens, opened by a command."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from windlass.cli.failure import Failure
from windlass.cli.settings import Settings, data_dir_at
from windlass.gateway.database import BadDatabase, Database, DatabaseUnavailable
from windlass.gateway.identity.file_fields import BadUsersFile
from windlass.gateway.identity.own_secrets import OwnSecrets
from windlass.gateway.identity.signing_keys import SigningKeys
from windlass.gateway.identity.static_file import StaticFile
from windlass.gateway.identity.users import Users
from windlass.gateway.login.audit import AuditLog
from windlass.gateway.sessions.store import Sessions
from windlass.gateway.tokens.access_tokens import AccessTokens


@dataclass(frozen=True)
class Directory:
    database: Database
    static_file: StaticFile
    users: Users
    sessions: Sessions
    access_tokens: AccessTokens
    signing_keys: SigningKeys
    own_secrets: OwnSecrets
    audit: AuditLog


@contextmanager
def open_directory(settings: Settings) -> Generator[Directory]:
    """The directory of this data dir, made if there is none yet; what cannot be done is a `Failure`."""
    data = data_dir_at(settings.data_dir)
    data.prepare()
    audit = AuditLog(data.log_of("audit"))
    try:
        database = Database(data.gateway / "gateway.db")
        try:
            file = StaticFile(data.root / "users.yaml", os.environ)
            yield Directory(
                database=database,
                static_file=file,
                users=Users(database, file),
                sessions=Sessions(database),
                access_tokens=AccessTokens(database),
                signing_keys=SigningKeys(database, issuer=""),
                own_secrets=OwnSecrets(database),
                audit=audit,
            )
        finally:
            database.close()
    except (BadDatabase, BadUsersFile, DatabaseUnavailable) as error:
        raise Failure(str(error)) from error
    finally:
        audit.close()
