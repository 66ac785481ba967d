# pyright: strict
"""Builds environments with uv: each once, however many processes request it, and a few at a time."""

import asyncio
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from windlass.node.images import interpreters, writable
from windlass.node.images.catalogue import Environment
from windlass.node.images.choosing import Chooser
from windlass.node.images.environments import Environments, Record, key_of, size_of
from windlass.node.images.image import PullFailed
from windlass.node.images.interpreters import Interpreter
from windlass.node.images.pipconfig import PipConfig
from windlass.node.images.uv import Uv

Progress = Callable[[str], None]
POLL_INTERVAL = 0.05
DOWNLOAD = 120.0
COMPILED = ("--compile-bytecode",)
"""Pods cannot write beside the packages, and compiling TensorFlow takes three times as long as importing it."""
DISTRIBUTIONS = Path("/usr/share/python-wheels")
"""The folder in which Debian keeps the wheels of ensurepip."""


class Builds:
    """Builds environments at their final paths; an environment is valid only once its record is written."""

    def __init__(self, environments: Environments, *, timeout: float = 3600.0, at_once: int | None = None) -> None:
        self._environments = environments
        self.uv = Uv(environments.root, timeout)
        self._timeout = timeout
        self._slots = asyncio.Semaphore(at_once or os.cpu_count() or 1)
        self._running: dict[str, asyncio.Lock] = {}

    async def build(self, environment: Environment, config: PipConfig, progress: Progress) -> Record:
        """Return the environment's record, building it if necessary. Raises PullFailed."""
        key = key_of(environment, config)
        async with self._running.setdefault(key, asyncio.Lock()):
            found = self._environments.get(key)
            if found is not None:
                return found
            async with self._slots:
                return await self._alone(key, environment, config, progress)

    async def _alone(self, key: str, environment: Environment, config: PipConfig, progress: Progress) -> Record:
        deadline = time.monotonic() + self._timeout
        waiting = False
        while True:
            with self._environments.lock(key) as held:
                if held is not None:
                    found = self._environments.get(key)
                    return found or await self._make(key, environment, config, progress, held)
            if not waiting:
                progress("Waiting for another process that builds the same environment")
                waiting = True
            if time.monotonic() > deadline:
                raise PullFailed(f"gave up after {self._timeout:g} s: another process builds the same environment")
            await asyncio.sleep(POLL_INTERVAL)

    async def _make(
        self, key: str, environment: Environment, config: PipConfig, progress: Progress, held: int
    ) -> Record:
        folder = self._environments.path(key)
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        interpreter, warnings = await self._interpreter(environment.python, held)
        try:
            await self.uv.run("venv", "--python", interpreter.executable, str(folder), "--quiet", held=[held])
            warnings += await self._pip(folder, interpreter, config, held)
            if environment.packages:
                warnings += await self._install(folder, environment, interpreter, config, progress, held)
        except BaseException:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
            raise
        record = Record(
            key=key,
            folder=str(folder),
            interpreter=interpreter.executable,
            version=interpreter.text,
            prefixes=interpreters.outside((str(folder), *interpreter.prefixes)),
            requirements=tuple(sorted(environment.packages)),
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

    async def _install(
        self,
        folder: Path,
        environment: Environment,
        interpreter: Interpreter,
        config: PipConfig,
        progress: Progress,
        held: int,
    ) -> list[str]:
        target = ("--python", str(folder / "bin" / "python"), *config.flags())
        choice = await Chooser(self.uv, target, interpreter, config).choose(environment)
        await self.uv.run(
            "pip", "install", *target, *COMPILED, *choice.arguments, *choice.packages,
            environment=config.environment(), progress=progress, held=[held],
        )  # fmt: skip
        return list(choice.warnings)

    async def forget(self, *, everything: bool) -> None:
        """Free cache entries that no environment uses; hard links keep what environments need."""
        await self.uv.run("cache", "clean" if everything else "prune", "--quiet")
