"""Whether the manager looks after Volcano's kinds too."""

from typing import TYPE_CHECKING

from windlass.cli.failure import Failure

if TYPE_CHECKING:
    from windlass.kube.client import Client
    from windlass.kube.controller import AnyController

SERVED = ("batch.volcano.sh", "Job")
"""A cluster that has this kind has the others of Volcano's as well."""


async def volcano_controllers(
    client: "Client", asked: frozenset[str], *, is_embedded: bool, namespace: str
) -> "tuple[AnyController, ...]":
    """All of them: here unless other schemes are named; on a cluster, which may have Volcano's own, if asked."""
    from windlass.controllers import volcano

    if volcano.NAME not in asked and (asked or not is_embedded):
        return ()
    if namespace:
        raise Failure("--enable-scheme volcano is for all namespaces, as queues are in none: leave out --namespace")
    if not is_embedded and not any((kind.group, kind.name) == SERVED for kind in await client.served()):
        raise Failure("--enable-scheme volcano: this cluster does not have Volcano's kinds. Install them there")
    return volcano.controllers()
