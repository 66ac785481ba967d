"""`windlass restore FILE`: replace the data directory by a backup, completely or not at all."""

from pathlib import Path

import click

from windlass.cli import screen
from windlass.cli.failure import Failure
from windlass.cli.option_types import PATH
from windlass.cli.settings import Settings, data_dir_at, takes
from windlass.supervisor.datadir import acquire_lock
from windlass.supervisor.restore import finish_restore, unpack


@click.command()
@click.argument("file", type=PATH)
@click.option("--force", is_flag=True, help="Replace the contents of the data dir.")
@takes(Settings)
def restore(settings: Settings, file: Path, force: bool) -> None:
    """Restore a backup.

    Fails while Windlass is running, and if there are objects already unless --force is given.
    """
    data = data_dir_at(settings.data_dir)
    data.prepare()
    lock = acquire_lock(data)
    if lock is None:
        raise Failure(f"Windlass runs on {screen.short_path(data.root)}. Stop it first: windlass down")
    try:
        finish_restore(data)
        if data.store.exists() and not force:
            raise Failure(f"{screen.short_path(data.root)} already has objects. Replace them with --force")
        unpack(file, data)
        finish_restore(data)
    finally:
        lock.release()
    click.echo(f"Restored {file} to {screen.short_path(data.root)}. Start it: windlass up")
