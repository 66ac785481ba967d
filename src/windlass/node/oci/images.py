# pyright: strict
"""The images of this node that pods mount: looks them up, and pulls them if necessary."""

import asyncio
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from threading import Event
from typing import Protocol

import aiohttp

from windlass.formats.bounded_archives import spare_bytes
from windlass.node.images import mappings
from windlass.node.images.catalogue import Mappings, RegistrySettings
from windlass.node.images.image import PullFailed
from windlass.node.images.images import images_root
from windlass.node.images.mappings import BadMappings
from windlass.node.images.reference import Reference, qualify
from windlass.node.oci.credentials import Keyring
from windlass.node.oci.folders import ANONYMOUS, ImageFolders, ImageRecord
from windlass.node.oci.layout import Layout
from windlass.node.oci.manifests import Descriptor, Index, Manifest, choose, digest_of, read, this_platform, verify
from windlass.node.oci.registry import TIMEOUT, Denied, Registry, check_place
from windlass.node.oci.unpacking import Unpacking

POLL_INTERVAL_SECONDS = 0.1

Progress = Callable[[str], None]


class Source(Protocol):
    """Where an image comes from: a registry or a layout."""

    async def manifest(self, name: str) -> bytes: ...
    async def layer(self, layer: Descriptor, folder: Path, progress: Progress) -> Path: ...


class OciImages:
    """Images of the data directory `data`: its images.yaml, and folders in `root` (default: node/images in it)."""

    def __init__(self, data: Path, *, root: Path | None = None) -> None:
        data = data.resolve()
        self._mappings_file = data / "images.yaml"
        self.folders = ImageFolders(images_root(data, root))
        self._locks: dict[str, asyncio.Lock] = {}

    async def find(self, reference: Reference, keyring: Keyring, progress: Progress) -> ImageRecord | None:
        """Return an image that the pod may use without asking a registry. Raises PullFailed.

        An image that was pulled with credentials is for pods with the same ones: the registry decides about others.
        """
        layout = layout_of(self._mappings(), reference)
        if layout is not None:
            return await self._get(Layout(layout), reference, progress)
        record = self.folders.resolved(reference)
        if record is None:
            return None
        given = {credential.fingerprint for credential in keyring.matching(reference)}
        accepted = (given | {ANONYMOUS}) & set(record.fingerprints)
        if not accepted:
            return None
        self.folders.record_use(reference, record.digest, accepted.pop())
        return self.folders.image(record.digest)

    async def pull(self, reference: Reference, keyring: Keyring, progress: Progress) -> ImageRecord:
        """Return the image that the registry has now; what is here already is not fetched again. Raises PullFailed."""
        rules = self._mappings()
        layout = layout_of(rules, reference)
        if layout is not None:
            return await self._get(Layout(layout), reference, progress)
        check_place(reference.registry, rules.registries)
        settings = rules.registries.get(reference.registry, RegistrySettings())
        denied = PullFailed("the registry has not been asked")
        async with aiohttp.ClientSession(timeout=TIMEOUT, trust_env=True) as session:
            for credential in keyring.matching(reference) or [None]:
                try:
                    image = await self._get(Registry(session, reference, settings, credential), reference, progress)
                except Denied as error:
                    denied = error
                    continue
                fingerprint = credential.fingerprint if credential is not None else ANONYMOUS
                self.folders.record_use(reference, image.digest, fingerprint)
                return image
        raise denied

    def _mappings(self) -> Mappings:
        try:
            return mappings.load(self._mappings_file)
        except BadMappings as error:
            raise PullFailed(f"images cannot be looked up: {error}") from error

    async def _get(self, source: Source, reference: Reference, progress: Progress) -> ImageRecord:
        """Return an image of a source, unpacked once however many pods and processes ask for it."""
        digest, manifest = await resolve(source, reference)
        try:
            self.folders.prepare()
            async with self._locks.setdefault(digest, asyncio.Lock()):
                while True:
                    with self.folders.lock(digest) as held:
                        if held:
                            image = self.folders.image(digest)
                            return image or await self._make(source, digest, manifest, progress)
                    progress("Waiting for another process that pulls the same image")
                    await asyncio.sleep(POLL_INTERVAL_SECONDS)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise PullFailed(f"{reason}: {error.filename or self.folders.root}") from error

    async def _make(self, source: Source, digest: str, manifest: Manifest, progress: Progress) -> ImageRecord:
        downloads = self.folders.downloads(digest)
        spare = spare_bytes(downloads)
        if manifest.size > spare:
            raise PullFailed(f"its layers have {manifest.size} bytes, and the disk has only {spare} left")
        blobs = [await source.layer(layer, downloads, progress) for layer in manifest.layers]
        progress("Unpacking")
        stop = Event()
        work = asyncio.ensure_future(asyncio.to_thread(self._unpack, digest, blobs, stop))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            stop.set()
            await asyncio.wait([work])  # the lock is held for as long as the thread writes
            raise

    def _unpack(self, digest: str, blobs: Sequence[Path], stop: Event) -> ImageRecord:
        root = self.folders.new(digest)
        try:
            unpacking = Unpacking(root, max_bytes=spare_bytes(root.parent), stop=stop)
            for blob in blobs:
                unpacking.layer(blob)
            unpacking.finish()
            return self.folders.complete(digest, unpacking.size)
        except BaseException:
            self.folders.discard(digest)
            raise


async def resolve(source: Source, reference: Reference) -> tuple[str, Manifest]:
    """Return the image that a reference leads to, and its digest. Raises PullFailed."""
    content = await source.manifest(reference.digest or reference.tag)
    if reference.digest:
        verify(content, reference.digest)
    found = read(content)
    if isinstance(found, Index):
        chosen = choose(found.manifests, this_platform())
        content = await source.manifest(chosen.digest)
        verify(content, chosen.digest)
        found = read(content)
    if isinstance(found, Index):
        raise PullFailed("its index lists another index")
    return digest_of(content), found


def layout_of(rules: Mappings, reference: Reference) -> str | None:
    """Return the image layout that stands for a repository, by the first glob that matches."""
    return next((path for glob, path in rules.layouts.items() if fnmatchcase(reference.name, qualify(glob))), None)
