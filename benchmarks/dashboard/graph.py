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
CHANGES, ENDED_A_SECOND = 4, 20
"""Changes a second, and the tasks that end in them: the page asks for a run at most four times a second."""
RUN, EXPERIMENT = "bench", "bench"
NOW = "2026-01-01T00:00:00Z"
API = "/pipeline/apis/v2beta1"
DRAG, ZOOM, NONE = "drag", "zoom", "at rest"
PANE = ".react-flow__pane"
MOVE = """([selector, seconds, movement]) => new Promise((resolve) => {
  const pane = document.querySelector(selector);
  const box = pane.getBoundingClientRect();
  const frames = [];
  const tasks = [];
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration)));
  observer.observe({ type: "longtask" });
  const middle = { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 };
  const event = { view: window, bubbles: true, cancelable: true };
  let x = 0;
  let direction = 12;
  const mouse = (type, target) => target.dispatchEvent(
    new MouseEvent(type, { ...event, clientX: middle.clientX + x, clientY: middle.clientY + (x % 97) }));
  const moves = {
    drag: () => {
      x += direction;
      if (Math.abs(x) > 900) direction = -direction;
      mouse("mousemove", window);
    },
    zoom: () => {
      x += 1;
      const deltaY = x % 120 < 60 ? 2 : -2;
      pane.dispatchEvent(new WheelEvent("wheel", { ...event, ...middle, ctrlKey: true, deltaY }));
    },
    "at rest": () => undefined,
  };
  if (movement === "drag") mouse("mousedown", pane);
  const began = performance.now();
  let last = began;
  const step = (now) => {
    frames.push(now - last);
    last = now;
    moves[movement]();
    if (now - began < seconds * 1000) return requestAnimationFrame(step);
    if (movement === "drag") mouse("mouseup", window);
    observer.disconnect();
    resolve({ frames: frames.slice(1), tasks });
  };
  requestAnimationFrame(step);
})"""
"""Drags the graph to and fro, or zooms out and in, once a frame; the time of each frame, and the tasks that took longer
than 50 ms."""
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
        tasks = [{"task_id": "root", "name": "root", "type": "ROOT", "state": "RUNNING", "create_time": NOW}]
        tasks += [self.task(number, name) for number, name in enumerate(self.spec["root"]["dag"]["tasks"])]
        about_run = {"run_id": RUN, "display_name": "A long run", "experiment_id": EXPERIMENT, "state": "RUNNING"}
        return {**about_run, "created_at": NOW, "pipeline_spec": self.spec, "tasks": tasks, "task_count": len(tasks)}

    def task(self, number: int, name: str) -> dict[str, Any]:
        """About as large as one that Windlass answers."""
        state = "SUCCEEDED" if number < self.done else "RUNNING" if number < self.done + LAYER else "PENDING"
        passed = {"PENDING": 1, "RUNNING": 2, "SUCCEEDED": 3}[state]
        value = {"parameter_key": "rate", "value": 0.5, "type": "COMPONENT_INPUT", "producer": {"task_name": "root"}}
        return {
            "task_id": f"5d0f1a1e-0000-4000-8000-{number:012}",
            "name": name,
            "display_name": name,
            "parent_task_id": "root",
            "run_id": RUN,
            "type": "RUNTIME",
            "state": state,
            "create_time": NOW,
            "start_time": NOW,
            **({"end_time": NOW} if state == "SUCCEEDED" else {}),
            "cache_fingerprint": f"{number:064x}",
            "pods": [{"name": f"bench-{name}-main", "uid": f"{number:032x}", "type": "EXECUTOR"}],
            "state_history": [
                {"update_time": NOW, "state": one} for one in ("PENDING", "RUNNING", "SUCCEEDED")[:passed]
            ],
            "inputs": {"parameters": [value]},
        }

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
            await asyncio.sleep(1 / CHANGES)
            self.done += ENDED_A_SECOND // CHANGES
            changed = [{"metadata": {"uid": "w", "name": "w", "resourceVersion": str(self.done)}}]
            for socket, id in self.sockets:
                text = {"type": "changes", "id": id, "changed": changed, "removed": [], "version": str(self.done)}
                socket.send(json.dumps(text))


async def graph(page: Page) -> None:
    """Frame times while the graph is moved, as it opens and with all of it in sight."""
    run = MadeUpRun(layered(TASKS))
    await page.add_init_script(LONGEST)
    await page.route(f"**{API}/**", run.fulfil)
    await page.route_web_socket("**/api/live", run.follow)
    began = time.monotonic()
    await page.goto(f"/pipelines/runs/details/{RUN}")
    await page.locator("[data-node]").first.wait_for(timeout=120_000)
    drawn = time.monotonic() - began
    longest: float = await page.evaluate("window.longest")
    print(f"graph of {TASKS:,} tasks drawn after {drawn:.1f} s   longest task {longest:.0f} ms", flush=True)
    await moves(page, run, "as it opens", (DRAG, ZOOM))
    await page.get_by_role("button", name="Show all").click()
    await moves(page, run, "all of it", (DRAG,))
    await page.context.close()


async def moves(page: Page, run: MadeUpRun, view: str, at_rest: tuple[str, ...]) -> None:
    """Print what the browser does for each movement of the graph: of a run at rest, then while its tasks end."""
    for movement in at_rest:
        print(f"{view}, {movement:20} {await moved(page, MOVE, [PANE, MOVE_SECONDS, movement])}", flush=True)
    for movement in (NONE, DRAG):
        going = asyncio.ensure_future(run.go_on(time.monotonic() + MOVE_SECONDS))
        frames = await moved(page, MOVE, [PANE, MOVE_SECONDS, movement])
        print(f"{view}, {f'{movement}, tasks end':20} {frames}", flush=True)
        await going
