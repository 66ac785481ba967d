"""Asks a TensorBoard that runs what it found, and reports on the Tensorboard that it found nothing."""

from datetime import timedelta

import msgspec

from windlass.apis.core_v1 import Pod
from windlass.apps.tensorboards.kinds import Tensorboard
from windlass.apps.tensorboards.names import APP_LABEL, NO_EVENT_FILES, PORT, SERVER_TOKENS
from windlass.controllers.server_tokens import read_token
from windlass.formats.server_token import HEADER
from windlass.kube.controller import Acted, Acting, Api, Key, Observed
from windlass.kube.objects import is_deleting
from windlass.kube.plan import Event

CHECK_INTERVAL = timedelta(seconds=30)
RUNS = "/data/runs"

_runs = msgspec.json.Decoder(list[str])


async def check(board: Tensorboard, observed: Observed, api: Api) -> Acted | None:
    """Ask until TensorBoard has found a run: logs may still be written."""
    pod = ready_pod(board, observed)
    if is_deleting(board) or pod is None:
        return None
    token = await read_token(SERVER_TOKENS, board.metadata.key, api)
    answer = await api.ask_pod(pod, PORT, RUNS, {HEADER: token} if token else {})
    runs = runs_of(answer.body) if answer.code == 200 else None
    if runs is None:
        return Acted(again_in=CHECK_INTERVAL)
    if runs:
        return None
    message = f"There are no event files (events.out.tfevents.*) under {board.spec.logspath}"
    return Acted(again_in=CHECK_INTERVAL, events=[Event(reason=NO_EVENT_FILES, message=message, warning=True)])


def runs_of(body: bytes) -> list[str] | None:
    """Names of the runs; None for what is no answer of TensorBoard."""
    try:
        return _runs.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return None


def ready_pod(board: Tensorboard, observed: Observed) -> Key | None:
    for pod in observed.labelled(Pod, {APP_LABEL: board.metadata.name}):
        if any(condition.type == "Ready" and condition.status == "True" for condition in pod.status.conditions):
            return pod.metadata.key
    return None


def board_of(pod: Pod) -> Key | None:
    name = pod.metadata.labels.get(APP_LABEL)
    return Key(pod.metadata.namespace, name) if name else None


CONTROLLER = Acting(
    "tensorboard-runs", Tensorboard, check, watches=[(Pod, board_of)], component="tensorboard-controller"
)
