"""What a browser does while something moves: its frames, and how busy the thread of the page is."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from playwright.async_api import CDPSession, Page

FRAME_MS = 1000 / 60


@dataclass(frozen=True)
class Frames:
    """The frames and long tasks (more than 50 ms) of a movement, in milliseconds."""

    frames: list[float]
    tasks: list[float]
    processor: float
    """Processor time of the page's thread: unlike the others it does not depend on what else the machine does."""

    @property
    def dropped(self) -> float:
        """The part of the frames of a 60 Hz screen that showed nothing new."""
        expected = sum(self.frames) / FRAME_MS
        return max(0.0, 1 - len(self.frames) / expected)

    def __str__(self) -> str:
        ordered = sorted(self.frames)
        p50, p99 = (ordered[len(ordered) * part // 100] for part in (50, 99))
        return (
            f"frames p50 {p50:.1f} ms   p99 {p99:.1f} ms   longest {ordered[-1]:.0f} ms   {self.dropped:.1%} dropped   "
            f"{len(self.tasks)} long tasks, {sum(self.tasks):.0f} ms in all   "
            f"{self.processor / len(self.frames):.1f} ms of the page's thread a frame"
        )


async def _thread_ms(session: CDPSession) -> float:
    metrics: list[dict[str, Any]] = (await session.send("Performance.getMetrics"))["metrics"]
    return next(float(one["value"]) for one in metrics if one["name"] == "ThreadTime") * 1000


async def moved(page: Page, script: str, argument: object) -> Frames:
    """Run a script that moves something and answers `{frames, tasks}`, and count what the page's thread does for it."""
    async with _session(page) as session:
        before = await _thread_ms(session)
        found = await page.evaluate(script, argument)
        return Frames(found["frames"], found["tasks"], await _thread_ms(session) - before)


@asynccontextmanager
async def _session(page: Page) -> AsyncIterator[CDPSession]:
    session = await page.context.new_cdp_session(page)
    await session.send("Performance.enable")
    yield session
    await session.detach()
