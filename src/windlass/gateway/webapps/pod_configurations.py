"""Configurations of pods, such as PodDefaults, in the forms of the web apps."""

from windlass.gateway.contributions import PodConfigurations, all_contributions
from windlass.kube.client import Client
from windlass.kube.json import Object


async def offered_configurations(client: Client, namespace: str) -> list[Object]:
    """Return the configurations of a namespace, as forms show them. `client` has the rights of the user."""
    return [configuration for each in _contributed() for configuration in await each.offered(client, namespace)]


async def check_configurations(client: Client, pod: Object) -> None:
    """Refuse a pod that admission would refuse. Raises BadRequest. `client` has the rights of the user."""
    for each in _contributed():
        await each.check(client, pod)


def _contributed() -> list[PodConfigurations]:
    return [each.pod_configurations for each in all_contributions() if each.pod_configurations is not None]
