"""Of several managers one works: who leads, who follows, and who has to stop."""

import asyncio
from typing import Any

import pytest

from tests.kube.crew import CREW, Counting, a_crew, is_true, secrets
from tests.kube.live import client_of, until
from tests.support import Windlass
from windlass.kube import errors
from windlass.kube.client import Client
from windlass.kube.controller import Key
from windlass.kube.lease import LEASE, Election, LostLeadership, Terms
from windlass.kube.manager import LEASE_KEY, Manager, run_manager
from windlass.kube.transport import Request, Response, Transport

OFTEN = Terms(duration=60, renew_within=40, retry_every=0.05)
"""No stall of the machine lets a lease lapse."""


async def test_of_two_managers_one_works_and_the_other_follows_when_it_stops(
    bare_server: Windlass, client: Client, room: str
) -> None:
    first_stop, second_stop = asyncio.Event(), asyncio.Event()

    async def running(stop: asyncio.Event) -> None:
        await run_manager(client_of(bare_server), [CREW], leader_elect=True, stop=stop, terms=OFTEN)

    async def holder() -> str:
        try:
            return (await client.get(LEASE, LEASE_KEY.name, LEASE_KEY.namespace))["spec"]["holderIdentity"]
        except errors.NotFound:
            return ""

    first = asyncio.create_task(running(first_stop))
    leader = await until(holder)
    second = asyncio.create_task(running(second_stop))
    first_stop.set()
    await first

    async def changed() -> bool:
        return await holder() not in ("", leader)

    await until(changed)
    await client.create(a_crew(room))

    async def one() -> bool:
        return len(await secrets(client, room)) == 1

    await until(one)
    second_stop.set()
    await second
    assert await holder() == ""


class Silent(Counting):
    """What makes a lease is done, and never answered."""

    def __init__(self, inner: Transport) -> None:
        super().__init__(inner)
        self.made = asyncio.Event()

    async def request(self, request: Request) -> Response:
        answer = await super().request(request)
        if request.method == "POST" and request.path.endswith("/leases"):
            self.made.set()
            await asyncio.Event().wait()
        return answer


async def test_a_manager_that_is_stopped_before_it_hears_that_it_leads_leaves_the_lease_to_others(
    bare_server: Windlass, client: Client, room: str
) -> None:
    way = Silent(client_of(bare_server)._transport)  # pyright: ignore[reportPrivateUsage] - wrapped here
    async with Client(way) as unheard:
        stop, election = asyncio.Event(), Election(unheard, Key(room, "lead"), "a")
        running = asyncio.create_task(Manager(unheard, [CREW], namespace=room, election=election).run(stop))
        await way.made.wait()
        stop.set()
        await running

    assert (await client.get(LEASE, "lead", room))["spec"]["holderIdentity"] == ""


async def test_a_manager_that_lost_its_lease_stops_with_an_error(bare_server: Windlass, client: Client) -> None:
    lost = asyncio.create_task(
        run_manager(client_of(bare_server), [CREW], leader_elect=True, stop=asyncio.Event(), terms=OFTEN)
    )

    async def held() -> Any:
        try:
            lease = await client.get(LEASE, LEASE_KEY.name, LEASE_KEY.namespace)
        except errors.NotFound:
            return None
        return lease if lease["spec"]["holderIdentity"] else None

    await until(held)
    usurper = Election(client, LEASE_KEY, "usurper", terms=Terms(duration=60))
    usurped = False
    while not usurped:
        lease = await client.get(LEASE, LEASE_KEY.name, LEASE_KEY.namespace)
        lease["spec"] |= {"holderIdentity": "usurper", "leaseDurationSeconds": 60}
        try:
            await client.update(lease)
            usurped = True
        except errors.Conflict:
            continue

    with pytest.raises(LostLeadership):
        await asyncio.wait_for(lost, 60)
    await usurper.release()


async def test_a_manager_that_stands_by_is_ready(bare_server: Windlass, client: Client, room: str) -> None:
    lease = Key(room, "windlass-manager")
    await Election(client, lease, "leader", terms=Terms(duration=600)).acquire()
    stop = asyncio.Event()
    manager = Manager(client, [CREW], namespace=room, election=Election(client, lease, "another"))
    running = asyncio.create_task(manager.run(stop))
    try:
        await until(lambda: is_true(manager.unready() == ""))
        assert not manager.started.is_set()
    finally:
        stop.set()
        await running
