"""A pod behind a route is ready when its server takes connections."""

from typing import Any

import pytest

from windlass.controllers.server_readiness import server_container, with_readiness


def test_the_probe_of_the_user_stays() -> None:
    own = {"httpGet": {"path": "/", "port": 1}}

    assert with_readiness({"name": "a", "readinessProbe": own}, 8888)["readinessProbe"] == own
    assert with_readiness({"name": "a"}, 8888)["readinessProbe"]["tcpSocket"] == {"port": 8888}


@pytest.mark.parametrize(
    ("port", "found"), [(80, 1), ("web", 1), (9, 0), ("other", None)], ids=["number", "name", "unnamed", "unknown"]
)
def test_the_container_with_the_port_is_probed(port: int | str, found: int | None) -> None:
    containers: list[Any] = [{"name": "a"}, {"name": "b", "ports": [{"containerPort": 80, "name": "web"}]}]

    assert server_container(containers, port) == found
    assert server_container([], port) is None
