# pyright: strict
"""What is installed where that which was asked for is not to be had: other versions, and PyTorch without CUDA.

Whatever differs from the wish is a warning that names both versions.
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
from windlass.node.images.uv import Uv, is_network

PINNED = re.compile(r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[0-9][^,;\s]*)")
TORCH = re.compile(r"torch(?![\w-])")
CUDA = re.compile(r"^ \+ (nvidia-|cuda-)", re.MULTILINE)
LOCAL_TORCH = re.compile(r"torch-([^-]+\+cpu)-cp(\d)(\d+)-.*\.whl")
GPU = Path("/dev/nvidiactl")


class Choice(Struct, frozen=True):
    """Requirements to install, more arguments for uv, and what differs from the wish."""

    packages: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


class Chooser:
    """For one environment: `target` are the arguments that name it and where its packages come from."""

    def __init__(self, uv: Uv, target: tuple[str, ...], interpreter: Interpreter, config: PipConfig) -> None:
        self._uv, self._target, self._interpreter, self._config = uv, target, interpreter, config

    async def choose(self, wanted: Environment) -> Choice:
        """Raises PullFailed where no version would do."""
        choice = await self._within_reach(wanted) if wanted.nearest else Choice(wanted.packages)
        if not any(TORCH.match(package) for package in choice.packages) or await asyncio.to_thread(GPU.exists):
            return choice
        return await self._without_cuda(choice, nearest=wanted.nearest)

    async def plan(self, *requirements: str) -> list[str]:
        """What uv would install."""
        environment = {**self._config.environment(), "UV_HTTP_RETRIES": "0"}
        return await self._uv.run("pip", "install", "--dry-run", *self._target, *requirements, environment=environment)

    async def _within_reach(self, wanted: Environment) -> Choice:
        try:
            await self.plan(*wanted.packages)
        except PullFailed as error:
            if is_network(str(error)):
                raise
            chosen = [await self._nearest(package) for package in wanted.packages]
            packages = tuple(package for package, _ in chosen)
            if packages == wanted.packages:
                raise
            return Choice(packages, warnings=tuple(warning for _, warning in chosen if warning))
        return Choice(wanted.packages)

    async def _nearest(self, package: str) -> tuple[str, str]:
        """The next newer version of a pinned package that has a wheel for this Python, else the newest older one."""
        pinned = PINNED.fullmatch(package)
        if pinned is None:
            return package, ""
        name, version = pinned["name"], pinned["version"]
        for wish, order in ((f"{name}>={version}", "lowest-direct"), (f"{name}<{version}", "highest")):
            try:
                lines = await self.plan("--no-deps", "--only-binary", name, "--resolution", order, wish)
            except PullFailed:
                continue
            found = next((match[1] for line in lines if (match := re.fullmatch(rf" \+ {name}==(\S+)", line))), "")
            if found:
                python = ".".join(map(str, self._interpreter.version[:2]))
                said = f"{name} {version} has no build for Python {python}: {found} is installed instead"
                return f"{name}=={found}", said if found != version else ""
        return package, ""

    async def _without_cuda(self, choice: Choice, *, nearest: bool) -> Choice:
        """PyTorch's wheels have gigabytes of CUDA with them, of no use on a machine without a GPU."""
        local = await asyncio.to_thread(local_torch, self._config, self._interpreter)
        for candidate in _builds_for_cpu(choice, local, nearest=nearest):
            try:
                lines = await self.plan(*candidate.arguments, *candidate.packages)
            except PullFailed:
                continue
            if not CUDA.search("\n".join(lines)):
                return candidate
        warning = "no index has a build of PyTorch for CPU: the one with CUDA, of several GB, is installed"
        return Choice(choice.packages, choice.arguments, (*choice.warnings, warning))


def _builds_for_cpu(choice: Choice, local: str | None, *, nearest: bool) -> list[Choice]:
    """Where a PyTorch for CPU may come from, the best first: pip's folders only have what was put there."""
    found = [choice, Choice(choice.packages, ("--torch-backend", "cpu"), choice.warnings)]
    if local is None:
        return found
    from_folder = tuple(f"torch=={local}" if TORCH.match(package) else package for package in choice.packages)
    if "torch" in choice.packages:
        return [Choice(from_folder, (), choice.warnings), *found]
    asked = next(package for package in choice.packages if TORCH.match(package))
    said = f"{asked} is not to be had as a build for CPU: {local} is installed instead"
    return [*found, Choice(from_folder, (), (*choice.warnings, said))] if nearest else found


def local_torch(config: PipConfig, interpreter: Interpreter) -> str | None:
    """The newest version for CPU of which pip's own folders have a file for this Python."""
    found: list[str] = []
    for folder in config.find_links:
        path = Path(folder.removeprefix("file://"))
        for file in path.glob("torch-*.whl"):
            match = LOCAL_TORCH.fullmatch(file.name)
            if match and (int(match[2]), int(match[3])) == interpreter.version[:2]:
                found.append(match[1])
    return max(found, key=interpreters.wanted, default=None)
