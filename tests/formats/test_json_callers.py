"""Readers of JSON that users, pods or strangers write refuse nested text with their own error, or take it for none."""

import base64
from collections.abc import Callable
from typing import Any

import pytest

from windlass.apis.kubeflow_v1 import Notebook
from windlass.apis.training.conversion import round_trip
from windlass.apiserver.auth.jws import BadToken, split
from windlass.controllers.notebooks.children import REQUEST_HEADERS, request_headers
from windlass.controllers.tensorboards.runs import runs_of
from windlass.gateway.live import messages
from windlass.gateway.tokens.bearer import claims_of
from windlass.kube.errors import BadRequest
from windlass.kube.meta import ObjectMeta
from windlass.pipelines.argo.metrics import read_metrics
from windlass.pipelines.runs.task_outputs import BadOutputs, decoded_output
from windlass.pipelines.wire.errors import InvalidArgument
from windlass.pipelines.wire.listing import parsed_filter, read_token

N = 5_000  # more would not fit into the headers of a request
NESTED = ["[" * N, "[" * N + "]" * N, '{"a":' * N + "1" + "}" * N, '{"type":"subscribe","x":' + "[" * N + "]" * N + "}"]


def token(text: str) -> str:
    part = base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()
    return f"{part}.{part}.{part}"


REFUSING: dict[str, tuple[Callable[[str], Any], type[Exception]]] = {
    "token": (lambda text: split(token(text)), BadToken),
    "page token": (lambda text: read_token(base64.b64encode(text.encode()).decode()), InvalidArgument),
    "filter": (parsed_filter, InvalidArgument),
    "message": (messages.read, BadRequest),
    "executor output": (lambda text: decoded_output(text.encode()), BadOutputs),
}
IGNORING: dict[str, tuple[Callable[[str], Any], Any]] = {
    "claims": (lambda text: claims_of(token(text)), {}),
    "headers": (lambda text: request_headers(Notebook(metadata=ObjectMeta(annotations={REQUEST_HEADERS: text}))), {}),
    "runs": (lambda text: runs_of(text.encode()), None),
    "metrics": (lambda text: read_metrics(text.encode()), []),
    "kept fields": (round_trip.read, round_trip.Kept()),
}


@pytest.mark.parametrize("text", NESTED, ids=range(4))
@pytest.mark.parametrize("name", REFUSING)
def test_nested_json_is_refused_with_the_reader_s_own_error(name: str, text: str) -> None:
    read, error = REFUSING[name]
    with pytest.raises(error):
        read(text)


@pytest.mark.parametrize("text", NESTED, ids=range(4))
@pytest.mark.parametrize("name", IGNORING)
def test_nested_json_of_pods_and_annotations_is_taken_for_none(name: str, text: str) -> None:
    read, nothing = IGNORING[name]
    assert read(text) == nothing
