"""A toy for tests of the runtime: each ConfigMap labelled `crew` gets as many Secrets as its data says."""

from typing import Any

from windlass.apis.core_v1 import ConfigMap, Secret
from windlass.kube.client import Client
from windlass.kube.controller import Controller, Observed
from windlass.kube.meta import ObjectMeta
from windlass.kube.plan import Apply, Delete, Event, Plan
from windlass.kube.transport import Request, Response, Transport


def a_crew(room: str, name: str = "crew", **data: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=name, namespace=room, labels={"crew": "yes"}), data=data)


def members(crew: ConfigMap, observed: Observed) -> Plan:
    if "crew" not in crew.metadata.labels:
        return Plan()
    name, wanted = crew.metadata.name, int(crew.data.get("size", "1"))
    child = [
        Secret(metadata=ObjectMeta(name=f"{name}-{n}", labels={"crew": name}), string_data={"rank": str(n)})
        for n in range(wanted)
    ]
    surplus = [s for s in observed.owned(Secret) if s.metadata.name not in {c.metadata.name for c in child}]
    return Plan(
        [
            *(Apply(Secret(metadata=c.metadata)) for c in child),
            *map(Delete, surplus),
        ],
        events=[Event(reason="Mustered", message=f"{wanted} members")] if not observed.owned(Secret) else [],
    )


CREW = Controller("crew", ConfigMap, members, owns=[Secret])


async def secrets(client: Client, room: str) -> list[Secret]:
    return (await client.list(Secret, room)).items


async def is_true(value: bool) -> bool:
    return value


class Counting:
    """A transport that counts what is written."""

    def __init__(self, inner: Transport) -> None:
        self._inner = inner
        self.writes: list[str] = []

    async def request(self, request: Request) -> Response:
        if request.method != "GET":
            self.writes.append(f"{request.method} {request.path}")
        return await self._inner.request(request)

    def stream(self, request: Request) -> Any:
        return self._inner.stream(request)

    async def close(self) -> None:
        await self._inner.close()
