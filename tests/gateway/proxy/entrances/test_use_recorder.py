"""Use of a server is recorded by the app whose entrance asks for it, and use of a tunnel on the session too."""

import asyncio
from typing import Any

from windlass.apis.access import Access
from windlass.gateway.proxy.decision import Decision
from windlass.gateway.proxy.entrances.use_recorder import UseRecorder
from windlass.gateway.proxy.routing.routes import Backend, Route
from windlass.gateway.request import Identity
from windlass.kube.meta import Key

LAB = Access("update", "kubeflow.org", "notebooks", "ml", "lab")
BOARD = Access("get", "tensorboard.kubeflow.org", "tensorboards", "ml", "lab")
SERVICE = Access("get", "", "services", "ml", "lab")
ROUTE = Route(Key("ml", "lab"), "/notebook/ml/lab/", is_exact=False, backend=Backend("ml", "lab", 80), age="")


class Recorded:
    """The API and the sessions, as far as use is written to them."""

    def __init__(self) -> None:
        self.patched: list[tuple[str, Key]] = []
        self.touched: list[str] = []

    async def patch(self, kind: Any, key: Key, patch: Any) -> None:
        self.patched.append((kind.plural, key))

    def touch(self, session: str) -> None:
        self.touched.append(session)


async def test_requests_to_notebooks_are_recorded() -> None:
    recorded: Any = Recorded()
    uses = UseRecorder(recorded, recorded)
    for access in (BOARD, SERVICE, None, LAB):
        uses.record(access)
    await asyncio.sleep(0)

    assert recorded.patched == [("notebooks", Key("ml", "lab"))]
    assert recorded.touched == []


async def test_data_over_a_tunnel_is_use_of_the_session_too() -> None:
    recorded: Any = Recorded()
    uses = UseRecorder(recorded, recorded)
    for identity in (Identity("ann@example.com", session="s1"), Identity("ann@example.com", proof="access-token")):
        uses.record_data(Decision("/notebook/ml/lab/", ROUTE, identity, LAB))
    await asyncio.sleep(0)

    assert recorded.patched == [("notebooks", Key("ml", "lab"))]
    assert recorded.touched == ["s1"]
