"""Messages as what they would be over HTTP, whatever they contain."""

import math
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.apps.pipelines.wire.grpc.clients import V1, V2
from tests.apps.pipelines.wire.grpc.test_tables import METHODS
from windlass.apps.pipelines.wire import protojson, shapes
from windlass.apps.pipelines.wire.errors import InvalidArgument
from windlass.apps.pipelines.wire.grpc.api import SERVICES
from windlass.apps.pipelines.wire.grpc.methods import Method
from windlass.apps.pipelines.wire.grpc.transcoding import HttpForm, http_form, message_of
from windlass.apps.pipelines.wire.v1 import shapes as v1_shapes
from windlass.formats.protobuf_json import to_json
from windlass.formats.protobuf_messages import (
    BOOL,
    BYTES,
    DOUBLE,
    INT32,
    INT64,
    STRING,
    EnumOf,
    ListOf,
    MapOf,
    Message,
    Scalar,
    Type,
    decode,
    encode,
)

SHAPES = {
    (V2, "pipeline"): shapes.PIPELINE,
    (V2, "pipeline_version"): shapes.VERSION,
    (V2, "experiment"): shapes.EXPERIMENT,
    (V2, "run"): shapes.RUN,
    (V2, "recurring_run"): shapes.RECURRING_RUN,
    (V1, "pipeline"): v1_shapes.PIPELINE,
    (V1, "version"): v1_shapes.VERSION,
    (V1, "experiment"): v1_shapes.EXPERIMENT,
    (V1, "run"): v1_shapes.RUN,
    (V1, "job"): v1_shapes.JOB,
}
"""What a handler decodes, by the field that is the body."""
SCALARS: dict[Scalar, st.SearchStrategy[Any]] = {
    INT32: st.integers(-(1 << 31), (1 << 31) - 1),
    INT64: st.integers(-(1 << 63), (1 << 63) - 1),
    BOOL: st.booleans(),
    DOUBLE: st.floats(),
    STRING: st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
    BYTES: st.binary(max_size=6),
}


def any_values(type: Type, depth: int = 0) -> st.SearchStrategy[Any]:
    match type:
        case ListOf(item):
            return st.lists(any_values(item, depth), max_size=2)
        case MapOf(item, key):
            return st.dictionaries(SCALARS[key], any_values(item, depth), max_size=2)
        case EnumOf(names, _):
            return st.sampled_from([name for name in names if name])
        case Message():
            return any_messages(type, depth + 1)
        case Scalar():
            return SCALARS[type]


def any_messages(message: Message, depth: int = 0) -> st.SearchStrategy[dict[str, Any]]:
    """Also those that no client means: several fields of a choice, times out of range, values without a kind."""
    fields = {
        name: any_values(type, depth)
        for name, (_, type) in message.fields.items()
        if depth < 6 or not (isinstance(type, Message | ListOf | MapOf))
    }
    return st.fixed_dictionaries({}, optional=fields)


def method(path: str, package: str = V2) -> Method:
    service, _, name = path.partition("/")
    return SERVICES[f"{package}.{service}"][name]


def form(path: str, package: str = V2, /, **request: Any) -> HttpForm:
    asked = method(path, package)
    return http_form(asked, encode(asked.request, request))


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_any_message_has_a_form_or_is_refused(method: Method, data: st.DataObject) -> None:
    with suppress(InvalidArgument):
        http_form(method, encode(method.request, data.draw(any_messages(method.request))))


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=15)
@given(message=st.binary(max_size=40))
def test_any_bytes_have_a_form_or_are_refused(method: Method, message: bytes) -> None:
    with suppress(InvalidArgument):
        http_form(method, message)


@pytest.mark.parametrize(("package", "body"), SHAPES)
@settings(deadline=None)
@given(data=st.data())
def test_any_resource_is_decoded_or_refused_as_over_http(package: str, body: str, data: st.DataObject) -> None:
    creating = next(
        method
        for service, methods in SERVICES.items()
        if service.rpartition(".")[0] == package
        for method in methods.values()
        if method.body == body and method.route.method == "POST"
    )
    resource = data.draw(any_values(creating.request.fields[body][1]))
    with suppress(InvalidArgument):
        sent = http_form(
            creating,
            encode(creating.request, {body: resource, "pipeline_id": "p"} if creating.parts else {body: resource}),
        )
        decoded = protojson.decode(SHAPES[package, body], sent.request.body)
        assert set(decoded) <= set(resource)


def test_fields_are_parts_of_the_path_the_query_or_the_body() -> None:
    parts, request = form("RunService/CreateRun", experiment_id="e", run={"display_name": "r"})
    assert (parts, dict(request.query), request.body) == ({}, {"experiment_id": "e"}, {"display_name": "r"})
    parts, request = form("PipelineService/DeletePipeline", pipeline_id="p", cascade=True)
    assert (parts, dict(request.query), request.body) == ({"id": "p"}, {"cascade": "true"}, {})
    parts, request = form("PipelineService/UpdatePipeline", pipeline={"pipeline_id": "p", "display_name": "d"})
    assert (parts, dict(request.query)) == ({"id": "p"}, {})
    assert request.body == {"pipeline_id": "p", "display_name": "d"}
    parts, request = form(
        "RunService/ListRunsV1", V1, page_size=3, resource_reference_key={"type": "EXPERIMENT", "id": "e"}
    )
    query = {"page_size": "3", "resource_reference_key.type": "EXPERIMENT", "resource_reference_key.id": "e"}
    assert (parts, dict(request.query)) == ({}, query)
    parts, request = form("RunService/ReportRunMetricsV1", V1, run_id="r", metrics=[{"name": "a", "number_value": 0.0}])
    assert (parts, dict(request.query)) == ({"id": "r"}, {})
    assert request.body == {"run_id": "r", "metrics": [{"name": "a", "number_value": 0.0}]}


def test_what_is_not_set_is_not_sent() -> None:
    _, request = form("PipelineService/UpdatePipeline", pipeline={"pipeline_id": "p", "tags": {}})

    assert request.body == {"pipeline_id": "p"}, "an empty map does not ask for the removal of all tags"


def test_numbers_of_parameters_are_whole_where_they_are() -> None:
    value = {
        "parameters": {"n": {"number_value": 3.0}, "x": {"number_value": 0.5}, "none": {"null_value": "NULL_VALUE"}}
    }
    _, request = form("RunService/CreateRun", run={"runtime_config": value})

    parameters = request.body["runtime_config"]["parameters"]
    assert parameters == {"n": 3, "x": 0.5, "none": None}
    assert isinstance(parameters["n"], int)


def test_numbers_that_json_does_not_have_are_refused() -> None:
    value = {"parameters": {"n": {"number_value": math.inf}}}
    with pytest.raises(InvalidArgument, match="JSON has no such number"):
        form("RunService/CreateRun", run={"runtime_config": value})


def test_of_an_answer_only_what_the_message_has_is_sent() -> None:
    asked = method("RunService/GetRun")
    answer = {"run_id": "r", "runtime_config": {"parameters": {"a": [1, None, {"b": True}]}}}
    written = message_of(asked, {**answer, "task_count": 3})

    assert to_json(asked.response, decode(asked.response, written)) == answer
