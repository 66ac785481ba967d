import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.kube.foreign import foreign_server
from tests.kube.live import client_of, until
from tests.support import Windlass
from windlass.kube.client import Client
from windlass.kube.lease import LEASE, Election, LostLeadership, Terms, next_check, next_claim
from windlass.kube.meta import Key
from windlass.kube.transport import Request, Response, Transport

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TERMS = Terms()
OFTEN = Terms(retry_every=0.01)


def held_by(holder: str, transitions: int = 3) -> dict[str, Any]:
    return {
        "holderIdentity": holder,
        "leaseDurationSeconds": 15,
        "acquireTime": "2025-01-01T00:00:00.000000Z",
        "leaseTransitions": transitions,
    }


@pytest.mark.parametrize(
    ("spec", "unchanged_for", "may"),
    [
        ({}, 0, True),
        (held_by("me"), 0, True),
        (held_by("other"), 14.9, False),
        (held_by("other"), 15, True),
        (held_by(""), 0, True),
        (held_by("other") | {"leaseDurationSeconds": 1}, 2, True),
    ],
)
def test_a_lease_is_taken_only_when_free_ones_own_or_lapsed(
    spec: dict[str, Any], unchanged_for: float, may: bool
) -> None:
    assert (next_claim(spec, "me", unchanged_for, NOW, TERMS) is not None) is may


def test_renewing_keeps_the_time_of_acquiring_and_taking_over_counts() -> None:
    renewed, taken = next_claim(held_by("me"), "me", 0, NOW, TERMS), next_claim(held_by("x"), "me", 20, NOW, TERMS)
    assert renewed is not None
    assert taken is not None

    assert (renewed["acquireTime"], renewed["leaseTransitions"]) == ("2025-01-01T00:00:00.000000Z", 3)
    assert (taken["acquireTime"], taken["leaseTransitions"]) == ("2026-01-01T00:00:00.000000Z", 4)


class Candidates:
    """Two for one lease, with a clock that goes on when the test says so: no stall of the machine lets it lapse."""

    def __init__(self, client: Client, room: str) -> None:
        self.now = 0.0
        self.first, self.second = (
            Election(client, Key(room, "lead"), identity, terms=OFTEN, clock=lambda: self.now) for identity in "ab"
        )

    async def second_stands_by(self) -> bool:
        return self.second.stands_by

    async def second_has_looked(self) -> bool:
        """Whether it has seen the lease change since the clock went on."""
        return self.second._observed_at == self.now  # pyright: ignore[reportPrivateUsage] - nothing else shows it


@pytest.fixture
def candidates(client: Client, room: str) -> Candidates:
    return Candidates(client, room)


async def test_the_second_candidate_leads_once_the_first_lets_go(
    candidates: Candidates, client: Client, room: str
) -> None:
    first, second = candidates.first, candidates.second
    await first.acquire()
    waiting, holding = asyncio.create_task(second.acquire()), asyncio.create_task(first.hold())

    for _ in range(4):  # together longer than the lease, which is renewed
        candidates.now += OFTEN.duration / 2
        await until(candidates.second_has_looked)
    assert not waiting.done()
    holding.cancel()
    await first.release()
    await asyncio.wait_for(waiting, 60)

    lease = await client.get(LEASE, "lead", room)
    assert lease["spec"]["holderIdentity"] == "b"


async def test_a_lease_that_is_not_renewed_lapses_and_its_holder_learns_of_it(candidates: Candidates) -> None:
    first, second = candidates.first, candidates.second
    await first.acquire()
    waiting = asyncio.create_task(second.acquire())
    await until(candidates.second_stands_by)

    candidates.now += OFTEN.duration
    await asyncio.wait_for(waiting, 60)

    with pytest.raises(LostLeadership, match="lead is held by b now"):
        await asyncio.wait_for(first.hold(), 60)


async def test_a_lapsed_lease_is_taken_at_once_and_not_at_the_next_retry(client: Client, room: str) -> None:
    terms = Terms(duration=1, retry_every=600)
    first, second = (Election(client, Key(room, "lead"), identity, terms=terms) for identity in "ab")
    await first.acquire()

    await asyncio.wait_for(second.acquire(), 60)


@pytest.mark.parametrize(
    ("spec", "unchanged_for", "jitter", "seconds"),
    [
        (held_by("other"), 0, 0.0, 2.0),
        (held_by("other"), 0, 1.0, 1.6),
        (held_by("other"), 14.5, 0.0, 0.5),
        (held_by("other"), 15, 0.0, 2.0),
        (held_by("other") | {"leaseDurationSeconds": 1}, 0, 0.0, 1.0),
        (held_by(""), 14.5, 0.0, 2.0),
        ({}, 14.5, 0.0, 2.0),
    ],
)
def test_a_candidate_looks_every_two_seconds_and_when_the_lease_lapses(
    spec: dict[str, Any], unchanged_for: float, jitter: float, seconds: float
) -> None:
    assert next_check(spec, unchanged_for, TERMS, jitter) == pytest.approx(seconds)


async def test_a_holder_whose_server_is_away_says_so(bare_server: Windlass, room: str) -> None:
    async with foreign_server(bare_server) as server, server.client() as client:
        terms = Terms(renew_within=3, retry_every=0.05)
        holder = Election(client, Key(room, "lead"), "a", terms=terms)
        await holder.acquire()
        await server.stop()

        with pytest.raises(LostLeadership) as lost:
            await asyncio.wait_for(holder.hold(), 60)

    said = f"the lease {room}/lead could not be renewed for 3 s: the API server at {server.url} does not answer: "
    assert str(lost.value).startswith(said)


class Overtaken:
    """A way to the server on which the next change is overtaken by what `before` does."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self.before: list[Callable[[], Awaitable[None]]] = []

    async def request(self, request: Request) -> Response:
        if request.method == "PUT" and self.before:
            await self.before.pop()()
        return await self._inner.request(request)

    def stream(self, request: Request) -> Any:
        return self._inner.stream(request)

    async def close(self) -> None:
        await self._inner.close()


async def test_a_renewal_that_is_still_under_way_does_not_keep_the_lease_from_being_released(
    bare_server: Windlass, client: Client, room: str
) -> None:
    way = Overtaken(client_of(bare_server)._transport)  # pyright: ignore[reportPrivateUsage] - wrapped here
    async with Client(way) as late:
        leader, renewal = (Election(each, Key(room, "lead"), "a") for each in (late, client))
        await leader.acquire()
        way.before.append(renewal.acquire)
        await leader.release()

    assert way.before == []
    assert (await client.get(LEASE, "lead", room))["spec"]["holderIdentity"] == ""
