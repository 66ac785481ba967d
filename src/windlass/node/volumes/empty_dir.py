"""emptyDir: a folder that lives as long as its pod; in memory with medium Memory. The agent checks its size."""

import asyncio
from pathlib import Path

from windlass.kube.json import Object
from windlass.node.volumes.base import Failed, Prepared, Request
from windlass.node.volumes.volume_folders import make_private


async def empty_dir(request: Request, source: Object) -> Prepared:
    medium = str(source.get("medium") or "")
    if medium not in ("", "Memory"):
        raise Failed(f'emptyDir volumes of medium "{medium}" are not supported by this node')
    folder = request.in_memory() if medium else request.on_disk()
    await asyncio.to_thread(_make, request, folder)
    return Prepared(str(folder))


def _make(request: Request, folder: Path) -> None:
    if folder.is_dir():
        return
    make_private(folder.parent)
    request.owner.make_folder(folder, 0o777)
