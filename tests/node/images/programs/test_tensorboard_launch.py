"""How TensorBoard is started: its application behind the token, and its options without a network of the pod's own."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from windlass.node.images.programs.tensorboard.launch import guarded, options_for

TOKEN = "a" * 64


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    start_response("200 OK", [])
    return [b"curves of ", environ["PATH_INFO"].encode()]


@pytest.mark.parametrize(
    ("headers", "status", "body"),
    [
        ({"HTTP_X_WINDLASS_SERVER_TOKEN": TOKEN}, "200 OK", b"curves of /data/runs"),
        ({"HTTP_X_WINDLASS_SERVER_TOKEN": "b" * 64}, "403 Forbidden", None),
        ({"HTTP_AUTHORIZATION": f"token {TOKEN}"}, "403 Forbidden", None),
        ({}, "403 Forbidden", None),
    ],
)
def test_the_application_answers_the_gateway_only(headers: dict[str, str], status: str, body: bytes | None) -> None:
    statuses: list[str] = []

    answer = guarded(application, TOKEN)({"PATH_INFO": "/data/runs", **headers}, lambda code, _: statuses.append(code))

    assert statuses == [status]
    assert body is None or b"".join(answer) == body


@pytest.mark.parametrize(
    ("words", "address", "expected"),
    [
        (["--logdir=/l", "--bind_all"], "", ["--logdir=/l", "--bind_all"]),
        (["--logdir=/l", "--bind_all"], "127.1.0.2", ["--logdir=/l", "--host=127.1.0.2", "--load_fast=false"]),
        (["--logdir=/l", "--load_fast=true"], "127.1.0.2", ["--logdir=/l", "--load_fast=true"]),
    ],
)
def test_on_the_machines_loopback_it_has_the_pods_address_alone(
    words: list[str], address: str, expected: list[str]
) -> None:
    assert options_for(words, address) == expected
