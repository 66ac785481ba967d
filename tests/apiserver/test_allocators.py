"""Addresses that a Service asks for."""

import pytest

from tests.support import Windlass


@pytest.mark.parametrize("address", ["::1", "fd00::1", "10.97.0.1", "192.168.0.1"])
def test_an_address_outside_of_the_range_is_refused(server: Windlass, namespace: str, address: str) -> None:
    service = {"metadata": {"name": "web"}, "spec": {"clusterIP": address, "ports": [{"port": 80}]}}

    refused = server.request("POST", f"/api/v1/namespaces/{namespace}/services", service)

    assert refused.status == 422
    assert f"the provided IP ({address}) is not in the valid range" in refused.json()["message"]
