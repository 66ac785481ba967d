from typing import Any

from tests.kube.live import managed, until
from windlass.apis import crd
from windlass.apis.apiextensions_v1 import CustomResourceDefinition
from windlass.apis.scheduling_volcano_v1beta1 import PodGroup
from windlass.controllers.core import custom_resources
from windlass.kube import errors
from windlass.kube.client import Client
from windlass.kube.conditions import is_true
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key

DEFINITION = KINDS.of(CustomResourceDefinition)
NAME = "crates.cleanup.windlass.dev"
CRATE = Kind(group="cleanup.windlass.dev", version="v1beta1", name="Crate", plural="crates")


async def test_a_definition_goes_after_its_objects(client: Client, room: str) -> None:
    definition = crd.definition(PodGroup)
    definition["metadata"]["name"] = NAME
    names = {"kind": "Crate", "listKind": "CrateList", "plural": "crates", "singular": "crate"}
    definition["spec"] |= {"group": CRATE.group, "names": names}
    await client.apply(definition)

    async def established() -> bool:
        return is_true((await client.get(CustomResourceDefinition, NAME)).status.conditions, "Established")

    await until(established)
    crate: Any = {"apiVersion": CRATE.api_version, "kind": "Crate", "metadata": {"name": "a", "namespace": room}}
    crate["metadata"]["finalizers"] = ["test.windlass.dev/hold"]
    await client.create(crate, kind=CRATE)
    async with managed(client, custom_resources.CONTROLLER):
        await client.delete(DEFINITION, Key("", NAME))

        async def terminating() -> bool:
            return is_true((await client.get(CustomResourceDefinition, NAME)).status.conditions, "Terminating")

        await until(terminating)

        async def object_is_going() -> bool:
            return "deletionTimestamp" in (await client.get(CRATE, "a", room))["metadata"]

        await until(object_is_going)
        await client.patch(CRATE, Key(room, "a"), {"metadata": {"finalizers": None}})

        async def gone() -> bool:
            try:
                await client.get(CustomResourceDefinition, NAME)
            except errors.NotFound:
                return True
            return False

        await until(gone)
