"""Database servers of Debian's packages, each in a folder of its own and reached by a socket in it."""

import os
import pwd
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

START_SECONDS = 60


def program(name: str) -> str:
    """The newest program of that name, on the PATH or where Debian puts PostgreSQL's."""
    places = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    path = str(places[-1]) if places else shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def unprivileged() -> tuple[str | None, int]:
    """Whom to run a server as: neither of them runs as root."""
    if os.geteuid() != 0:
        return None, os.geteuid()
    return "nobody", pwd.getpwnam("nobody").pw_uid


def wait_for_socket(path: Path, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not path.exists():
        assert server.poll() is None, "the server ended while it started"
        assert time.monotonic() < deadline, "the server did not start"
        time.sleep(0.05)


@contextmanager
def postgresql(folder: Path, address: tuple[str, int] | None = None) -> Iterator[str]:
    """A running PostgreSQL; the URL has no database name yet. It names the socket, or the address if there is one."""
    initdb, postgres = program("initdb"), program("postgres")
    user, uid = unprivileged()
    os.chown(folder, uid, -1)
    data = folder / "data"
    subprocess.run(
        [initdb, "-D", data, "-U", "windlass", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N"],
        user=user, cwd=folder, check=True, capture_output=True,
    )  # fmt: skip
    host, port = address or ("", 5432)
    if address is not None:
        with (data / "pg_hba.conf").open("a") as rules:
            rules.write("host all all 0.0.0.0/0 trust\n")
    server = subprocess.Popen(
        [postgres, "-D", data, "-k", folder, "-p", str(port), "-c", f"listen_addresses={host}", "-c", "fsync=off"],
        user=user, cwd=folder, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_for_socket(folder / f".s.PGSQL.{port}", server)
        by_socket = f"postgresql://windlass@/{{name}}?host={quote(str(folder), safe='')}"
        yield f"postgresql://windlass@{host}:{port}/{{name}}" if address is not None else by_socket
    finally:
        server.terminate()
        server.wait()


@contextmanager
def mariadb(folder: Path) -> Iterator[str]:
    """A running MariaDB; the URL has no database name yet."""
    install, mariadbd = program("mariadb-install-db"), program("mariadbd")
    user, uid = unprivileged()
    os.chown(folder, uid, -1)
    data, socket = folder / "data", folder / "server.sock"
    subprocess.run(
        [install, "--no-defaults", f"--datadir={data}", "--auth-root-authentication-method=normal", "--skip-test-db"],
        user=user, cwd=folder, check=True, capture_output=True,
    )  # fmt: skip
    server = subprocess.Popen(
        [mariadbd, "--no-defaults", f"--datadir={data}", f"--socket={socket}", "--skip-networking"],
        user=user, cwd=folder, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        wait_for_socket(socket, server)
        yield f"mariadb://root@localhost/{{name}}?unix_socket={quote(str(socket), safe='')}"
    finally:
        server.terminate()
        server.wait()
