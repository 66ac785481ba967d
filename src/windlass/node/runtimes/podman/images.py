"""The engine's images: the agent's `Images` where pods run in podman or docker."""

from collections.abc import Callable

import aiohttp

from windlass.apis.pod_packages import PodPackages
from windlass.kube.json import dig_list
from windlass.node.images.image import Image, PullFailed
from windlass.node.runtimes.podman import answers
from windlass.node.runtimes.podman.engine import Engine, Refused


class EngineImages:
    """`present` answers from a cache, which `start` fills and `pull` updates."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._known: dict[str, Image] = {}

    async def start(self) -> None:
        for each in await self._engine.get("/images/json") or []:
            for tag in dig_list(each, "RepoTags"):
                inspected = await self._engine.get(f"/images/{tag}/json")
                self._known[str(tag)] = answers.image(str(tag), inspected)

    def described(self, reference: str) -> Image | None:
        """Return nothing: an engine only knows images that it has pulled."""
        return self.present(reference)

    def present(self, reference: str, packages: PodPackages | None = None) -> Image | None:
        """Return an image that the engine has. It is as it was made: `packages` are the container's own business."""
        return next((self._known[each] for each in spellings(reference) if each in self._known), None)

    async def pull(self, reference: str, progress: Callable[[str], None], packages: PodPackages | None = None) -> Image:
        """Pull an image. Raises PullFailed."""
        name, tag = parted(reference)
        wanted = {"fromImage": name, **({"tag": tag} if tag else {})}
        try:
            async for line in self._engine.lines("POST", "/images/create", **wanted):
                if line.get("error"):
                    raise PullFailed(str(line["error"]))
                progress(str(line.get("status") or line.get("stream") or "").strip())
            inspected = await self._engine.get(f"/images/{reference}/json")
        except (Refused, OSError, aiohttp.ClientError) as error:
            raise PullFailed(str(error)) from error
        found = self._known[spellings(reference)[0]] = answers.image(reference, inspected)
        return found


def parted(reference: str) -> tuple[str, str]:
    """Split into name and tag, `latest` by default; a digest stays with the name."""
    if "@" in reference:
        return reference, ""
    before, _, last = reference.rpartition("/")
    name, _, tag = last.partition(":")
    return (f"{before}/{name}" if before else name), tag or "latest"


def spellings(reference: str) -> list[str]:
    """Return the names under which an engine may list an image."""
    name, tag = parted(reference)
    whole = f"{name}:{tag}" if tag else name
    first = name.split("/")[0]
    if "." in first or ":" in first or first == "localhost":
        return [whole]
    library = f"docker.io/library/{whole}" if "/" not in name else f"docker.io/{whole}"
    return [whole, library, f"localhost/{whole}"]
