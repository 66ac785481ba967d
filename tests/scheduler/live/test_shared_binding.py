"""Single pods that are bound at the same time share requests, and each has an answer of its own."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.scheduler.live.objects import PODS, pool
from tests.scheduler.live.test_gang_binding import WHERE, Troubled, gang, nodes
from tests.support import Windlass
from windlass.kube import errors
from windlass.kube.client import Client
from windlass.scheduler.live.writers.binding_batcher import BindingBatcher
from windlass.scheduler.live.writers.binding_client import Bind, BindingClient, Outcome

__all__ = ["gang", "pool"]


@pytest.fixture
async def way(bare_server: Windlass) -> AsyncIterator[Troubled]:
    made = Troubled(bare_server)
    await Client(made).served()
    yield made
    await made.close()


def posts(way: Troubled) -> int:
    return len([line for line in way.sent if line.startswith("POST")])


async def test_pods_that_come_together_share_a_request(way: Troubled, room: str, gang: list[Bind]) -> None:
    api = Client(way)
    binder = BindingBatcher(BindingClient(api))

    answers = await asyncio.gather(*[binder.bind(*bind) for bind in gang])

    assert answers == [Outcome("bound")] * 4
    assert posts(way) == 1
    assert await nodes(api, room) == WHERE


async def test_those_that_come_while_a_request_is_under_way_share_the_next(
    way: Troubled, room: str, gang: list[Bind]
) -> None:
    binder = BindingBatcher(BindingClient(Client(way)))
    first = asyncio.create_task(binder.bind(*gang[0]))
    while posts(way) == 0:
        await asyncio.sleep(0)

    rest = await asyncio.gather(*[binder.bind(*bind) for bind in gang[1:]])

    assert [await first, *rest] == [Outcome("bound")] * 4
    assert posts(way) == 2


async def test_a_pod_that_is_refused_is_refused_alone(way: Troubled, room: str, gang: list[Bind]) -> None:
    api = Client(way)
    await api.delete(PODS, gang[1].key, grace_seconds=0)
    binder = BindingBatcher(BindingClient(api))

    answers = await asyncio.gather(*[binder.bind(*bind) for bind in gang])

    assert [answer.state for answer in answers] == ["bound", "refused", "bound", "bound"]
    assert answers[1].why == 'pods "b" not found'


async def test_one_who_gives_up_does_not_take_the_answer_from_the_others(
    way: Troubled, room: str, gang: list[Bind]
) -> None:
    binder = BindingBatcher(BindingClient(Client(way)))
    waiting = [asyncio.create_task(binder.bind(*bind)) for bind in gang]
    await asyncio.sleep(0)
    waiting[0].cancel()

    assert [await task for task in waiting[1:]] == [Outcome("bound")] * 3


async def test_while_the_server_does_not_answer_all_hear_of_it_and_may_ask_again(
    way: Troubled, room: str, gang: list[Bind]
) -> None:
    binder = BindingBatcher(BindingClient(Client(way)))
    way.refuses = lambda request: True
    answers = await asyncio.gather(*[binder.bind(*bind) for bind in gang], return_exceptions=True)
    assert all(isinstance(answer, errors.ServiceUnavailable) for answer in answers)

    way.refuses = lambda request: False
    assert await asyncio.gather(*[binder.bind(*bind) for bind in gang]) == [Outcome("bound")] * 4


async def test_a_pod_and_one_that_has_its_name_are_not_sent_together(
    way: Troubled, room: str, gang: list[Bind]
) -> None:
    binder = BindingBatcher(BindingClient(Client(way)))
    gone = gang[0]._replace(uid="another")

    answers = await asyncio.gather(*[binder.bind(*bind) for bind in (gone, *gang)])

    assert [answer.state for answer in answers] == ["refused", *["bound"] * 4]
