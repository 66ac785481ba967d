"""exec and attach through the engine."""

import asyncio
import contextlib
import os
import signal
from typing import NamedTuple

from windlass.kube.json import Object, dig
from windlass.node.runtimes.base import CannotRun, Gone
from windlass.node.runtimes.podman import answers, bodies
from windlass.node.runtimes.podman.engine import Engine, Refused
from windlass.node.runtimes.podman.process import EngineProcess

_PAUSE, _MAX_TRIES = 0.02, 50


class SessionOptions(NamedTuple):
    stdin: bool
    stdout: bool
    stderr: bool
    tty: bool


async def execute(engine: Engine, container: str, argv: list[str], wanted: SessionOptions) -> EngineProcess:
    """Execute a command.

    Engines never end a process of exec: one whose client disconnects is killed if this user may.
    """
    body = bodies.execution(argv, **wanted._asdict())
    try:
        made: Object = await engine.post(f"/containers/{container}/exec", body)
        identity = str(made["Id"])
        streams = await engine.hijack(f"/exec/{identity}/start", {"Detach": False, "Tty": wanted.tty})
    except Refused as error:
        raise CannotRun(str(error), exit_code=answers.exit_code_of_refusal(str(error))) from error

    async def state() -> Object:
        return await engine.get(f"/exec/{identity}/json")

    async def ended() -> int:
        now = await state()
        while now.get("Running"):
            await asyncio.sleep(_PAUSE)  # the engine does not report it
            now = await state()
        return int(now.get("ExitCode") or 0)

    async def resized(columns: int, rows: int) -> None:
        for _ in range(_MAX_TRIES):
            try:
                await engine.post(f"/exec/{identity}/resize", h=rows, w=columns)
            except Refused:  # its process is not there yet, or not any more
                await asyncio.sleep(_PAUSE)
            else:
                return

    async def closed() -> None:
        with contextlib.suppress(Refused, OSError):
            now = await state()
            if now.get("Running") and now.get("Pid"):
                os.kill(int(now["Pid"]), signal.SIGKILL)

    process = EngineProcess(streams, ended=ended, resized=resized, closed=closed)
    return await process.start(**wanted._asdict())


async def attach(engine: Engine, container: str, wanted: SessionOptions) -> EngineProcess:
    config: Object = dig(await engine.get(f"/containers/{container}/json"), "Config") or {}
    wanted = wanted._replace(stdin=wanted.stdin and bool(config.get("OpenStdin")), tty=bool(config.get("Tty")))
    query = {"stream": True, "stdin": wanted.stdin, "stdout": wanted.stdout, "stderr": wanted.stderr}
    try:
        streams = await engine.hijack(f"/containers/{container}/attach", None, **query)
    except Refused as error:
        raise Gone(str(error)) from error

    async def ended() -> int:
        answer: Object = await engine.post(f"/containers/{container}/wait") or {}
        return int(answer.get("StatusCode") or 0)

    async def resized(columns: int, rows: int) -> None:
        with contextlib.suppress(Refused):
            await engine.post(f"/containers/{container}/resize", h=rows, w=columns)

    async def closed() -> None:
        """The container keeps running."""

    process = EngineProcess(streams, ended=ended, resized=resized, closed=closed)
    return await process.start(**wanted._asdict())
