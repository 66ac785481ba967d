"""The graph of a pipeline run of 1,000 tasks in a browser: how soon it is drawn, and how it moves while tasks end.

The page is the real one. The run is made up: its answers, and the changes that make the page ask again, come from here.
"""

import asyncio
import json
import time
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import Page, Route, WebSocketRoute

from benchmarks.dashboard.frames import moved

TASKS = 1000
LAYER = 20
MOVE_SECONDS = 8
CHANGE_SECONDS = 1.0
RUN, EXPERIMENT = "bench", "bench"
API = "/pipeline/apis/v2beta1"
MOVE = """([selector, seconds]) => new Promise((resolve) => {
  const pane = document.querySelector(selector);
  const box = pane.getBoundingClientRect();
  const frames = [];
  const tasks = [];
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration)));
  observer.observe({ type: "longtask" });
  let x = box.left + box.width / 2;
  const y = box.top + box.height / 2;
  const mouse = (type, target) => target.dispatchEvent(
    new MouseEvent(type, { view: window, bubbles: true, cancelable: true, clientX: x, clientY: y + (x % 97) }));
  mouse("mousedown", pane);
  const began = performance.now();
  let last = began;
  let direction = 12;
  const step = (now) => {
    frames.push(now - last);
    last = now;
    x += direction;
    if (Math.abs(x - box.left - box.width / 2) > 900) direction = -direction;
    mouse("mousemove", window);
    if (now - began < seconds * 1000) return requestAnimationFrame(step);
    mouse("mouseup", window);
    observer.disconnect();
    resolve({ frames: frames.slice(1), tasks });
  };
  requestAnimationFrame(step);
})"""
"""Drags the graph to and fro; the time of each frame, and the tasks that took longer than 50 ms."""
LONGEST = """
window.longest = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.longest = Math.max(window.longest, entry.duration);
}).observe({ type: "longtask", buffered: true });
"""


def layered(count: int) -> dict[str, Any]:
    """Tasks in layers, each after three of the layer before."""
    names = [f"task-{number}" for number in range(count)]
    tasks: dict[str, Any] = {}
    for number, name in enumerate(names):
        layer, place = divmod(number, LAYER)
        first = (layer - 1) * LAYER
        before = [names[first + (place + step) % LAYER] for step in (0, 1, 7)] if layer else []
        tasks[name] = {"taskInfo": {"name": name}, "componentRef": {"name": "comp"}, "dependentTasks": before}
    return {"root": {"dag": {"tasks": tasks}}, "components": {"comp": {"executorLabel": "exec"}}}


@dataclass
class MadeUpRun:
    """A run that gets further with each change."""

    spec: dict[str, Any]
    done: int = 0
    sockets: list[tuple[WebSocketRoute, int]] = field(default_factory=list)

    @property
    def answer(self) -> dict[str, Any]:
        now = "2026-01-01T00:00:00Z"
        tasks = [{"task_id": "root", "name": "root", "type": "ROOT", "state": "RUNNING", "create_time": now}]
        for number, name in enumerate(self.spec["root"]["dag"]["tasks"]):
            state = "SUCCEEDED" if number < self.done else "RUNNING" if number < self.done + LAYER else "PENDING"
            about = {"task_id": name, "name": name, "display_name": name, "parent_task_id": "root", "type": "RUNTIME"}
            times = {"create_time": now, "start_time": now, **({"end_time": now} if state == "SUCCEEDED" else {})}
            tasks.append({**about, "state": state, **times})
        about_run = {"run_id": RUN, "display_name": "A long run", "experiment_id": EXPERIMENT, "state": "RUNNING"}
        return {**about_run, "created_at": now, "pipeline_spec": self.spec, "tasks": tasks, "task_count": len(tasks)}

    async def fulfil(self, route: Route) -> None:
        path = route.request.url.split(API, 1)[1].split("?")[0]
        answers: dict[str, Any] = {
            f"/runs/{RUN}": self.answer,
            f"/experiments/{EXPERIMENT}": {"experiment_id": EXPERIMENT, "display_name": "bench", "namespace": "bench"},
        }
        await route.fulfill(status=200, content_type="application/json", body=json.dumps(answers.get(path, {})))

    def follow(self, socket: WebSocketRoute) -> None:
        """Answer for the run's Workflow, and leave the rest to the gateway."""
        server = socket.connect_to_server()

        def sent(text: str | bytes) -> None:
            message = json.loads(text)
            if message.get("params", {}).get("resource") == "workflows":
                self.sockets.append((socket, message["id"]))
                socket.send(json.dumps({"type": "snapshot", "id": message["id"], "items": [], "version": "1"}))
            else:
                server.send(text)

        socket.on_message(sent)

    async def go_on(self, until: float) -> None:
        while time.monotonic() < until:
            await asyncio.sleep(CHANGE_SECONDS)
            self.done += LAYER // 2
            changed = [{"metadata": {"uid": "w", "name": "w", "resourceVersion": str(self.done)}}]
            for socket, id in self.sockets:
                text = {"type": "changes", "id": id, "changed": changed, "removed": [], "version": str(self.done)}
                socket.send(json.dumps(text))


async def graph(page: Page) -> None:
    """Frame times while the graph is moved: at rest, then while tasks of the run end and others start."""
    run = MadeUpRun(layered(TASKS))
    await page.add_init_script(LONGEST)
    await page.route(f"**{API}/**", run.fulfil)
    await page.route_web_socket("**/api/live", run.follow)
    began = time.monotonic()
    await page.goto(f"/pipelines/runs/details/{RUN}")
    await page.locator(".react-flow__node").first.wait_for(timeout=120_000)
    drawn = time.monotonic() - began
    longest: float = await page.evaluate("window.longest")
    print(f"graph of {TASKS:,} tasks drawn after {drawn:.1f} s   longest task {longest:.0f} ms", flush=True)
    print(f"graph at rest                   {await moved(page, MOVE, ['.react-flow__pane', MOVE_SECONDS])}", flush=True)
    going = asyncio.ensure_future(run.go_on(time.monotonic() + MOVE_SECONDS))
    print(f"graph of a run that goes on     {await moved(page, MOVE, ['.react-flow__pane', MOVE_SECONDS])}", flush=True)
    await going
    await page.context.close()
