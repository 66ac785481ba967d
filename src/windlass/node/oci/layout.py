# pyright: strict
"""An image layout: a directory with images in the OCI's format, as `skopeo copy … oci:DIR` writes it."""

import asyncio
import hashlib
from collections.abc import Callable
from pathlib import Path

from windlass.node.images.image import PullFailed
from windlass.node.oci.manifests import MAX_MANIFEST, REF_NAME, Descriptor, Index, check_digest, read


class Layout:
    """Reads an image layout in place of a repository."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    async def manifest(self, name: str) -> bytes:
        """Return the manifest of a tag or digest as it is. Raises PullFailed."""
        return await asyncio.to_thread(self._manifest, name)

    async def layer(self, layer: Descriptor, folder: Path, progress: Callable[[str], None]) -> Path:
        """Return the file of a layer, which is verified and not copied. Raises PullFailed."""
        path = self._blob(layer.digest)
        await asyncio.to_thread(_verify, path, layer.digest)
        return path

    def _manifest(self, name: str) -> bytes:
        if ":" in name:
            return _content(self._blob(name))
        index = read(_content(self._folder / "index.json"))
        if not isinstance(index, Index):
            raise PullFailed(f"{self._folder} is not an image layout: index.json has no manifests")
        found = [one for one in index.manifests if (one.annotations or {}).get(REF_NAME, "").split(":")[-1] == name]
        if not found and len(index.manifests) == 1 and REF_NAME not in (index.manifests[0].annotations or {}):
            found = index.manifests
        if not found:
            raise PullFailed(f"the image layout {self._folder} has no image of the tag {name}", "not found")
        return _content(self._blob(found[0].digest))

    def _blob(self, digest: str) -> Path:
        algorithm = check_digest(digest)
        return self._folder / "blobs" / algorithm / digest.partition(":")[2]


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_MANIFEST + 1)
    except OSError as error:
        raise PullFailed(f"cannot read the image layout: {path}: {(error.strerror or str(error)).lower()}") from error
    if len(content) > MAX_MANIFEST:
        raise PullFailed(f"{path} exceeds {MAX_MANIFEST} bytes")
    return content


def _verify(path: Path, digest: str) -> None:
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, check_digest(digest)).hexdigest()
    except OSError as error:
        raise PullFailed(f"cannot read the image layout: {path}: {(error.strerror or str(error)).lower()}") from error
    if not digest.endswith(f":{found}"):
        raise PullFailed(f"the layer {path} is damaged: it has another digest than its name")
