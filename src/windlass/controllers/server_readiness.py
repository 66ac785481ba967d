"""Readiness of the servers behind routes: a pod is ready, and its address used, once its server takes connections."""

from windlass.kube.json import Object as Json
from windlass.kube.json import dig_list

PERIOD_SECONDS = 2


def with_readiness(container: Json, port: int | str) -> Json:
    """The container with a probe of its server's port; one that the user has written stays."""
    return container if container.get("readinessProbe") else {**container, "readinessProbe": readiness_probe(port)}


def readiness_probe(port: int | str) -> Json:
    return {"tcpSocket": {"port": port}, "periodSeconds": PERIOD_SECONDS}


def server_container(containers: list[Json], port: int | str) -> int | None:
    """The index of the container with a port; the first where none names the number, None where none has the name."""
    for index, container in enumerate(containers):
        if any(port in (given.get("containerPort"), given.get("name")) for given in dig_list(container, "ports")):
            return index
    return 0 if containers and isinstance(port, int) else None
