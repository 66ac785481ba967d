"""`windlass backup FILE`: write a tar of everything that cannot be recreated, while the server runs."""

from pathlib import Path

import click

from windlass.apiserver.store import StoreError
from windlass.cli import screen
from windlass.cli.failure import Failure
from windlass.cli.option_types import PATH
from windlass.cli.settings import Settings, data_dir_at, takes
from windlass.supervisor.backup import write_backup


@click.command()
@click.argument("file", type=PATH)
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@takes(Settings)
def backup(settings: Settings, file: Path, force: bool) -> None:
    """Write objects, certificates and credentials to one file.

    Works while Windlass runs; the backup is of one moment. FILE (a tar) holds the admin's credential: keep it safe.
    """
    data = data_dir_at(settings.data_dir)
    if not data.store.exists():
        raise Failure(f"there is nothing to back up in {screen.short_path(data.root)}")
    data.refuse_newer()
    if file.exists() and not force:
        raise Failure(f"{file} already exists. Choose another name, or replace it with --force")
    try:
        size = write_backup(data, file)
    except StoreError as error:
        raise Failure(str(error)) from error
    except OSError as error:
        raise Failure(f"cannot write {file}: {error.strerror or error}") from error
    click.echo(f"Backed up {screen.short_path(data.root)} to {file} ({screen.size(size)}).")
