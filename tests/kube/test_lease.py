import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest

from windlass.kube.client import Client
from windlass.kube.lease import LEASE, Election, LostLeadership, Terms, next_claim
from windlass.kube.meta import Key

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TERMS = Terms()
FAST = Terms(duration=1, renew_within=0.6, retry_every=0.05)


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


async def test_the_second_candidate_leads_once_the_first_lets_go(client: Client, room: str) -> None:
    first, second = (Election(client, Key(room, "lead"), identity, terms=FAST) for identity in ("a", "b"))
    await first.acquire()
    waiting = asyncio.create_task(second.acquire())
    holding = asyncio.create_task(first.hold())

    done, _ = await asyncio.wait({waiting}, timeout=1.5)  # longer than the lease, which is renewed
    assert not done
    holding.cancel()
    await first.release()
    await asyncio.wait_for(waiting, 5)

    lease = await client.get(LEASE, "lead", room)
    assert lease["spec"]["holderIdentity"] == "b"


async def test_a_lease_that_is_not_renewed_lapses_and_its_holder_learns_of_it(client: Client, room: str) -> None:
    first, second = (Election(client, Key(room, "lead"), identity, terms=FAST) for identity in ("a", "b"))
    await first.acquire()

    await asyncio.wait_for(second.acquire(), 5)

    with pytest.raises(LostLeadership):
        await asyncio.wait_for(first.hold(), 5)
