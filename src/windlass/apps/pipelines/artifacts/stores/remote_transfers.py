"""Copies between an object store and a folder. Imports obstore, so import this module only for a remote URI.

An artifact is the object at a key, or all objects below it. A *name* is the rest of a key after that of the artifact;
the name of an artifact that is one object is empty.
"""

import asyncio
import os
from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import obstore

from windlass.apps.pipelines.artifacts.stores.remote_records import (
    UNFINISHED,
    names_to_publish,
    record_version,
    recorded_version,
    staging_path,
)
from windlass.apps.pipelines.artifacts.stores.store_client import Client
from windlass.formats.volume_files import create_file, exists, move_file, open_file, remove_tree

CHUNK = 4 << 20
PART = 16 << 20
"""Bytes of a part of an upload, of which a store allows 10,000."""
PARTS_AT_ONCE = 4
FILES_AT_ONCE = 8
PAGE = 1000


@dataclass(frozen=True)
class Access:
    """The client of a bucket, and the key of an artifact in it."""

    client: Client
    key: str


async def version_of(access: Access) -> dict[str, str]:
    """Return the tag of each object of an artifact by its name; empty if there is none."""
    if access.key:
        try:
            return {"": _tag(await obstore.head_async(access.client, access.key))}
        except FileNotFoundError:
            pass  # perhaps a folder
    start = len(access.key) + 1 if access.key else 0
    version: dict[str, str] = {}
    pages = access.client.list(  # pyright: ignore[reportUnknownMemberType] - an overload needs Arrow's types
        prefix=access.key or None, chunk_size=PAGE
    )
    async for page in pages:
        version.update((meta["path"][start:], _tag(meta)) for meta in page)
    return version


def _tag(meta: "obstore.ObjectMeta") -> str:
    return meta["e_tag"] or f"{meta['size']} {meta['last_modified']}"


async def download(access: Access, folder: Path, path: str, *, must_exist: bool) -> None:
    """Make what is at a path equal to the artifact. The version is recorded last, when every object is there.

    Raises FileNotFoundError, ValueError, OSError and errors of obstore.
    """
    version = await version_of(access)
    if not version and not must_exist:
        return
    if not version:
        raise FileNotFoundError("there is no such object, and none below it")
    known = await asyncio.to_thread(recorded_version, folder, path) or {}
    if known == version and await asyncio.to_thread(exists, folder, path):
        return
    await asyncio.to_thread(record_version, folder, path, UNFINISHED)
    changed = [name for name, tag in version.items() if known.get(name) != tag]
    await _in_parallel([_download_file(access, folder, path, name) for name in changed])
    for name in known.keys() - version.keys() - {""}:
        await asyncio.to_thread(remove_tree, folder, _below(path, name))
    await asyncio.to_thread(record_version, folder, path, version)


async def _download_file(access: Access, folder: Path, path: str, name: str) -> None:
    target = _below(path, name)
    if any(part in ("", ".", "..") for part in target.split("/")):
        raise ValueError(f"the key {name!r} below it is not the path of a file")
    try:
        result = await obstore.get_async(access.client, _below(access.key, name))
    except FileNotFoundError:
        if name:
            return  # the marker of an empty folder: its key ends in a slash, which the list does not show
        raise
    staging = staging_path(target)
    await asyncio.to_thread(remove_tree, folder, staging)
    with os.fdopen(await asyncio.to_thread(create_file, folder, staging), "wb") as file:
        async for chunk in result.stream(min_chunk_size=CHUNK):
            await asyncio.to_thread(file.write, chunk)
    await asyncio.to_thread(move_file, folder, staging, target)


async def upload(access: Access, folder: Path, path: str) -> None:
    """Put every file at or below a path into the store. Raises OSError and errors of obstore."""
    names = await asyncio.to_thread(names_to_publish, folder, path)
    await _in_parallel([_upload_file(access, folder, path, name) for name in names])


async def _upload_file(access: Access, folder: Path, path: str, name: str) -> None:
    descriptor = await asyncio.to_thread(open_file, folder, _below(path, name))
    if descriptor is None:
        return  # removed since the folder was listed
    with os.fdopen(descriptor, "rb") as file:
        await obstore.put_async(
            access.client, _below(access.key, name), file, chunk_size=PART, max_concurrency=PARTS_AT_ONCE
        )


async def delete(access: Access) -> None:
    """Delete the object of an artifact, or all below its key. Raises errors of obstore."""
    if not access.key:
        raise ValueError("a whole bucket is not deleted")
    names = await version_of(access)
    for start in range(0, len(names), PAGE):
        page = [_below(access.key, name) for name in list(names)[start : start + PAGE]]
        await obstore.delete_async(access.client, page)


def _below(path: str, name: str) -> str:
    return f"{path}/{name}" if path and name else path or name


async def _in_parallel(transfers: list[Coroutine[Any, Any, None]]) -> None:
    """Run a few at a time; the first failure ends the others, and is raised."""
    waiting = iter(transfers)

    async def work() -> None:
        for transfer in waiting:
            await transfer

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(FILES_AT_ONCE, len(transfers))):
                group.create_task(work())
    except ExceptionGroup as failures:
        raise failures.exceptions[0] from None
    finally:
        for transfer in waiting:
            transfer.close()
