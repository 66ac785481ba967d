"""Logs of a run's pods: from the pod while it exists, else from the archive."""

from collections.abc import AsyncIterator
from contextlib import suppress

from aiohttp import web

from windlass.apis.core_v1 import Pod
from windlass.apps.pipelines.argo.kfp.run_records import task_id
from windlass.apps.pipelines.model import Run, Task
from windlass.apps.pipelines.names import MAIN, RUN_ID_LABEL
from windlass.apps.pipelines.wire.call import Call
from windlass.apps.pipelines.wire.errors import InvalidArgument, NotFound, of_kubernetes
from windlass.apps.pipelines.wire.runs.runs import find_run
from windlass.kube.errors import ApiError, BadRequest
from windlass.kube.errors import NotFound as ObjectNotFound
from windlass.kube.meta import Key

HEADERS = {
    "Content-Type": "text/plain; charset=utf-8",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}


async def run_log(call: Call) -> web.StreamResponse:
    run = await find_run(call, call.part("id"), "get")
    pod_name = await pod_of_node(call, run, call.part("node"))
    return await answer_log(call, run, pod_name, follow=call.query("follow").lower() in ("true", "1"))


async def pod_of_node(call: Call, run: Run, node: str) -> str:
    """The pod of a node of a v1 run, which may be given by the id of the node: in old Argo the two were the same."""
    task = await call.database.get(Task, task_id(run.run_id, node)) if run.is_argo else None
    return task.pod_name if task is not None and task.pod_name else node


async def pod_log(call: Call) -> web.StreamResponse:
    """`/k8s/pod/logs?podname=…&runid=…`, as upstream's UI server has it."""
    run_id, pod_name = call.query("runid"), call.query("podname")
    if not run_id or not pod_name:
        raise InvalidArgument("podname and runid are required")
    return await answer_log(call, await find_run(call, run_id, "get"), pod_name, follow=False)


async def answer_log(call: Call, run: Run, pod_name: str, *, follow: bool) -> web.StreamResponse:
    lines = await pod_lines(call, run, pod_name, follow=follow)
    if lines is None:
        archived = await call.database.log(run.run_id, pod_name)
        if archived is None:
            raise NotFound(f"There is no log of {pod_name} in run {run.run_id}")
        return web.Response(body=archived, headers=HEADERS)
    response = web.StreamResponse(headers=HEADERS)
    await response.prepare(call.http)
    with suppress(ApiError):  # the pod was deleted meanwhile: what there was has been sent
        async for line in lines:
            await response.write(line + b"\n")
    await response.write_eof()
    return response


async def pod_lines(call: Call, run: Run, pod_name: str, *, follow: bool) -> AsyncIterator[bytes] | None:
    """The lines of a pod that belongs to the run; None if it is gone or has not started."""
    client = call.caller.client
    try:
        pod = await client.get(Pod, pod_name, run.namespace)
        if pod.metadata.labels.get(RUN_ID_LABEL) != run.run_id:
            return None
        lines = client.logs(Key(run.namespace, pod_name), container=MAIN, follow=follow)
        return await started(lines)
    except (ObjectNotFound, BadRequest):
        return None
    except ApiError as error:
        raise of_kubernetes(error) from error


async def started(lines: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The same lines, once the first has come: errors show before the answer begins."""
    first = await anext(lines, None)

    async def all_lines() -> AsyncIterator[bytes]:
        if first is not None:
            yield first
            async for line in lines:
                yield line

    return all_lines()
