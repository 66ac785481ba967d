"""What a person's browser takes: the first load of the home page, and a long list that changes while it is scrolled."""

import asyncio
import json
import shutil
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import Browser, Page, async_playwright

from benchmarks.dashboard.frames import Frames, moved

DIST = Path(__file__).parents[2] / "ui" / "dist"
CHROMIUM = shutil.which("chromium")
LOADS = 5
SCROLL_SECONDS = 10
SETTLE_SECONDS = 2.0
RATE = 200
"""Changes a second while the list is scrolled."""
LIST = "/objects/core/v1/pods?ns="
OBSERVE = """
window.seen = { paint: 0, busyUntil: 0, content: 0 };
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (entry.name === "first-contentful-paint") seen.paint = entry.startTime;
}).observe({ type: "paint", buffered: true });
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) seen.busyUntil = Math.max(seen.busyUntil, entry.startTime + entry.duration);
}).observe({ type: "longtask", buffered: true });
const timer = setInterval(() => {
  if (!document.querySelector("main section")) return;
  seen.content = performance.now();
  clearInterval(timer);
}, 5);
"""
SCROLL = """([selector, seconds]) => new Promise((resolve) => {
  const found = document.querySelector(selector);
  const scroller = found.tagName === "TABLE" ? found.parentElement : found;
  const frames = [];
  const tasks = [];
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration)));
  observer.observe({ type: "longtask" });
  const began = performance.now();
  let last = began;
  const step = (now) => {
    frames.push(now - last);
    last = now;
    scroller.scrollTop += 60;
    if (now - began < seconds * 1000) return requestAnimationFrame(step);
    observer.disconnect();
    resolve({ frames: frames.slice(1), tasks });
  };
  requestAnimationFrame(step);
})"""
"""Scrolls by 60 px a frame; the time of each frame, and the tasks that took longer than 50 ms."""
REFERENCE = (
    """
<div id="plain" style="height: 600px; overflow: auto">
"""
    + "".join(f"<div style='height: 41px'>pod-{number:05} Running 0 node-1 5m</div>" for number in range(1000))
    + "</div>"
)
"""What the same browser on the same machine does with a list that no program touches."""


@asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--headless", "--no-sandbox", "--disable-gpu"]
        )
        yield browser
        await browser.close()


async def page_of(browser: Browser, url: str, cookies: dict[str, str]) -> Page:
    """A page with nothing in its cache, signed in."""
    context = await browser.new_context(base_url=url, viewport={"width": 1280, "height": 800})
    await context.add_cookies([{"name": name, "value": value, "url": url} for name, value in cookies.items()])
    return await context.new_page()


def gzip_bytes(paths: list[str]) -> int:
    """What the built files take on the way to a browser."""
    return sum((DIST / f"{path.lstrip('/')}.gz").stat().st_size for path in paths)


async def first_load(
    browser: Browser, url: str, cookies: dict[str, str], namespace: str
) -> tuple[int, dict[str, float]]:
    page = await page_of(browser, url, cookies)
    await page.add_init_script(OBSERVE)
    await page.goto(f"/?ns={namespace}")
    await page.locator("main section").first.wait_for()
    while not await page.evaluate("seen.content > 0 && performance.now() - seen.busyUntil > 200"):  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    seen: dict[str, float] = await page.evaluate("seen")
    names = json.loads(
        await page.evaluate("JSON.stringify(performance.getEntriesByType('resource').map((e) => e.name))")
    )
    paths = [path for name in names if (path := urlsplit(name).path).startswith("/assets/")]
    await page.context.close()
    interactive = max(seen["paint"], seen["busyUntil"], seen["content"])
    return gzip_bytes(["index.html", *paths]), {"paint": seen["paint"], "interactive": interactive}


async def loads(browser: Browser, url: str, cookies: dict[str, str], namespace: str) -> None:
    measured = [await first_load(browser, url, cookies, namespace) for _ in range(LOADS)]
    size = measured[-1][0]
    paint, interactive = (statistics.median(one[1][name] for one in measured) for name in ("paint", "interactive"))
    print(
        f"home page   {size / 1024:.0f} KiB gzip   first contentful paint {paint:.0f} ms   "
        f"interactive, with its data, {interactive:.0f} ms   (median of {LOADS}, nothing cached)",
        flush=True,
    )


async def scrolled(page: Page, selector: str) -> Frames:
    return await moved(page, SCROLL, [selector, SCROLL_SECONDS])


async def reference(browser: Browser) -> Frames:
    """A list of plain elements, scrolled in the same way."""
    page = await browser.new_page(viewport={"width": 1280, "height": 800})
    await page.set_content(REFERENCE)
    found = await scrolled(page, "#plain")
    await page.close()
    return found


async def scrolling(
    browser: Browser,
    url: str,
    cookies: dict[str, str],
    namespace: str,
    count: int,
    change: Callable[[float], Awaitable[Any]],
) -> None:
    """Frame times while a list is scrolled: a plain one, then the pods at rest, then the pods while they change."""
    print(f"plain elements, for reference   {await reference(browser)}", flush=True)
    page = await page_of(browser, url, cookies)
    began = time.monotonic()
    await page.goto(f"{LIST}{namespace}")
    await page.locator("tbody a").first.wait_for(timeout=120_000)
    first = time.monotonic() - began
    await page.get_by_role("status").filter(has_text=f"{count} rows").wait_for(timeout=120_000)
    print(f"first rows drawn after {first:.1f} s, all {count:,} after {time.monotonic() - began:.1f} s", flush=True)
    await asyncio.sleep(SETTLE_SECONDS)
    print(f"pods at rest                    {await scrolled(page, 'table')}", flush=True)
    changing = asyncio.ensure_future(change(time.monotonic() + SCROLL_SECONDS))
    print(f"pods, {RATE} changes/s             {await scrolled(page, 'table')}", flush=True)
    await changing
    print(f"plain elements, meanwhile       {await reference_while(browser, change)}", flush=True)
    await page.context.close()


async def reference_while(browser: Browser, change: Callable[[float], Awaitable[Any]]) -> Frames:
    """The plain list again while the pods change: the server takes its part of the same processors."""
    changing = asyncio.ensure_future(change(time.monotonic() + SCROLL_SECONDS))
    found = await reference(browser)
    await changing
    return found
