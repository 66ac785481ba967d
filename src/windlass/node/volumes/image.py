"""image: the files of an image, which the agent has pulled; read-only, and shared by all pods that mount it."""

import asyncio
from pathlib import Path

from windlass.kube.json import Object
from windlass.node.volumes.base import Failed, Prepared, Request
from windlass.node.volumes.volume_folders import make_private


async def image(request: Request, source: Object) -> Prepared:
    files = request.images.get(request.name) or await asyncio.to_thread(mounted_image, request.on_disk())
    if files is None:
        raise Failed(f'image "{source.get("reference")}" has not been pulled')
    await asyncio.to_thread(_record, request.on_disk(), files)
    return Prepared(files, read_only=True, executable=False, image=str(source.get("reference")))


def mounted_image(link: Path) -> str | None:
    """Return the files of the image that a volume of a pod shows already, which stay the same for the pod's life."""
    return str(link.readlink()) if link.is_symlink() and link.is_dir() else None


def _record(link: Path, files: str) -> None:
    """Leave a link in the pod's folder: as long as it exists, the image is in use."""
    make_private(link.parent)
    if not link.is_symlink():
        link.symlink_to(files)
    elif str(link.readlink()) != files:  # pruned since by hand
        link.unlink()
        link.symlink_to(files)
