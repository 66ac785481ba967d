# pyright: strict
"""Builds environments with uv: each once, however many processes request it, and a few at a time."""

import asyncio
import os
import shutil
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from msgspec import Struct

from windlass.apis.pod_packages import PodPackages
from windlass.node.images import interpreters, pip_program, writable
from windlass.node.images.catalogue import Environment
from windlass.node.images.choosing import Chooser
from windlass.node.images.environments import NO_PACKAGES, Environments, Record, key_of, size_of
from windlass.node.images.image import PullFailed
from windlass.node.images.interpreters import Interpreter
from windlass.node.images.pipconfig import PipConfig
from windlass.node.images.uv import Uv

Progress = Callable[[str], None]
POLL_INTERVAL = 0.05
DOWNLOAD = 120.0
COMPILED = ("--compile-bytecode",)
"""Pods cannot write beside the packages, and compiling TensorFlow takes three times as long as importing it."""
FEW_RETRIES = {"UV_HTTP_RETRIES": "1"}
"""For packages that a container can install itself: without a network it should not wait for them."""
DISTRIBUTIONS = Path("/usr/share/python-wheels")
"""The folder in which Debian keeps the wheels of ensurepip."""


class _Wanted(Struct, frozen=True):
    environment: Environment
    config: PipConfig
    added: PodPackages


class Builds:
    """Builds environments at their final paths; an environment is valid only once its record is written."""

    def __init__(self, environments: Environments, *, timeout: float = 3600.0, at_once: int | None = None) -> None:
        self._environments = environments
        self.uv = Uv(environments.root, timeout)
        self._timeout = timeout
        self._slots = asyncio.Semaphore(at_once or os.cpu_count() or 1)
        self._running: dict[str, asyncio.Lock] = {}

    async def build(
        self, environment: Environment, config: PipConfig, progress: Progress, added: PodPackages = NO_PACKAGES
    ) -> Record:
        """Return the record of an environment with `added` packages, building it if necessary. Raises PullFailed."""
        key = key_of(environment, config, added)
        async with self._running.setdefault(key, asyncio.Lock()):
            found = self._environments.get(key)
            if found is not None:
                return found
            async with self._slots:
                return await self._alone(key, _Wanted(environment, config, added), progress)

    async def _alone(self, key: str, wanted: "_Wanted", progress: Progress) -> Record:
        deadline = time.monotonic() + self._timeout
        waiting = False
        while True:
            with self._environments.lock(key) as held:
                if held is not None:
                    found = self._environments.get(key)
                    return found or await self._make(key, wanted, progress, held)
            if not waiting:
                progress("Waiting for another process that builds the same environment")
                waiting = True
            if time.monotonic() > deadline:
                raise PullFailed(f"gave up after {self._timeout:g} s: another process builds the same environment")
            await asyncio.sleep(POLL_INTERVAL)

    async def _make(self, key: str, wanted: "_Wanted", progress: Progress, held: int) -> Record:
        environment, config, added = wanted.environment, wanted.config, wanted.added
        folder = self._environments.path(key)
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        interpreter, warnings = await self._interpreter(environment.python, held)
        try:
            await self.uv.run("venv", "--python", interpreter.executable, str(folder), "--quiet", held=[held])
            warnings += await self._pip(folder, interpreter, config, held)
            await asyncio.to_thread(pip_program.replace_main, folder)
            await self._packages(folder, wanted, interpreter, warnings, progress, held)
        except BaseException:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
            raise
        record = Record(
            key=key,
            folder=str(folder),
            interpreter=interpreter.executable,
            version=interpreter.text,
            prefixes=interpreters.outside((str(folder), *interpreter.prefixes)),
            requirements=tuple(sorted((*environment.packages, *added.whole, *added.alone))),
            packages=await asyncio.to_thread(writable.prepare, folder),
            warnings=tuple(warnings),
            size=await asyncio.to_thread(size_of, folder),
            made_at=time.time(),
        )
        self._environments.complete(record)
        return record

    async def _interpreter(self, python: str, held: int) -> tuple[Interpreter, list[str]]:
        requested = interpreters.parse_version(python)
        extra = self.uv.pythons
        found = await asyncio.to_thread(interpreters.find, requested, extra)
        if found is not None:
            other = len(requested) > 2 and found.version != requested
            return found, [f"python {python} is not on this machine: {found.text} runs instead"] if other else []
        try:
            arguments = ("python", "install", python, "--install-dir", str(extra), "--no-bin")
            await self.uv.run(*arguments, environment={"UV_HTTP_RETRIES": "0"}, held=[held], seconds=DOWNLOAD)
            found = await asyncio.to_thread(interpreters.find, requested, extra)
        except PullFailed as error:
            why = str(error)
        else:
            why = "uv installed no working interpreter"
        if found is not None:
            return found, []
        found = await asyncio.to_thread(interpreters.nearest, requested, extra)
        if found is None:
            raise PullFailed(f"there is no python {python} on this machine, and it cannot be installed: {why}")
        return found, [f"python {python} is not on this machine and could not be installed: {found.text} runs instead"]

    async def _pip(self, folder: Path, interpreter: Interpreter, config: PipConfig, held: int) -> list[str]:
        """Install pip, which every Python image has: the one bundled with the interpreter, which needs no network."""
        target = ["--python", str(folder / "bin" / "python"), "--quiet"]
        names = ("pip", "setuptools") if interpreter.version < (3, 12, 0) else ("pip",)
        for where in (Path(interpreter.wheels), DISTRIBUTIONS):
            wheels = [str(max(found)) for name in names if (found := list(where.glob(f"{name}-*.whl")))]
            if wheels:
                await self.uv.run("pip", "install", "--offline", "--no-deps", *target, *wheels, held=[held])
                return []
        try:
            await self.uv.run(
                "pip", "install", *target, *config.flags(), *names, environment=config.environment(), held=[held]
            )
        except PullFailed as error:
            return [f"pip could not be installed: {error}"]
        return []

    async def _packages(
        self,
        folder: Path,
        wanted: "_Wanted",
        interpreter: Interpreter,
        warnings: list[str],
        progress: Progress,
        held: int,
    ) -> None:
        """Install the packages of the image, then those that are added to it."""
        target = ("--python", str(folder / "bin" / "python"), *wanted.config.flags())
        chooser, added = Chooser(self.uv, target, interpreter, wanted.config), wanted.added
        install = partial(self.uv.run, "pip", "install", *target, *COMPILED, progress=progress, held=[held])
        if wanted.environment.packages:
            choice = await chooser.choose(wanted.environment)
            warnings += choice.warnings
            await install(*choice.arguments, *choice.packages, environment=wanted.config.environment())
        variables = {**wanted.config.environment(), **FEW_RETRIES}
        if added.whole:
            choice = await chooser.choose(Environment(packages=added.whole))
            warnings += choice.warnings
            await install(*choice.arguments, *choice.packages, environment=variables)
        if added.alone:
            await install("--no-deps", *added.alone, environment=variables)

    async def forget(self, *, everything: bool) -> None:
        """Free cache entries that no environment uses; hard links keep what environments need."""
        await self.uv.run("cache", "clean" if everything else "prune", "--quiet")
