"""A TensorBoard that found nothing says so on its object."""

from typing import Any

import msgspec
import pytest

from windlass.apis.core_v1 import Pod, Secret
from windlass.apps.tensorboards.controllers.runs import CHECK_INTERVAL, CONTROLLER
from windlass.apps.tensorboards.kinds import Tensorboard
from windlass.kube.api import PodAnswer
from windlass.kube.controller import Acted, Observed

BOARD = msgspec.convert(
    {"metadata": {"name": "tb", "namespace": "ml"}, "spec": {"logspath": "pvc://logs/x"}}, Tensorboard
)


def a_pod(ready: str) -> Pod:
    return msgspec.convert(
        {
            "metadata": {"name": "tb-1", "namespace": "ml", "labels": {"app": "tb"}},
            "status": {"conditions": [{"type": "Ready", "status": ready}]},
        },
        Pod,
    )


class Asked:
    def __init__(self, answer: PodAnswer) -> None:
        self.answer = answer
        self.headers: dict[str, str] = {}

    async def get(self, of: object, name: str, namespace: str) -> Secret:
        assert (name, namespace) == ("tb-tensorboard-token", "ml")
        return Secret(data={"token": "c2VjcmV0"})

    async def ask_pod(self, pod: object, port: int, path: str, headers: dict[str, str]) -> PodAnswer:
        self.headers = headers
        return self.answer


async def check(answer: PodAnswer, ready: str = "True") -> Any:
    return await check_with(Asked(answer), ready)


async def check_with(api: Any, ready: str = "True") -> Any:
    return await CONTROLLER.act(BOARD, Observed.just(a_pod(ready), of=BOARD), api)


async def test_no_runs_are_an_event_and_asked_for_again() -> None:
    answer = await check(PodAnswer(is_listening=True, code=200, body=b"[]"))

    assert isinstance(answer, Acted)
    assert answer.again_in == CHECK_INTERVAL
    (event,) = answer.events
    assert event.reason == "NoEventFiles"
    assert event.message.endswith("under pvc://logs/x")


async def test_a_board_with_runs_is_not_asked_again() -> None:
    assert await check(PodAnswer(is_listening=True, code=200, body=b'["."]')) is None


async def test_a_board_that_is_not_ready_is_not_asked() -> None:
    assert await check(PodAnswer(is_listening=True, code=200, body=b"[]"), ready="False") is None


@pytest.mark.parametrize(
    "answer", [PodAnswer(is_listening=False), PodAnswer(is_listening=True, code=200, body=b"<html>")]
)
async def test_no_answer_is_no_reason(answer: PodAnswer) -> None:
    assert await check(answer) == Acted(again_in=CHECK_INTERVAL)


async def test_the_server_is_asked_with_its_token() -> None:
    api = Asked(PodAnswer(is_listening=True, code=200, body=b'["."]'))
    await check_with(api)

    assert api.headers == {"x-windlass-server-token": "secret"}
