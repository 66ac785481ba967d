"""Pods of a series are copies of one that was read: nobody can tell them from pods that were each read anew."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeAlias
from unittest import mock

import pytest

from tests.support import free_port
from windlass.apiserver.connection import Request, Response
from windlass.apiserver.http import Http
from windlass.apiserver.server import Server, ServerSettings
from windlass.apiserver.verbs import create, prototypes
from windlass.kube.json import Object, decode, encode

PODS = "/api/v1/namespaces/default/pods"
Post: TypeAlias = Callable[..., Awaitable[Response]]


@pytest.fixture
async def post(tmp_path: Path) -> AsyncIterator[Post]:
    """Send an object to a server, as the administrator."""
    server = Server(ServerSettings(data_dir=tmp_path, port=free_port()))
    await server.start()
    token = (tmp_path / "credentials" / "admin.token").read_bytes()
    connection: Any = SimpleNamespace(peer_certificate=None, remote="local")

    async def post(body: Object, path: str = PODS, query: bytes = b"", agent: bytes = b"test") -> Response:
        headers = [(b"authorization", b"Bearer " + token), (b"user-agent", agent)]
        request = Request("POST", path, query, headers, connection)
        request.body = encode(body)
        answer: Any = Http(server.api).handle(request)
        return answer if isinstance(answer, Response) else await answer

    for namespace in ("default", "other"):
        await post({"metadata": {"name": namespace}}, "/api/v1/namespaces")
        await post({"metadata": {"name": "default"}}, f"/api/v1/namespaces/{namespace}/serviceaccounts")
    yield post
    await server.stop()


def pod(name: str, **spec: Any) -> Object:
    container = {"name": "main", "image": "python:3.11", "resources": {"limits": {"cpu": "0.5"}}}
    return {"metadata": {"name": name, "labels": {"app": "a"}}, "spec": {"containers": [container], **spec}}


def without_identity(obj: Object) -> Object:
    """The object without what no two objects share, which must be there all the same."""
    metadata = obj["metadata"]
    for field in ("name", "uid", "creationTimestamp", "resourceVersion"):
        assert metadata.pop(field)
    assert metadata["managedFields"][0].pop("time")
    token = obj["spec"]["volumes"][-1]["name"]
    return decode(encode(obj).replace(token.encode(), b"TOKEN"))


async def test_the_third_of_a_series_is_not_read_and_equals_the_first(post: Post) -> None:
    answers = [await post(pod("first")), await post(pod("second"))]
    with mock.patch.object(create, "read_object", side_effect=AssertionError):
        answers += [await post(pod("third")), await post(pod("fourth"))]

    assert [answer.status for answer in answers] == [201] * 4
    objects = [decode(answer.body) for answer in answers]
    assert [obj["metadata"]["name"] for obj in objects] == ["first", "second", "third", "fourth"]
    assert len({obj["metadata"]["uid"] for obj in objects}) == 4
    first, *others = map(without_identity, objects)
    assert others == [first] * 3
    assert list(others[-1]["metadata"]) == list(first["metadata"])


async def test_copies_are_admitted_and_validated_one_by_one(post: Post) -> None:
    statuses = [(await post(pod(name))).status for name in ("a", "b", "c", "c", "Not-A-Name", "d")]

    assert statuses == [201, 201, 201, 409, 422, 201]


async def test_generated_names_are_new_for_every_copy(post: Post) -> None:
    body = {**pod(""), "metadata": {"generateName": "web-"}}

    names = [decode((await post(body)).body)["metadata"]["name"] for _ in range(5)]

    assert len(set(names)) == 5
    assert all(name.startswith("web-") and len(name) == len("web-") + 5 for name in names)


async def test_a_name_that_is_used_twice_is_kept_in_both_places(post: Post) -> None:
    for name in ("a1", "a2", "a3"):
        body = pod(name, hostname=name)
        obj = decode((await post(body)).body)
        assert (obj["metadata"]["name"], obj["spec"]["hostname"]) == (name, name)


async def test_warnings_are_given_for_every_one(post: Post) -> None:
    for name in ("a", "b", "c"):
        (header,) = (await post(pod(name, oops=1))).headers
        assert header == (b"warning", b'299 - "unknown field \\"spec.oops\\""')


async def test_who_sent_it_how_and_where_to_makes_another_series(post: Post) -> None:
    for name in ("a", "b", "c"):
        await post(pod(name, oops=1), query=b"fieldValidation=Ignore")
        await post(pod(name + "x"))

    strict = await post(pod("d", oops=1), query=b"fieldValidation=Strict")
    other = decode((await post(pod("a"), path="/api/v1/namespaces/other/pods")).body)
    managed = decode((await post(pod("e"), agent=b"kubectl/1.35")).body)

    assert strict.status == 400
    assert other["metadata"]["namespace"] == "other"
    assert managed["metadata"]["managedFields"][0]["manager"] == "kubectl"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"{", id="no JSON"),
        pytest.param(b'{"metadata":null}', id="no metadata"),
        pytest.param(b'{"metadata":{"name":1}}', id="a name that is a number"),
        pytest.param(b'{"metadata":{"name":"a","labels":{"a":"b"}}}', id="a name that is also a label"),
    ],
)
def test_a_body_without_one_clear_name_is_of_no_series(body: bytes) -> None:
    call: Any = mock.MagicMock()
    call.request.body = body

    assert prototypes.likeness_of(call) is None
