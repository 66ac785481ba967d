"""The data directory: its layout, its preparation, and its lock.

    store.db        objects (SQLite)                 run/api.sock     the API without TLS, for this machine's user
    pki/            the CA and what it signed        run/state.json   what runs, for `status` and `down`
    credentials/    tokens of Windlass' own parts    logs/            one file per process
    kubeconfig      of the admin                     version, lock    version that wrote it, lock

The lock is an flock that the supervisor acquires and its children inherit: it is held while any of them lives, and no
crash can leave it behind.
"""

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import stat
import time
from collections.abc import Generator
from dataclasses import asdict, dataclass
from pathlib import Path

from windlass import __version__
from windlass.apis.data_files import PIPELINES_DATABASE
from windlass.supervisor.errors import SupervisorError

LAYOUT = 1
"""Incremented when an older version can no longer use a data directory of this version."""

SOCKET = "api.sock"
MAX_SOCKET_PATH = 107  # sockaddr_un.sun_path, less its closing zero byte


@dataclass(frozen=True)
class Version:
    layout: int
    windlass: str


@dataclass(frozen=True)
class DataDir:
    root: Path
    runtime: Path = Path("/tmp")
    """The user's directory for sockets, used if `root` is too long for a socket path."""

    @property
    def store(self) -> Path:
        return self.root / "store.db"

    @property
    def pki(self) -> Path:
        return self.root / "pki"

    @property
    def credentials(self) -> Path:
        return self.root / "credentials"

    @property
    def kubeconfig(self) -> Path:
        return self.root / "kubeconfig"

    @property
    def run(self) -> Path:
        return self.root / "run"

    @property
    def short_root(self) -> Path:
        """A path of the data directory that is short enough for a socket below it."""
        if len(os.fsencode(self.run / SOCKET)) <= MAX_SOCKET_PATH:
            return self.root
        return short_link_to(self.root, self.runtime)

    @property
    def socket(self) -> Path:
        return self.short_root / "run" / SOCKET

    @property
    def state(self) -> Path:
        return self.run / "state.json"

    @property
    def manager_ready_file(self) -> Path:
        """Created by the manager when it has reached the server."""
        return self.run / "manager.ready"

    @property
    def node_ready_file(self) -> Path:
        """Created by the node agent when pods can run; describes the runtime and its problems."""
        return self.run / "node.ready"

    @property
    def gateway_ready_file(self) -> Path:
        """Created by the gateway when it listens."""
        return self.run / "gateway.ready"

    @property
    def gateway_socket(self) -> Path:
        """Where the API server asks the gateway about tokens."""
        return self.short_root / "run" / "gw.sock"

    @property
    def token_webhook(self) -> Path:
        """The kubeconfig by which the API server finds that socket."""
        return self.run / "token-webhook.kubeconfig"

    @property
    def gateway(self) -> Path:
        """Users, sessions, tokens and keys of the gateway."""
        return self.root / "gateway"

    @property
    def pipelines(self) -> Path:
        """The database of pipelines: definitions, runs, tasks, artifacts, logs."""
        return self.root / PIPELINES_DATABASE

    @property
    def backups(self) -> Path:
        """Backups that were started from the dashboard."""
        return self.root / "backups"

    @property
    def keep_pods(self) -> Path:
        """Exists while Windlass is being stopped without stopping its pods."""
        return self.run / "keep-pods"

    @property
    def manager_token(self) -> Path:
        return self.credentials / "manager.token"

    @property
    def node_token(self) -> Path:
        return self.credentials / "node.token"

    @property
    def gateway_token(self) -> Path:
        return self.credentials / "gateway.token"

    @property
    def pods_socket(self) -> Path:
        """The way into the pods' network."""
        return self.short_root / "run" / "pods.sock"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def version(self) -> Path:
        return self.root / "version"

    @property
    def lock(self) -> Path:
        return self.root / "lock"

    @property
    def pending_restore(self) -> Path:
        """Exists only while a verified backup is being moved into place."""
        return self.root / "restore.ready"

    @property
    def last_backup(self) -> Path:
        """Path, time and size of the newest backup."""
        return self.root / "last-backup.json"

    def log_of(self, component: str) -> Path:
        return self.logs / f"{component}.log"

    def prepare(self) -> None:
        """Create the directory and what is missing in it. Raises SupervisorError if this version cannot use it."""
        with _explain_os_errors(self.root):
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.refuse_newer()
            for folder in (self.run, self.logs):
                folder.mkdir(mode=0o700, exist_ok=True)
            written = Version(layout=LAYOUT, windlass=__version__)
            if self.written_by() != written:
                write_atomically(self.version, json.dumps(asdict(written)).encode() + b"\n", mode=0o644)

    def written_by(self) -> Version | None:
        try:
            found = json.loads(self.version.read_bytes())
            return Version(layout=int(found["layout"]), windlass=str(found["windlass"]))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, KeyError) as error:
            raise SupervisorError(
                f"{self.version} is damaged ({error}). If the rest of the data dir is intact, delete that file"
            ) from error

    def refuse_newer(self) -> None:
        version = self.written_by()
        if version is not None and version.layout > LAYOUT:
            raise SupervisorError(
                f"data dir {self.root} was written by Windlass {version.windlass}, which is newer than this one "
                f"({__version__}). Upgrade Windlass, or choose another with --data-dir"
            )

    def size(self) -> int:
        """The size on disk in bytes; files that vanish meanwhile are skipped."""
        total = 0
        for folder, _, names in os.walk(self.root):
            for name in names:
                with contextlib.suppress(OSError):
                    total += os.lstat(os.path.join(folder, name)).st_blocks * 512  # noqa: PTH118 - as os.walk gives it
        return total


def short_link_to(root: Path, runtime: Path) -> Path:
    """A symbolic link in the user's runtime directory, since the length of a socket's path is limited."""
    folder = runtime / f"windlass-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise SupervisorError(
            f"{folder} is not a directory that only you can access. Remove it, or choose a shorter --data-dir"
        )
    link = folder / hashlib.sha256(os.fsencode(root)).hexdigest()[:12]
    if not link.is_symlink() or link.readlink() != root:
        link.unlink(missing_ok=True)
        link.symlink_to(root)
    return link


class Lock:
    """The right to run on a data directory. Child processes that inherit `fd` hold it too."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def release(self) -> None:
        os.close(self.fd)


def acquire_lock(data: DataDir, *, timeout: float = 0.0) -> Lock | None:
    """Acquire the lock, waiting up to `timeout` seconds; None if another process holds it."""
    until = time.monotonic() + timeout
    with _explain_os_errors(data.root):
        fd = os.open(data.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    while not _flock(fd, data):
        if time.monotonic() >= until:
            os.close(fd)
            return None
        time.sleep(0.02)
    return Lock(fd)


def is_held(data: DataDir) -> bool:
    try:
        fd = os.open(data.lock, os.O_RDONLY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except PermissionError as error:
        raise SupervisorError(
            f"data dir {data.root} belongs to another user. Choose your own with --data-dir"
        ) from error
    try:
        return not _flock(fd, data, shared=True)
    finally:
        os.close(fd)


def wait_until_free(data: DataDir, within: float) -> bool:
    until = time.monotonic() + within
    while is_held(data):
        if time.monotonic() >= until:
            return False
        time.sleep(0.02)
    return True


def write_atomically(path: Path, content: bytes, *, mode: int, durable: bool = True) -> None:
    """Replace a file atomically; with `durable`, it is on disk before this returns."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:  # noqa: PTH123 - of an fd
            os.fchmod(file.fileno(), mode)
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def _flock(fd: int, data: DataDir, *, shared: bool = False) -> bool:
    try:
        fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise SupervisorError(
            f"data dir {data.root} is on a file system without locks ({error.strerror}). "
            "Choose one on a local disk with --data-dir"
        ) from error
    return True


@contextlib.contextmanager
def _explain_os_errors(root: Path) -> Generator[None]:
    """Turn an OSError into a SupervisorError that says what the user can do."""
    try:
        yield
    except (FileExistsError, NotADirectoryError) as error:
        raise SupervisorError(f"data dir {root}: {error.filename} is a file. Choose another with --data-dir") from error
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise SupervisorError(
                f"data dir {root}: the disk is full. Free some space, or choose another --data-dir"
            ) from error
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            why = "is on a read-only disk" if error.errno == errno.EROFS else "is not writable by you"
            raise SupervisorError(f"data dir {root} {why}. Choose another with --data-dir") from error
        raise SupervisorError(f"data dir {root}: {error.strerror or error}. Choose another with --data-dir") from error
