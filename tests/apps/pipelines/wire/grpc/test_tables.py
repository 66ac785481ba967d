"""The tables of messages and methods: complete with regard to the REST API, and upstream's."""

import pytest

from tests.apps.pipelines.wire.grpc.clients import V1, V2
from windlass.apps.pipelines.wire import protojson, shapes
from windlass.apps.pipelines.wire import routes as v2_routes
from windlass.apps.pipelines.wire.grpc import v1_messages, v2_messages
from windlass.apps.pipelines.wire.grpc.api import SERVICES
from windlass.apps.pipelines.wire.grpc.methods import WHOLE, Method
from windlass.apps.pipelines.wire.v1 import routes as v1_routes
from windlass.apps.pipelines.wire.v1 import shapes as v1_shapes
from windlass.formats.protobuf_messages import ListOf, MapOf, Message, Type, encode
from windlass.formats.protobuf_well_known import EMPTY

REST_ALONE = {
    "runs/{id}/tasks",
    "runs/{id}/tasks/{task}",
    "artifacts",
    "artifacts/{id}",
    "artifact_tasks",
    "tasks",
    "tasks/{id}",
}
"""Routes that no proto file of upstream's annotates."""
REST_ALONE_FIELDS = {"RUN": {"tasks", "task_count", "metrics"}}
"""Fields that no proto file of upstream's has."""
METHODS = [
    pytest.param(method, id=f"{service.rpartition('.')[2]}/{name}")
    for service, methods in SERVICES.items()
    for name, method in methods.items()
]


@pytest.mark.parametrize(("package", "routes"), [(V2, v2_routes.V2), (V1, v1_routes.V1)])
def test_every_route_that_upstream_annotates_has_a_method(package: str, routes: tuple[v2_routes.Route, ...]) -> None:
    served = {
        (method.route.method, method.route.path)
        for service, methods in SERVICES.items()
        if service.rpartition(".")[0] == package
        for method in methods.values()
    }

    assert served == {
        (route.method, route.path) for route in routes if not route.is_plain and route.path not in REST_ALONE
    }


@pytest.mark.parametrize("method", METHODS)
def test_fields_have_numbers_of_their_own(method: Method) -> None:
    for message in contained(method.request) + contained(method.response):
        numbers = [number for number, _ in message.fields.values()]
        assert len(set(numbers)) == len(numbers), message.name


@pytest.mark.parametrize(
    ("name", "message", "shape"),
    [
        (name, getattr(messages, name), getattr(of_rest, name))
        for messages, of_rest in ((v2_messages, shapes), (v1_messages, v1_shapes))
        for name in dir(messages)
        if isinstance(getattr(messages, name), Message) and isinstance(getattr(of_rest, name, None), protojson.Message)
    ],
)
def test_messages_have_all_fields_of_the_rest_api(name: str, message: Message, shape: protojson.Message) -> None:
    missing = set(shape.fields) - set(message.fields)

    assert missing == (REST_ALONE_FIELDS.get(name, set()) if shape is shapes.RUN else set())
    assert set(message.fields) <= set(shape.fields)


@pytest.mark.parametrize("method", METHODS)
def test_paths_and_bodies_are_fields_of_the_request(method: Method) -> None:
    for field in (*method.parts, *([method.body] if method.body not in ("", WHOLE) else [])):
        found: Type = method.request
        for name in field.split("."):
            assert isinstance(found, Message)
            found = found.fields[name][1]
    assert set(method.parts.values()) == set(method.route.pattern.groupindex)
    assert (method.request is EMPTY) == (method.route.path == "healthz")


def test_bytes_are_upstreams() -> None:
    """A few that upstream's generated code writes, by the numbers of its proto files."""
    experiment = {"experiment_id": "e", "storage_state": "ARCHIVED", "last_run_created_at": {"seconds": 1}}
    assert encode(v2_messages.EXPERIMENT, experiment) == b"\x0a\x01e\x30\x02\x3a\x02\x08\x01"
    assert encode(v2_messages.RECURRING_RUN, {"status": "DISABLED"}) == b"\x68\x03"
    reference = {"pipeline_version_reference": {"pipeline_id": "p", "pipeline_version_id": "v"}}
    assert encode(v2_messages.RUN, reference) == b"\x92\x01\x06\x0a\x01p\x12\x01v"
    assert encode(v1_messages.RUN, {"storage_state": "STORAGESTATE_ARCHIVED"}) == b"\x50\x01"
    assert encode(v1_messages.JOB, {"no_catchup": True, "service_account": "s"}) == b"\x88\x01\x01\x92\x01\x01s"


def contained(message: Message) -> list[Message]:
    found = [message]
    for each in found:  # grows while it is read
        for _, type in each.fields.values():
            inner = type.item if isinstance(type, ListOf) else type.value if isinstance(type, MapOf) else type
            if isinstance(inner, Message) and all(inner is not other for other in found):
                found.append(inner)
    return found
