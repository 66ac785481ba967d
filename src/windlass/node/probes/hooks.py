"""The postStart and preStop hooks of a container."""

import asyncio

from windlass.kube.json import Object, dig, dig_list
from windlass.node.probes.checks import ProbeTarget, http_get

HTTP_TIMEOUT = 30.0  # seconds; a hook has no timeout of its own but the grace period
USER_AGENT = "kube-lifecycle/1.35"


async def run_hook(handler: Object, target: ProbeTarget) -> str | None:
    """Run a hook; returns None on success, else why it failed.

    As in Kubernetes any response to an `httpGet` is a success, whatever its status, and a `tcpSocket` does nothing.
    """
    try:
        if "exec" in handler:
            return await _exec(dig_list(handler, "exec", "command"), target)
        if "httpGet" in handler:
            answer = await http_get(handler["httpGet"], target, HTTP_TIMEOUT, USER_AGENT)
            return answer if isinstance(answer, str) else None
    except (ValueError, OSError) as error:
        return str(error)
    if "sleep" in handler:
        await asyncio.sleep(float(dig(handler, "sleep", "seconds") or 0))
    return None


async def _exec(command: list[str], target: ProbeTarget) -> str | None:
    code, output = await target.exec(command)
    if code == 0:
        return None
    text = output.decode(errors="replace")
    return f"command '{' '.join(command)}' exited with {code}: {text}"
