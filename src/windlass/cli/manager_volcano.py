"""Whether the manager looks after Volcano's kinds too."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windlass.kube.client import Client
    from windlass.kube.controller import AnyController

SERVED = ("batch.volcano.sh", "Job")
"""A cluster that has this kind has the others of Volcano's as well."""


async def volcano_controllers(
    client: "Client", asked: frozenset[str], *, is_embedded: bool, namespace: str
) -> "tuple[AnyController, ...]":
    """All of them, where no schemes are named or `volcano` is among them.

    On a cluster only if it has the kinds, and the manager is not confined to a namespace: queues are in none.
    """
    from windlass.controllers import volcano

    if (asked and volcano.NAME not in asked) or namespace:
        return ()
    if not is_embedded and not any((kind.group, kind.name) == SERVED for kind in await client.served()):
        return ()
    return volcano.controllers()
