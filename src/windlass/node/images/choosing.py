# pyright: strict
"""Chooses substitutes for packages that are not available: other versions, and PyTorch without CUDA.

Every difference from the request is a warning that names both versions.
"""

import asyncio
import re
from pathlib import Path

from msgspec import Struct

from windlass.node.images import interpreters
from windlass.node.images.catalogue import Environment
from windlass.node.images.image import PullFailed
from windlass.node.images.interpreters import Interpreter
from windlass.node.images.pipconfig import PipConfig
from windlass.node.images.uv import Uv

PINNED = re.compile(r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[0-9][^,;\s]*)")
TORCH = re.compile(r"torch(?![\w-])")
CUDA = re.compile(r"^ \+ (nvidia-|cuda-)", re.MULTILINE)
LOCAL_TORCH = re.compile(r"torch-([^-]+\+cpu)-cp(\d)(\d+)-.*\.whl")
GPU = Path("/dev/nvidiactl")


class Choice(Struct, frozen=True):
    """Requirements to install, further arguments for uv, and warnings about differences from the request."""

    packages: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class Chooser:
    """Chooses packages for one environment; `target` are the uv arguments that select it and its package indexes."""

    def __init__(self, uv: Uv, target: tuple[str, ...], interpreter: Interpreter, config: PipConfig) -> None:
        self._uv, self._target, self._interpreter, self._config = uv, target, interpreter, config

    async def choose(self, wanted: Environment) -> Choice:
        """Choose what to install. Raises PullFailed if no version is suitable."""
        choice = await self._within_reach(wanted) if wanted.nearest else Choice(wanted.packages)
        if not any(TORCH.match(package) for package in choice.packages) or await asyncio.to_thread(GPU.exists):
            return choice
        return await self._without_cuda(choice, nearest=wanted.nearest)

    async def plan(self, *requirements: str) -> list[str]:
        """Return what uv would install."""
        environment = {**self._config.environment(), "UV_HTTP_RETRIES": "0"}
        return await self._uv.run("pip", "install", "--dry-run", *self._target, *requirements, environment=environment)

    async def _within_reach(self, wanted: Environment) -> Choice:
        try:
            await self.plan(*wanted.packages)
        except PullFailed as error:
            if error.reason == "unreachable":
                raise
            chosen = [await self._nearest(package) for package in wanted.packages]
            packages = tuple(package for package, _ in chosen)
            if packages == wanted.packages:
                raise
            return Choice(packages, warnings=tuple(warning for _, warning in chosen if warning))
        return Choice(wanted.packages)

    async def _nearest(self, package: str) -> tuple[str, str]:
        """Return a pinned package's next newer version with a wheel for this Python, else the newest older one."""
        pinned = PINNED.fullmatch(package)
        if pinned is None:
            return package, ""
        name, version = pinned["name"], pinned["version"]
        for requested, order in ((f"{name}>={version}", "lowest-direct"), (f"{name}<{version}", "highest")):
            try:
                lines = await self.plan("--no-deps", "--only-binary", name, "--resolution", order, requested)
            except PullFailed:
                continue
            found = next((match[1] for line in lines if (match := re.fullmatch(rf" \+ {name}==(\S+)", line))), "")
            if found:
                python = ".".join(map(str, self._interpreter.version[:2]))
                said = f"{name} {version} has no build for Python {python}: {found} is installed instead"
                return f"{name}=={found}", said if found != version else ""
        return package, ""

    async def _without_cuda(self, choice: Choice, *, nearest: bool) -> Choice:
        """Avoid PyTorch's CUDA wheels, which are gigabytes that a machine without a GPU cannot use."""
        local = await asyncio.to_thread(local_torch, self._config, self._interpreter)
        for candidate in _builds_for_cpu(choice, local, nearest=nearest):
            try:
                lines = await self.plan(*candidate.arguments, *candidate.packages)
            except PullFailed:
                continue
            if not CUDA.search("\n".join(lines)):
                return candidate
        warning = "no index has a CPU build of PyTorch: the CUDA build, of several GB, is installed"
        return Choice(choice.packages, choice.arguments, (*choice.warnings, warning))


def _builds_for_cpu(choice: Choice, local: str | None, *, nearest: bool) -> list[Choice]:
    """Return candidate PyTorch builds for CPU, the best first; pip's local folders contain only what was put there."""
    found = [choice, Choice(choice.packages, ("--torch-backend", "cpu"), choice.warnings)]
    if local is None:
        return found
    from_folder = tuple(f"torch=={local}" if TORCH.match(package) else package for package in choice.packages)
    if "torch" in choice.packages:
        return [Choice(from_folder, (), choice.warnings), *found]
    asked = next(package for package in choice.packages if TORCH.match(package))
    said = f"{asked} is not available as a CPU build: {local} is installed instead"
    return [*found, Choice(from_folder, (), (*choice.warnings, said))] if nearest else found


def local_torch(config: PipConfig, interpreter: Interpreter) -> str | None:
    """Return the newest version for CPU for which pip's local folders have a file for this Python."""
    found: list[str] = []
    for folder in config.find_links:
        path = Path(folder.removeprefix("file://"))
        for file in path.glob("torch-*.whl"):
            match = LOCAL_TORCH.fullmatch(file.name)
            if match and (int(match[2]), int(match[3])) == interpreter.version[:2]:
                found.append(match[1])
    return max(found, key=interpreters.parse_version, default=None)
