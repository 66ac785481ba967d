"""The postStart and preStop hooks of a container."""

import asyncio

from windlass.kube.json import Object, dig, dig_list
from windlass.node.probes.checks import Reach, http_get

HTTP_TIMEOUT = 30.0  # seconds; a hook has no timeout of its own but the grace period
USER_AGENT = "kube-lifecycle/1.35"


async def run_hook(handler: Object, reach: Reach) -> str | None:
    """None where it went well, else why it failed.

    As in Kubernetes any answer to an `httpGet` will do, whatever its status, and a `tcpSocket` does nothing.
    """
    try:
        if "exec" in handler:
            return await _exec(dig_list(handler, "exec", "command"), reach)
        if "httpGet" in handler:
            answer = await http_get(handler["httpGet"], reach, HTTP_TIMEOUT, USER_AGENT)
            return answer if isinstance(answer, str) else None
    except (ValueError, OSError) as error:
        return str(error)
    if "sleep" in handler:
        await asyncio.sleep(float(dig(handler, "sleep", "seconds") or 0))
    return None


async def _exec(command: list[str], reach: Reach) -> str | None:
    code, output = await reach.exec(command)
    if code == 0:
        return None
    text = output.decode(errors="replace")
    return f"command '{' '.join(command)}' exited with {code}: {text}"
