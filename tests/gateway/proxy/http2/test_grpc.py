"""gRPC passes through the gateway: calls, streams, trailers, statuses; for those who may, for as long as they may."""

import queue
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
import requests
from grpc_health.v1 import health_pb2, health_pb2_grpc

from tests.gateway.browser import Person, a_person, signed_in
from tests.gateway.platform import Platform
from tests.gateway.proxy.http2.conftest import NAMESPACE, SERVICE, Seen
from tests.support import eventually

METHOD = f"/{SERVICE}/"
NOTEBOOK_METHOD = f"/notebook/{NAMESPACE}/rpc/{SERVICE}/"
pytestmark = pytest.mark.usefixtures("grpc_routes")


@pytest.fixture(scope="module")
def caller(platform: Platform) -> Person:
    return a_person(platform, "caller@example.com")


@pytest.fixture(scope="module")
def token(platform: Platform, caller: Person) -> str:
    return token_of(platform, caller)


def token_of(platform: Platform, person: Person) -> str:
    return platform.windlass("user", "token", person.email).stdout.split()[-1]


@pytest.fixture
def channel(platform: Platform) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(platform.url.removeprefix("http://")) as channel:
        yield channel


def by(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)


def call(channel: grpc.Channel, path: str, request: bytes, metadata: Any = ()) -> bytes:
    return channel.unary_unary(path)(request, metadata=metadata, timeout=20)


def refused(channel: grpc.Channel, path: str, metadata: Any = ()) -> grpc.RpcError:
    with pytest.raises(grpc.RpcError) as error:
        call(channel, path, b"x", metadata)
    return error.value


def code_of(error: Any) -> grpc.StatusCode:
    return error.code()


def is_routed(channel: grpc.Channel, path: str, token: str) -> bool:
    try:
        call(channel, path, b"x", by(token))
    except grpc.RpcError:
        return False
    return True


def test_a_call_reaches_the_server_as_its_caller(channel: grpc.Channel, caller: Person, token: str, seen: Seen) -> None:
    eventually(lambda: is_routed(channel, f"{METHOD}Unary", token), 30, "the route")
    metadata = (*by(token), ("kubeflow-userid", "admin@example.com"), ("kubeflow_userid", "x"), ("x-own", "1"))

    answer, done = channel.unary_unary(f"{METHOD}Unary").with_call(b"hello", metadata=metadata, timeout=20)

    assert answer == b"echo hello"
    assert dict(done.trailing_metadata())["x-trailer"] == "at the end"
    metadata = seen.metadata[-1]
    assert (metadata["kubeflow-userid"], metadata["x-own"]) == (caller.email, "1")
    assert "kubeflow_userid" not in metadata
    assert token not in str(metadata)


def test_a_session_cookie_is_as_good_as_a_token(platform: Platform, channel: grpc.Channel, caller: Person) -> None:
    cookies = signed_in(platform, caller).cookies
    header = (("cookie", "; ".join(f"{name}={value}" for name, value in cookies.items())),)
    assert call(channel, f"{METHOD}Unary", b"hello", header) == b"echo hello"
    elsewhere = (*header, ("origin", "https://evil.example"))
    assert code_of(refused(channel, f"{METHOD}Unary", elsewhere)) is grpc.StatusCode.PERMISSION_DENIED


def test_the_servers_own_status_comes_back(channel: grpc.Channel, token: str) -> None:
    with pytest.raises(grpc.RpcError) as error:
        call(channel, f"{METHOD}Unary", b"fail", by(token))

    assert (error.value.code(), error.value.details()) == (grpc.StatusCode.FAILED_PRECONDITION, "as asked: é")
    assert code_of(refused(channel, f"{METHOD}Nothing", by(token))) is grpc.StatusCode.UNIMPLEMENTED


def test_a_health_check_passes(channel: grpc.Channel, token: str) -> None:
    stub: Any = health_pb2_grpc.HealthStub(channel)
    answer = stub.Check(health_pb2.HealthCheckRequest(), metadata=by(token), timeout=20)

    assert answer.status == health_pb2.HealthCheckResponse.SERVING


def test_messages_of_a_stream_pass_one_by_one_in_both_directions(channel: grpc.Channel, token: str) -> None:
    outgoing: queue.Queue[bytes | None] = queue.Queue()
    answers = channel.stream_stream(f"{METHOD}Bidi")(iter(outgoing.get, None), metadata=by(token), timeout=30)
    for text in (b"one", b"two", b"x" * 3_000_000):
        outgoing.put(text)
        assert next(answers) == b"echo " + text
    outgoing.put(None)

    assert list(answers) == []
    assert answers.code() is grpc.StatusCode.OK


def test_a_slow_reader_loses_nothing_and_holds_up_no_other_call(channel: grpc.Channel, token: str) -> None:
    answers = channel.unary_stream(f"{METHOD}Many")(b"400", metadata=by(token), timeout=60)
    first = next(answers)
    assert call(channel, f"{METHOD}Unary", b"meanwhile", by(token)) == b"echo meanwhile"

    received = [first, *answers]
    assert [int.from_bytes(message[:4]) for message in received] == list(range(400))


def test_a_cancelled_call_is_cancelled_at_the_server(channel: grpc.Channel, token: str, seen: Seen) -> None:
    seen.was_cancelled.clear()
    answers = channel.unary_stream(f"{METHOD}Many")(b"100000", metadata=by(token), timeout=60)
    next(answers)
    answers.cancel()

    assert seen.was_cancelled.wait(20)


@pytest.mark.parametrize("metadata", [(), (("authorization", "Bearer wlp_nothing"),), (("cookie", "a=b"),)])
def test_without_credentials_nothing_passes(channel: grpc.Channel, metadata: Any, seen: Seen) -> None:
    before = len(seen.metadata)

    assert code_of(refused(channel, f"{METHOD}Unary", metadata)) is grpc.StatusCode.UNAUTHENTICATED
    assert len(seen.metadata) == before


@pytest.mark.parametrize("path", ["/nothing.Here/Unary", "/healthz", "/dex/keys", "/api/namespaces"])
def test_what_no_route_to_a_grpc_server_has_is_unimplemented(channel: grpc.Channel, token: str, path: str) -> None:
    assert code_of(refused(channel, path, by(token))) is grpc.StatusCode.UNIMPLEMENTED


def test_entering_needs_the_right_and_a_withdrawn_one_ends_the_stream(
    platform: Platform, channel: grpc.Channel, seen: Seen
) -> None:
    guest = a_person(platform, "rpc-guest@example.com")
    metadata = by(token_of(platform, guest))
    for path in (f"{NOTEBOOK_METHOD}Unary", f"/notebook/x/../{NAMESPACE}//rpc/{SERVICE}/Unary"):
        error = refused(channel, path, metadata)
        assert code_of(error) is grpc.StatusCode.PERMISSION_DENIED
    bindings = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}/rolebindings"
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "kubeflow-edit"}
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": guest.email}
    platform.api.create(bindings, {"metadata": {"name": "guest"}, "roleRef": role, "subjects": [subject]})
    eventually(lambda: is_routed(channel, f"{NOTEBOOK_METHOD}Unary", metadata[0][1][7:]), 30, "the right")
    outgoing: queue.Queue[bytes | None] = queue.Queue()
    answers = channel.stream_stream(f"{NOTEBOOK_METHOD}Bidi")(iter(outgoing.get, None), metadata=metadata, timeout=60)
    outgoing.put(b"one")
    assert next(answers) == b"echo one"

    platform.api.request("DELETE", f"{bindings}/guest")

    with pytest.raises(grpc.RpcError) as error:
        next(answers)
    assert error.value.code() is grpc.StatusCode.PERMISSION_DENIED
    assert "withdrawn" in str(error.value.details())
    outgoing.put(None)


def test_a_client_of_http1_is_told_that_the_server_speaks_http2(platform: Platform, token: str) -> None:
    header = {"Authorization": f"Bearer {token}"}
    answer = requests.get(f"{platform.url}{METHOD}Unary", headers=header, timeout=30)

    assert (answer.status_code, "HTTP/2" in answer.text) == (502, True)
