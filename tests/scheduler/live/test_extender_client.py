"""Whoever is asked may take his time: nobody waits for him, and what he says in the end counts."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from tests.scheduler.extender_server import Server
from tests.scheduler.worlds import World
from tests.support import eventually
from windlass.apis.reason_text import NODE_CAUSES
from windlass.kube.queue import Queue
from windlass.scheduler.extender_http import over_http
from windlass.scheduler.framework.conf import PluginConf
from windlass.scheduler.framework.decisions import Decisions
from windlass.scheduler.live.writers.extender_client import (
    AT_ONCE,
    KEEP,
    LATE_ANSWER,
    REST,
    BackgroundClient,
    ExtenderClients,
)
from windlass.scheduler.plugins.extender.client import CallbackFailed, NotYet, Unreachable

LONG = 600.0  # seconds, within which every live extender answers


class Someone:
    """Answers with the number of the question, what is slow only once he `speaks`; what is bad he fails."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.speaks, self.was_late = threading.Event(), threading.Event()
        self.now, self.failure = 0.0, CallbackFailed("no")

    def ask(self, verb: str, body: Any) -> Any:
        self.asked.append(verb)
        number = len(self.asked)
        if verb.startswith("slow"):
            assert self.speaks.wait(LONG)
        if verb.startswith("bad"):
            raise self.failure
        return number

    def aside(self, max_wait: float = LONG) -> BackgroundClient:
        return BackgroundClient(self.ask, self.was_late.set, clock=lambda: self.now, max_wait=max_wait)

    def answer(self, asking: BackgroundClient, verb: str) -> Any:
        """Asked for until it is there."""

        def asked() -> Any:
            with suppress(NotYet):
                return asking(verb, {})

        return eventually(asked)

    def answer_late(self, asking: BackgroundClient, verb: str = "slow") -> None:
        with pytest.raises(NotYet):
            asking(verb, {})
        self.speaks.set()
        assert self.was_late.wait(LONG)


@pytest.fixture
def someone() -> Iterator[Someone]:
    found = Someone()
    yield found
    found.speaks.set()


def test_who_answers_at_once_is_asked_once_a_cycle(someone: Someone) -> None:
    asking = someone.aside()

    assert [asking("a", {"n": 1}), asking("a", {"n": 2}), asking("a", {"n": 1})] == [1, 2, 1]
    asking.begin()
    assert asking("a", {"n": 1}) == 3
    assert not someone.was_late.is_set()


def test_what_makes_a_question_the_same_can_be_said(someone: Someone) -> None:
    asking = someone.aside()

    assert asking("a", {"n": 1}, "it") == asking("a", {"n": 2}, "it") == 1
    assert asking("b", {"n": 1}, "it") == 2


def test_a_late_answer_is_told_of_and_counts_in_the_next_cycle(someone: Someone) -> None:
    asking = someone.aside(max_wait=0)
    with pytest.raises(NotYet):
        asking("slow", {})
    asking.begin()
    someone.answer_late(asking)

    asking.begin()
    assert asking("slow", {}) == 1
    assert someone.asked == ["slow"]


def test_what_has_been_answered_stands_for_a_while_if_other_answers_are_missing(someone: Someone) -> None:
    asking = someone.aside(max_wait=0)
    for now, number in ((0, 1), (KEEP - 1, 1), (KEEP, 3)):
        someone.now = now
        asking.begin()

        assert someone.answer(asking, "a") == number
        with pytest.raises(NotYet):
            asking("slow", {})

    assert someone.asked == ["a", "slow", "a"]


def test_only_so_many_questions_are_open_at_once(someone: Someone) -> None:
    asking = someone.aside(max_wait=0)
    for number in range(AT_ONCE + 5):
        with pytest.raises(NotYet):
            asking("slow", {"n": number})

    eventually(lambda: len(someone.asked) == AT_ONCE)


def test_who_cannot_be_reached_is_left_in_peace_for_a_while(someone: Someone) -> None:
    asking, someone.failure = someone.aside(), Unreachable("nobody there")
    for verb in ("bad", "a", "b"):
        with pytest.raises(CallbackFailed, match="nobody there"):
            asking(verb, {})
    assert someone.asked == ["bad"]

    someone.now = REST
    asking.begin()
    assert asking("a", {}) == 2


def test_who_answers_with_a_failure_is_asked_other_things(someone: Someone) -> None:
    asking = someone.aside()
    with pytest.raises(CallbackFailed, match="no"):
        asking("bad", {})

    assert asking("a", {}) == 2


# --- a scheduler that asks a real server


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    server.speaking.clear()
    yield server
    server.stop()


def a_world(server: Server, *verbs: str, timeout: str = "600s", ignorable: bool = False) -> World:
    arguments: dict[str, Any] = {"extender.urlPrefix": server.url, "extender.ignorable": ignorable}
    arguments |= {"extender.httpTimeout": timeout, **{f"extender.{verb}Verb": verb for verb in verbs}}
    world = World(PluginConf("extender", arguments), connect=without_waiting)
    world.nodes(3)
    return world


def without_waiting(url: str, timeout: float) -> BackgroundClient:
    return BackgroundClient(over_http(url, timeout), lambda: None, max_wait=0)


def until_placed(world: World) -> Decisions:
    return eventually(lambda: decisions if (decisions := world.decide()).commits else None)


@pytest.mark.parametrize("verb", ["predicate", "prioritize", "jobReady", "queueOverused"])
def test_a_job_waits_for_a_slow_extender_and_the_cycle_does_not(server: Server, verb: str) -> None:
    world = a_world(server, verb)
    server.answers = {"jobReady": {"status": True}, "prioritize": {"nodeScore": {"n002": 9000}}}
    job = world.job("j", 2)
    for _ in range(2):
        assert not world.decide().commits

    server.speaking.set()
    until_placed(world)

    assert job.ready == 2
    if verb == "prioritize":
        assert world.where(job) == ["n002", "n002"]


def test_a_job_that_waits_for_an_answer_is_told_so(server: Server) -> None:
    world = a_world(server, "predicate")
    job = world.job("j", 1)

    assert f"0/3 nodes are unavailable: 3 {NODE_CAUSES['ExtenderPending']}." in world.decide().troubles[job.uid].message


def test_an_extender_that_does_not_answer_at_all_is_ignored_where_it_may_be(server: Server) -> None:
    world = a_world(server, "predicate", timeout="10ms", ignorable=True)
    job = world.job("j", 2)

    notes = until_placed(world).notes

    assert job.ready == 2
    assert notes == [f"extender: predicate of {server.url}: timed out"]


def test_an_extender_that_does_not_answer_at_all_refuses_where_it_may_not_be_ignored(server: Server) -> None:
    world = a_world(server, "predicate", timeout="10ms")
    job = world.job("j", 1)

    eventually(lambda: "3 it did not answer." in world.decide().troubles[job.uid].message)


async def test_a_late_answer_is_a_key_of_the_queue_that_wakes_the_scheduler(server: Server) -> None:
    answers: Queue[str] = Queue()
    client = ExtenderClients(answers).connect(server.url, LONG)

    with pytest.raises(NotYet):
        client("predicate", {})
    assert len(answers) == 0
    server.speaking.set()

    async with asyncio.timeout(60):
        async for key in answers:
            assert key == LATE_ANSWER
            break
    assert client("predicate", {}) == {}


def test_a_scheduler_that_is_not_connected_asks_nobody(server: Server) -> None:
    arguments = {"extender.urlPrefix": server.url, "extender.predicateVerb": "predicate"}
    world = World(PluginConf("extender", arguments))
    world.nodes(1)
    world.job("j", 1)

    assert world.decide().notes == ["extender: predicate: extenders are not asked here"]
    assert server.asked == []
