from typing import Any

import pytest

from windlass.node.hostname import full_hostname, hostname


@pytest.mark.parametrize(
    ("spec", "short", "full"),
    [
        ({}, "web-0", ""),
        ({"hostname": "db"}, "db", ""),
        ({"subdomain": "web"}, "web-0", "web-0.web.team.svc.cluster.local"),
        ({"hostname": "db", "subdomain": "web"}, "db", "db.web.team.svc.cluster.local"),
        ({"hostname": "db", "subdomain": "web", "hostnameOverride": "my.own.name"}, "my.own.name", ""),
        ({"hostNetwork": True, "nodeName": "laptop", "hostname": "db"}, "laptop", ""),
        ({"hostname": "a" * 62 + "-" + "b" * 9}, "a" * 62, ""),
    ],
)
def test_a_pods_names(spec: dict[str, Any], short: str, full: str) -> None:
    pod = {"metadata": {"namespace": "team", "name": "web-0"}, "spec": spec}
    assert (hostname(pod), full_hostname(pod)) == (short, full)
