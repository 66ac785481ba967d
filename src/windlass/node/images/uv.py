# pyright: strict
"""Runs the uv program and explains its failures."""

import asyncio
import os
import re
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import Callable, Sequence
from pathlib import Path

from windlass.node.images.image import PullFailed, PullFailureReason

CONFUSING = (
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "PYTHONHOME",
    "PYTHONPATH",
    "UV_PYTHON",
    "UV_SYSTEM_PYTHON",
    "UV_TARGET",
    "UV_PREFIX",
)
NETWORK = re.compile(r"dns error|failed to lookup|error sending request|Connect|timed? ?out|network", re.IGNORECASE)
KEPT_LINES = 12
MAX_LINE = 2**16


class Uv:
    """Runs uv with a cache beside the environments, so that installed files are hard links into it."""

    def __init__(self, root: Path, timeout: float) -> None:
        self._root, self._timeout = root, timeout
        self.cache = root / "cache"
        self.pythons = root / "pythons"

    async def run(
        self,
        *arguments: str,
        progress: Callable[[str], None] | None = None,
        environment: dict[str, str] | None = None,
        held: Sequence[int] = (),
        seconds: float | None = None,
    ) -> list[str]:
        """Run uv and return its lines of output. Raises PullFailed. uv inherits `held`, its work's locks."""
        process = await asyncio.create_subprocess_exec(
            find(), *arguments, "--color=never", "--no-progress",
            cwd=self._root, env=self._environment(environment or {}), stdin=asyncio.subprocess.DEVNULL,
            stdout=PIPE, stderr=STDOUT, pass_fds=tuple(held), umask=0o022, limit=MAX_LINE,
        )  # fmt: skip
        lines: list[str] = []
        try:
            async with asyncio.timeout(seconds or self._timeout):
                assert process.stdout is not None
                async for raw in process.stdout:
                    line = raw.decode(errors="replace").rstrip()
                    lines.append(line)
                    if progress and line:
                        progress(line)
                code = await process.wait()
        except TimeoutError as error:
            raise PullFailed(
                f"gave up after {seconds or self._timeout:g} s: uv {arguments[0]} {arguments[1]}", "timeout"
            ) from error
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if code:
            raise explain(lines, code)
        return lines

    def _environment(self, extra: dict[str, str]) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name not in CONFUSING}
        ours = {"UV_CACHE_DIR": str(self.cache), "UV_LINK_MODE": "hardlink", "UV_NO_PROGRESS": "1"}
        ours["UV_COMPILE_BYTECODE_TIMEOUT"] = str(int(self._timeout))  # else a minute, and many files on a busy machine
        return kept | ours | extra


def find() -> str:
    """Return uv's path: a dependency of Windlass, or one on the PATH."""
    import shutil

    try:
        from uv import find_uv_bin

        return os.fspath(find_uv_bin())
    except (ImportError, FileNotFoundError):
        found = shutil.which("uv")
    if found is None:
        raise PullFailed("uv, which builds environments, is not installed: pip install uv")
    return found


def explain(lines: list[str], code: int) -> PullFailed:
    """Join the last lines, from uv's own error on, and add a hint where the network is the cause."""
    meant = [line.strip() for line in lines if line.strip()]
    start = next(
        (at for at, line in enumerate(meant) if line.startswith(("error:", "× ", "  ×"))),
        max(0, len(meant) - KEPT_LINES),
    )
    text = " ".join(meant[start : start + KEPT_LINES]) or f"uv ended with {code}"
    text = re.sub(r"\s+", " ", text.removeprefix("error:").replace("×", "").replace("╰─▶", ":")).strip()
    reason = _reason(text)
    if reason == "unreachable":
        text += " (the package index cannot be reached: check the network, PIP_INDEX_URL, PIP_FIND_LINKS or the proxy)"
    return PullFailed(text, reason)


def _reason(text: str) -> PullFailureReason:
    """The reason by uv's message, which is all that uv gives besides an exit code of 1 or 2."""
    if NETWORK.search(text) is not None:
        return "unreachable"
    return "not found" if "not found" in text else ""
