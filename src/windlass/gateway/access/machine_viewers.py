"""The current machine viewer, by the users, the listeners and the switch as they are now."""

from pathlib import Path

from windlass.gateway.access.machine_view import Installation, Viewer, machine_viewer
from windlass.gateway.database import Database
from windlass.gateway.identity.static_file import StaticFile
from windlass.gateway.identity.users import Users
from windlass.gateway.settings import GatewaySettings
from windlass.supervisor import run_state
from windlass.supervisor.datadir import DataDir

SWITCH, WITHDRAWN, ALLOWED = "machine-view", "withdrawn", "allowed"
"""The name in `secrets` of the switch, and its values."""


def is_withdrawn(database: Database) -> bool:
    return database.read("SELECT value FROM secrets WHERE name = ?", SWITCH) == [(WITHDRAWN,)]


def set_withdrawn(database: Database, *, withdrawn: bool) -> None:
    database.replace_secret(SWITCH, WITHDRAWN if withdrawn else ALLOWED)


class MachineViewers:
    """Answers by the current database and files alone, so a crash leaves no right behind."""

    def __init__(self, settings: GatewaySettings, database: Database, users: Users, file: StaticFile) -> None:
        self._settings, self._database, self._users, self._file = settings, database, users, file
        self._viewer: Viewer | None = None
        self._as_of: object = None

    @property
    def as_of(self) -> object:
        """Differs from what it was before any change that may end the view."""
        self._file.refresh()
        return self._database.generation, self._file.changes, _stamp(self._state_file)

    @property
    def viewer(self) -> Viewer | None:
        """The user who has the view now; None where nobody has."""
        as_of = self.as_of
        if as_of != self._as_of:
            self._viewer, self._as_of = machine_viewer(self._installation()), as_of
        return self._viewer

    @property
    def _state_file(self) -> Path | None:
        return DataDir(self._settings.data_dir).state if self._settings.data_dir is not None else None

    def _installation(self) -> Installation:
        folder = self._settings.data_dir
        run = run_state.load(DataDir(folder)) if folder is not None else None
        return Installation(
            settings=self._settings,
            api_listen=run.api_listen if run is not None else None,
            users=self._users.all(),
            has_connectors=bool(self._file.config.connectors),
            has_published_password=bool(self._database.read("SELECT 1 FROM users WHERE is_published LIMIT 1")),
            is_withdrawn=is_withdrawn(self._database),
        )


def _stamp(path: Path | None) -> tuple[int, int] | None:
    try:
        status = path.stat() if path is not None else None
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_ino) if status is not None else None
