"""Packs a folder for a job's pods, and explains what to do if it does not fit."""

from pathlib import Path

from windlass.apps.training.jobs.submit import folder_archive
from windlass.apps.training.jobs.submit.folder_archive import TooLarge, TooManyFiles, largest
from windlass.cli import screen
from windlass.cli.failure import Failure


class FolderTooLarge(Failure):
    """A folder has more than can be sent to the pods: the `problem`, and what to do about it."""

    def __init__(self, problem: str, advice: str, *, lines: tuple[str, ...] = ()) -> None:
        super().__init__(f"{problem}. {advice}", lines=lines)
        self.problem = problem


def pack_folder(folder: Path) -> bytes:
    """The folder's files as tar.gz. Raises a Failure that names the largest files if they do not fit."""
    try:
        return folder_archive.pack(folder)
    except TooManyFiles:
        raise FolderTooLarge(
            f"{screen.short_path(folder)} has more than {folder_archive.MAX_FILES} files, too many to send",
            f"If it is the right folder, list what is not needed in {folder / '.windlassignore'} (as in a .gitignore)",
        ) from None
    except TooLarge as error:
        total = screen.size(sum(one.size for one in error.files))
        raise FolderTooLarge(
            f"{screen.short_path(folder)} is too large to send: {total} in {len(error.files)} files, and no more "
            f"than {error.limit // 1024} KiB fit when packed",
            f"List what is not needed in {folder / '.windlassignore'} (as in a .gitignore), or keep data in a volume. "
            f"The largest:",
            lines=tuple(f"{screen.size(one.size):>8}  {one.name}" for one in largest(error.files)),
        ) from None
    except OSError as error:
        raise Failure(f"cannot read {error.filename}: {error.strerror}") from error
