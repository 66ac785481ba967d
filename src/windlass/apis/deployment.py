"""Additions of an app to the manifests of Windlass on a cluster, besides its kinds and the values of its options."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from windlass.kube.json import Object


@dataclass(frozen=True, kw_only=True)
class InstallFlag:
    """A flag of `windlass manifests` and `windlass install` that needs the app's install option."""

    name: str
    metavar: str
    help: str
    problem: Callable[[str], str]
    """Return why a value is refused, or an empty string."""


@dataclass(frozen=True, kw_only=True)
class GatewayPort:
    """A port of the gateway at which pods of profiles reach an API of the app, with bearer tokens."""

    name: str
    number: int
    service_ports: Mapping[str, int]
    """Ports of the gateway's Service that lead to it, by name."""


def _no_objects(host: str) -> list[Object]:
    return []


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """`DEPLOYMENT` of the module that `App.deployment` names."""

    flags: Sequence[InstallFlag] = ()
    gateway_ports: Sequence[GatewayPort] = ()
    gateway_objects: Callable[[str], list[Object]] = _no_objects
    """Return objects that come with the gateway, whose Service has this host name."""
