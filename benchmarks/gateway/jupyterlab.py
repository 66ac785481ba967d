"""From the login form to a cell that has run: how long a person waits for a JupyterLab.

The notebook is made as the form's page does, with the configured defaults and a new volume. The first one also waits
for its environment, which is made once; the second finds it warm.
"""

import asyncio
import json
import time
from typing import Any
from uuid import uuid4

import aiohttp
import requests

from benchmarks.gateway.platform import EMAIL, Platform

PROFILE = "bench-lab"
COLD_TIMEOUT_SECONDS, POLL_SECONDS = 600.0, 0.05
FORM_FIELDS = {"tolerationGroup": "", "affinityConfig": "", "configurations": [], "shm": True, "datavols": []}


def measure(platform: Platform) -> None:
    """Print both times, and what the second consists of."""
    _make_profile(platform)
    cold, _ = _until_usable(platform, "cold")
    warm, steps = _until_usable(platform, "warm")
    parts = ", ".join(f"{name} {seconds:.2f}" for name, seconds in steps.items())
    print(f"login to a cell in JupyterLab   {warm:.1f} s ({parts})   {cold:.1f} s with a new environment", flush=True)


def _make_profile(platform: Platform) -> None:
    owner = {"kind": "User", "name": EMAIL}
    platform.apply(
        {"apiVersion": "kubeflow.org/v1", "kind": "Profile", "metadata": {"name": PROFILE}, "spec": {"owner": owner}}
    )
    session = platform.log_in()

    def is_member() -> bool:
        answer = session.get(f"{platform.url}/api/workgroup/env-info", timeout=30).json()
        return PROFILE in [one["namespace"] for one in answer["namespaces"]]

    _wait(is_member, 60, "the profile")


def _until_usable(platform: Platform, name: str) -> tuple[float, dict[str, float]]:
    """Seconds until a cell has run, and after how many of them each step was over."""
    steps: dict[str, float] = {}
    began = time.monotonic()

    def over(step: str) -> None:
        steps[step] = time.monotonic() - began

    session = platform.log_in()
    over("signed in")
    _create(platform, session, name)
    over("created")
    base = f"{platform.url}/notebook/{PROFILE}/{name}"
    _wait(lambda: session.get(f"{base}/api/status", timeout=30).status_code == 200, COLD_TIMEOUT_SECONDS, "JupyterLab")
    over("server up")
    result = asyncio.run(_run_cell(base, platform.url, session, "1 + 1"))
    over("cell run")
    if result != "2":
        raise RuntimeError(f"1 + 1 is {result!r}")
    row = session.get(f"{platform.url}/jupyter/api/namespaces/{PROFILE}/notebooks/{name}", timeout=30).json()
    if row["notebook"]["processed_status"]["phase"] != "ready":
        raise RuntimeError(f"the notebook answers and is not ready: {row['notebook']['processed_status']}")
    _stop(platform, session, name)
    return steps["cell run"], steps


def _create(platform: Platform, session: requests.Session, name: str) -> None:
    """As the form does with nothing changed."""
    config = session.get(f"{platform.url}/jupyter/api/config", timeout=30).json()["config"]
    workspace = json.loads(json.dumps(config["workspaceVolume"]["value"]).replace("{notebook-name}", name))
    body: dict[str, Any] = {
        **FORM_FIELDS,
        "name": name,
        "serverType": "jupyter",
        "workspace": workspace,
        "gpus": {"num": "none", "vendor": ""},
        **{field: config[field]["value"] for field in ("image", "imagePullPolicy", "cpu", "memory")},
    }
    _send(platform, session, "POST", f"/jupyter/api/namespaces/{PROFILE}/notebooks", body)


def _stop(platform: Platform, session: requests.Session, name: str) -> None:
    """So that the next one has the machine for itself."""
    path = f"/jupyter/api/namespaces/{PROFILE}/notebooks/{name}"
    _send(platform, session, "PATCH", path, {"stopped": True})

    def is_stopped() -> bool:
        return session.get(f"{platform.url}{path}/pod", timeout=30).status_code == 404

    _wait(is_stopped, 60, "the notebook's end")


def _send(platform: Platform, session: requests.Session, method: str, path: str, body: dict[str, Any]) -> None:
    session.get(f"{platform.url}/jupyter/", timeout=30)
    headers = {"X-XSRF-TOKEN": session.cookies["XSRF-TOKEN"] or ""}
    answer = session.request(method, f"{platform.url}{path}", json=body, headers=headers, timeout=60)
    if answer.status_code != 200:
        raise RuntimeError(f"{method} {path}: {answer.status_code} {answer.text}")


async def _run_cell(base: str, origin: str, session: requests.Session, code: str) -> str:
    """What the cell's last line is, run by a new kernel over its WebSocket."""
    headers = {"Cookie": "; ".join(f"{one.name}={one.value}" for one in session.cookies), "Origin": origin}
    async with aiohttp.ClientSession(headers=headers) as client:
        async with client.post(f"{base}/api/kernels", json={"name": "python3"}) as made:
            kernel = (await made.json())["id"]
        async with client.ws_connect(f"{base}/api/kernels/{kernel}/channels") as socket:
            asked = uuid4().hex
            await socket.send_json(_execute_request(asked, code))
            async for message in socket:
                answer = json.loads(message.data)
                if answer["msg_type"] == "execute_result" and answer["parent_header"].get("msg_id") == asked:
                    return str(answer["content"]["data"]["text/plain"])
    raise RuntimeError("the kernel went away")


def _execute_request(message_id: str, code: str) -> dict[str, Any]:
    header = {"msg_id": message_id, "msg_type": "execute_request", "session": "benchmark", "username": "benchmark"}
    content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
    envelope = {"parent_header": {}, "metadata": {}, "channel": "shell", "buffers": []}
    return {"header": {**header, "version": "5.3", "date": ""}, "content": content, **envelope}


def _wait(is_there: Any, seconds: float, what: str) -> None:
    deadline = time.monotonic() + seconds
    while not is_there():
        if time.monotonic() > deadline:
            raise RuntimeError(f"waited {seconds:.0f} s for {what}")
        time.sleep(POLL_SECONDS)
