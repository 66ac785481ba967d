"""Binding a gang whole or not at all, on a server that has GangBindings and as on one that has none."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from tests.kube.live import client_of
from tests.scheduler.live.objects import PODS, add_pod, pool
from tests.support import Windlass
from windlass.apis.core_v1 import Namespace, Pod
from windlass.kube import errors
from windlass.kube.client import Client
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key
from windlass.kube.transport import HttpTransport, Request, Response, Stream, TokenFile
from windlass.scheduler.live.writers.binding_client import HELD_BACK, UNDONE, Bind, BindingClient, bind_together

__all__ = ["pool"]

BOTH = pytest.mark.parametrize("together", [True, False], ids=["GangBinding", "a Binding each"])


class Troubled:
    """The way to a real server, on which some answers get lost and some paths are not served."""

    def __init__(self, server: Windlass) -> None:
        data = server.data_dir
        credential = TokenFile(data / "credentials" / "admin.token", lambda: 0.0)
        self._inner = HttpTransport("http://windlass", socket=data / "run" / "api.sock", credential=credential)
        self.loses: Callable[[Request], bool] = lambda _: False
        self.refuses: Callable[[Request], bool] = lambda _: False
        self.sent: list[str] = []

    async def request(self, request: Request) -> Response:
        self.sent.append(f"{request.method} {request.path}")
        if self.refuses(request):
            raise errors.ServiceUnavailable("nobody is there")
        answer = await self._inner.request(request)
        if self.loses(request):
            raise errors.ServiceUnavailable("the connection was lost")
        return answer

    def stream(self, request: Request) -> AbstractAsyncContextManager[Stream]:
        return self._inner.stream(request)

    async def close(self) -> None:
        await self._inner.close()


@pytest.fixture
async def way(bare_server: Windlass) -> AsyncIterator[Troubled]:
    made = Troubled(bare_server)
    yield made
    await made.close()


@pytest.fixture
async def gang(client: Client, room: str, pool: dict[str, str]) -> list[Bind]:
    """Four pods and where they should go."""
    return [await a_member(client, room, pool, name) for name in "abcd"]


async def a_member(client: Client, room: str, pool: dict[str, str], name: str, **spec: Any) -> Bind:
    key = await add_pod(client, room, pool, name, **spec)
    return Bind(key, (await client.get(Pod, name, room)).metadata.uid, f"node-of-{name}")


async def nodes(client: Client, room: str) -> dict[str, str]:
    return {pod.metadata.name: pod.spec.node_name for pod in (await client.list(Pod, room)).items}


WHERE = {name: f"node-of-{name}" for name in "abcd"}
UNBOUND = dict.fromkeys("abcd", "")


@BOTH
async def test_a_gang_is_bound_where_it_was_decided(
    client: Client, room: str, gang: list[Bind], *, together: bool
) -> None:
    result = await BindingClient(client, together=together).bind_together(room, gang)

    assert result.whole
    assert result.bound == tuple(bind.key for bind in gang)
    assert await nodes(client, room) == WHERE


@pytest.mark.parametrize(("together", "posts"), [(True, 1), (False, 4)])
async def test_one_request_is_enough_where_the_server_takes_them_together(
    way: Troubled, room: str, gang: list[Bind], *, together: bool, posts: int
) -> None:
    assert (await BindingClient(Client(way), together=together).bind_together(room, gang)).whole
    assert len([line for line in way.sent if line.startswith("POST")]) == posts


async def test_a_pod_that_cannot_be_bound_holds_the_others_back(client: Client, room: str, gang: list[Bind]) -> None:
    await client.delete(PODS, gang[2].key, grace_seconds=0)

    result = await bind_together(client, room, gang)

    assert result.bound == result.undone == ()
    why = {key.name: reason for key, reason in result.failed.items()}
    assert why == {"a": HELD_BACK, "b": HELD_BACK, "c": 'pods "c" not found', "d": HELD_BACK}
    assert await nodes(client, room) == {"a": "", "b": "", "d": ""}


async def test_where_pods_are_bound_one_by_one_those_that_were_are_deleted_when_one_fails(
    client: Client, room: str, gang: list[Bind], pool: dict[str, str]
) -> None:
    gated = await a_member(client, room, pool, "gated", schedulingGates=[{"name": "example.com/wait"}])

    result = await BindingClient(client, together=False).bind_together(room, [*gang, gated])

    assert result.undone == tuple(bind.key for bind in gang)
    assert {result.failed[bind.key] for bind in gang} == {UNDONE}
    assert "has non-empty .spec.schedulingGates" in result.failed[gated.key]
    assert await nodes(client, room) == {"gated": ""}


async def test_a_namesake_of_a_pod_is_neither_bound_nor_deleted(client: Client, room: str, gang: list[Bind]) -> None:
    wrong = [gang[0], gang[1]._replace(uid="another")]
    for together in (True, False):
        result = await BindingClient(client, together=together).bind_together(room, wrong)
        assert "uid another does not match that of the pod" in result.failed[gang[1].key]
    assert await nodes(client, room) == {"b": "", "c": "", "d": ""}  # only the second way had bound and deleted `a`


@BOTH
async def test_a_gang_whose_answer_was_lost_is_found_bound(
    way: Troubled, client: Client, room: str, gang: list[Bind], *, together: bool
) -> None:
    way.loses = lambda request: request.method == "POST"

    assert (await BindingClient(Client(way), together=together).bind_together(room, gang)).whole
    assert await nodes(client, room) == WHERE


async def test_a_gang_that_did_not_reach_the_server_is_not_bound(
    way: Troubled, client: Client, room: str, gang: list[Bind]
) -> None:
    way.refuses = lambda request: request.method == "POST"

    result = await bind_together(Client(way), room, gang)

    assert set(result.failed.values()) == {"nobody is there"}
    assert await nodes(client, room) == UNBOUND


@BOTH
async def test_while_the_server_does_not_say_how_things_stand_nothing_is_said_and_the_next_call_finds_out(
    way: Troubled, client: Client, room: str, gang: list[Bind], *, together: bool
) -> None:
    binder = BindingClient(Client(way), together=together)
    await Client(way).served()
    way.loses = lambda request: request.method == "POST"
    way.refuses = lambda request: request.method == "GET" and "/pods/" in request.path
    with pytest.raises(errors.ServiceUnavailable):
        await binder.bind_together(room, gang)

    way.loses = way.refuses = lambda _: False
    assert (await binder.bind_together(room, gang)).whole
    assert await nodes(client, room) == WHERE


async def test_one_binding_whose_answer_was_lost_does_not_cost_the_others_their_place(
    way: Troubled, client: Client, room: str, gang: list[Bind]
) -> None:
    way.loses = lambda request: request.path.endswith("/b/binding")

    assert (await BindingClient(Client(way), together=False).bind_together(room, gang)).whole
    assert await nodes(client, room) == WHERE


async def test_a_server_without_gang_bindings_is_asked_once(
    bare_server: Windlass, way: Troubled, room: str, gang: list[Bind]
) -> None:
    api = Client(way)
    binder = BindingClient(api)
    await api.discovery.refresh()
    api.discovery._kinds = tuple(kind for kind in api.discovery._kinds if kind.name != "GangBinding")
    way.sent.clear()

    for bind in gang:
        assert (await binder.bind_together(room, [bind])).whole

    assert way.sent == [f"POST /api/v1/namespaces/{room}/pods/{name}/binding" for name in "abcd"]


NOT_FOUND = b'{"kind":"Status","reason":"NotFound","message":"could not find it"}'
NOT_FOR_YOU = (
    b'{"kind":"Status","reason":"Forbidden","message":"gangbindings is forbidden",'
    b'"details":{"kind":"gangbindings","group":"scheduling.windlass.dev"}}'
)


@pytest.mark.parametrize(("code", "status"), [(404, NOT_FOUND), (403, NOT_FOR_YOU)])
async def test_a_server_that_no_longer_has_them_or_has_none_for_this_scheduler_is_sent_bindings(
    bare_server: Windlass, room: str, gang: list[Bind], code: int, status: bytes
) -> None:
    class Older(Troubled):
        async def request(self, request: Request) -> Response:
            if request.path.endswith("/gangbindings"):
                return Response(code, {}, status)
            return await super().request(request)

    async with client_of(bare_server) as client, Client(Older(bare_server)) as older:
        assert (await bind_together(older, room, gang)).whole
        assert await nodes(client, room) == WHERE


async def test_a_gang_of_a_namespace_that_is_gone_does_not_cost_the_next_its_transaction(
    way: Troubled, room: str, gang: list[Bind]
) -> None:
    binder = BindingClient(Client(way))
    lost = [bind._replace(key=bind.key._replace(namespace="gone")) for bind in gang]

    assert not (await binder.bind_together("gone", lost)).bound
    way.sent.clear()

    assert (await binder.bind_together(room, gang)).whole
    assert [sent for sent in way.sent if sent.startswith("POST")] == [
        f"POST /apis/scheduling.windlass.dev/v1/namespaces/{room}/gangbindings"
    ]


async def test_a_gang_of_a_namespace_that_is_being_terminated_does_not_cost_the_next_its_transaction(
    way: Troubled, room: str, gang: list[Bind], client: Client
) -> None:
    binder = BindingClient(Client(way))
    metadata = {"name": "going", "finalizers": ["windlass.dev/test"]}
    await client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
    await client.delete(KINDS.of(Namespace), Key("", "going"))
    lost = [bind._replace(key=bind.key._replace(namespace="going")) for bind in gang]

    assert not (await binder.bind_together("going", lost)).bound
    way.sent.clear()

    assert (await binder.bind_together(room, gang)).whole
    assert [sent for sent in way.sent if sent.startswith("POST")] == [
        f"POST /apis/scheduling.windlass.dev/v1/namespaces/{room}/gangbindings"
    ]


async def test_who_may_not_bind_one_of_the_pods_binds_none(bare_server: Windlass, room: str, gang: list[Bind]) -> None:
    class Strict(Troubled):
        async def request(self, request: Request) -> Response:
            if request.path.endswith("/gangbindings"):
                told = b'{"kind":"Status","reason":"Forbidden","message":"no","details":{"kind":"pods","name":"b"}}'
                return Response(403, {}, told)
            return await super().request(request)

    async with client_of(bare_server) as client, Client(Strict(bare_server)) as strict:
        assert not (await bind_together(strict, room, gang)).bound
        assert await nodes(client, room) == UNBOUND


@BOTH
async def test_pods_that_do_not_belong_together_are_bound_each_for_itself(
    client: Client, room: str, gang: list[Bind], pool: dict[str, str], *, together: bool
) -> None:
    gated = await a_member(client, room, pool, "gated", schedulingGates=[{"name": "example.com/wait"}])
    await client.delete(PODS, gang[2].key, grace_seconds=0)

    result = await BindingClient(client, together=together).bind_each(room, [gated, *gang])

    assert {key.name for key in result.bound} == {"a", "b", "d"}
    assert {key.name for key in result.failed} == {"c", "gated"}
    assert 'pods "c" not found' in result.failed[gang[2].key]
    assert await nodes(client, room) == {"a": "node-of-a", "b": "node-of-b", "d": "node-of-d", "gated": ""}


async def test_pods_bound_each_for_itself_share_a_request(way: Troubled, room: str, gang: list[Bind]) -> None:
    assert (await BindingClient(Client(way)).bind_each(room, gang)).whole
    assert [line for line in way.sent if line.startswith("POST")] == [
        f"POST /apis/scheduling.windlass.dev/v1/namespaces/{room}/gangbindings"
    ]
