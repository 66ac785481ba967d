"""Asks the servers of notebooks what they do, and stops those that have been idle for too long."""

from datetime import datetime
from functools import partial
from typing import TypeVar

import msgspec

from windlass.apis.core_v1 import Pod
from windlass.apps.notebooks.children import target_port
from windlass.apps.notebooks.controllers.metrics import NotebookMetrics
from windlass.apps.notebooks.culling import (
    Annotations,
    Begin,
    Check,
    Forget,
    Kernel,
    Terminal,
    Wait,
    begun,
    checked,
    forgotten,
    has_jupyter,
    next_step,
    used_millicores,
)
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.notebooks.names import NOTEBOOK_LABEL, SERVER_TOKENS, STOPPED, prefix
from windlass.apps.notebooks.options import Options
from windlass.controllers.core.autoscaling_metrics import RESOURCE
from windlass.controllers.server_tokens import read_token
from windlass.kube.controller import Acted, Acting, Api, Key, Observed
from windlass.kube.errors import NotFound, ServiceUnavailable
from windlass.kube.kind import KINDS
from windlass.kube.objects import is_deleting
from windlass.kube.plan import Event
from windlass.kube.view import untyped

CULLED = "NotebookCulled"
T = TypeVar("T")

_kernels = msgspec.json.Decoder(list[Kernel])
_terminals = msgspec.json.Decoder(list[Terminal])


async def cull(
    options: Options, metrics: NotebookMetrics, notebook: Notebook, observed: Observed, api: Api
) -> Acted | None:
    if is_deleting(notebook):
        return None
    pod = observed.one(Pod, f"{notebook.metadata.name}-0")
    match next_step(notebook, observed.now, options, has_pod=pod is not None):
        case Forget():
            await _write(notebook, forgotten(notebook), api)
            return None
        case Begin():
            await _write(notebook, begun(notebook, observed.now), api)
            return Acted(again_in=options.idleness_check_period)
        case Wait(remaining):
            return Acted(again_in=remaining)
        case Check():
            return await _check(options, metrics, notebook, observed.now, api)


async def _check(
    options: Options, metrics: NotebookMetrics, notebook: Notebook, now: datetime, api: Api
) -> Acted | None:
    kernels: list[Kernel] = []
    terminals: list[Terminal] = []
    if has_jupyter(notebook):
        token = await read_token(SERVER_TOKENS, notebook.metadata.key, api)
        kernels = await _ask(notebook, "kernels", token, _kernels, api)
        terminals = await _ask(notebook, "terminals", token, _terminals, api)
    millicores = await _millicores(notebook, api) if options.cull_consider_cpu else None
    written = checked(notebook, kernels, terminals, now, options, millicores=millicores)
    await _write(notebook, written, api)
    if STOPPED not in written:
        return Acted(again_in=options.idleness_check_period)
    metrics.record_culling(notebook.metadata.key, now)
    return Acted(
        events=[
            Event(reason=CULLED, message="The server was idle for too long and is stopped; start it again any time")
        ]
    )


async def _ask(
    notebook: Notebook, what: str, token: str, decoder: "msgspec.json.Decoder[list[T]]", api: Api
) -> list[T]:
    """What the server lists; nothing if it does not answer, as one that is starting."""
    key = notebook.metadata.key
    # The API server keeps the header Authorization to itself, so the token is a parameter.
    answer = await api.ask_pod(
        Key(key.namespace, f"{key.name}-0"),
        target_port(notebook),
        f"{prefix(key)}/api/{what}",
        {},
        {"token": token} if token else {},
    )
    try:
        return decoder.decode(answer.body) if answer.code == 200 else []
    except (msgspec.DecodeError, RecursionError):
        return []


async def _millicores(notebook: Notebook, api: Api) -> int | None:
    """What the pod uses; None where no metrics are served, or none of this pod yet."""
    key = notebook.metadata.key
    try:
        return used_millicores(await api.get(untyped(RESOURCE), f"{key.name}-0", key.namespace))
    except (NotFound, ServiceUnavailable):
        return None


async def _write(notebook: Notebook, annotations: Annotations, api: Api) -> None:
    """Write unless the Notebook has changed: activity that was recorded meanwhile must count."""
    if annotations:
        version = notebook.metadata.resource_version
        patch = {"metadata": {"resourceVersion": version, "annotations": dict(annotations)}}
        await api.patch(KINDS.of(Notebook), notebook.metadata.key, patch)


def notebook_of(pod: Pod) -> Key | None:
    name = pod.metadata.labels.get(NOTEBOOK_LABEL)
    return Key(pod.metadata.namespace, name) if name else None


def controller(options: Options, metrics: NotebookMetrics) -> Acting[Notebook]:
    return Acting(
        "notebook-culler",
        Notebook,
        partial(cull, options, metrics),
        watches=[(Pod, notebook_of)],
        workers=4,
        component="notebook-controller",
    )
