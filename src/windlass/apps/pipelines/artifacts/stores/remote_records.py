"""What the claim of a namespace knows of artifacts from object stores: which version of each was fetched.

A record is `.remote/<digest of the path>.json`: the name of each object below the path, and the tag of its version.
"""

import hashlib
import json
import os
from pathlib import Path

from windlass.formats.volume_files import exists, files_below, open_file, read_file, remove_tree, write_file
from windlass.kube.json import is_object

RECORDS = ".remote"
MAX_RECORD = 64 << 20
UNFINISHED: dict[str, str] = {}
"""The recorded version of a transfer that has not ended."""


def is_whole(folder: Path, path: str) -> bool:
    """Whether there is an artifact at a path that is not the rest of an interrupted transfer."""
    return exists(folder, path) and recorded_version(folder, path) != UNFINISHED


def recorded_version(folder: Path, path: str) -> dict[str, str] | None:
    """Return the version that was fetched; None if nothing was: what is there was then made here."""
    content = read_file(folder, _record_path(path), MAX_RECORD)
    if content is None:
        return None
    try:
        version: object = json.loads(content)
    except (ValueError, RecursionError):
        return UNFINISHED
    return {str(name): str(tag) for name, tag in version.items()} if is_object(version) else UNFINISHED


def record_version(folder: Path, path: str, version: dict[str, str]) -> None:
    """Raises OSError."""
    write_file(folder, _record_path(path), json.dumps(version).encode())


def forget_version(folder: Path, path: str) -> None:
    """Remove the record of a path. Raises OSError."""
    remove_tree(folder, _record_path(path))


def staging_path(path: str) -> str:
    """Return where a file is written before it is moved to its path."""
    return f"{RECORDS}/{_digest(path)}.part"


def names_to_publish(folder: Path, path: str) -> list[str]:
    """Return the names of all files below a path; "" for a path that is a file itself."""
    descriptor = open_file(folder, path)
    if descriptor is not None:
        os.close(descriptor)
        return [""]
    return list(files_below(folder, path))


def _record_path(path: str) -> str:
    return f"{RECORDS}/{_digest(path)}.json"


def _digest(path: str) -> str:
    return hashlib.sha256(path.encode()).hexdigest()
