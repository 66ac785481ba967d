"""What stands behind a Service, and how many may be evicted, while pods' statuses are set here as a node would."""

import pytest

from tests.e2e.shell import Shell
from tests.support import eventually

pytestmark = pytest.mark.kubectl

BY_HAND = """
apiVersion: v1
kind: Service
metadata: {name: far}
spec: {ports: [{port: 80}]}
---
apiVersion: v1
kind: Endpoints
metadata: {name: far}
subsets:
- addresses: [{ip: 192.0.2.7}]
  ports: [{port: 80}]
"""


def ready(kubectl: Shell, name: str, ip: str, status: str = "True") -> None:
    kubectl.set_status(
        f"pod {name}", {"phase": "Running", "podIP": ip, "conditions": [{"type": "Ready", "status": status}]}
    )


@pytest.fixture
def web(kubectl: Shell) -> Shell:
    """Two pods that run, behind a Service."""
    for name, ip in (("one", "10.1.0.1"), ("two", "10.1.0.2")):
        kubectl(f"run {name} --image=nginx --labels=app=web --port=80")
        ready(kubectl, name, ip)
    kubectl("create service clusterip web --tcp=80:8080")
    return kubectl


def test_a_service_shows_its_ready_pods(web: Shell) -> None:
    shown = "get endpoints web --no-headers -o custom-columns=E:.subsets[*].addresses[*].ip"
    eventually(lambda: web(shown) == "10.1.0.1,10.1.0.2", 60, "both addresses")
    both = [["IPv4", "8080", "10.1.0.1,10.1.0.2"]]
    eventually(lambda: [row[1:4] for row in web.rows("get endpointslices")[1:]] == both, 60, "both in a slice")
    assert web.rows("get endpointslices")[1][0].startswith("web-")
    assert "10.1.0.1:8080,10.1.0.2:8080" in web("describe service web")
    ready(web, "one", "10.1.0.1", "False")
    eventually(lambda: web(shown) == "10.1.0.2", 60, "one address")


def test_endpoints_go_with_their_service(web: Shell) -> None:
    eventually(lambda: web("get endpoints,endpointslices -o name").count("/web") == 2, 60, "both kinds")
    web("delete service web")
    eventually(lambda: web("get endpoints,endpointslices -o name") == "", 60, "neither kind")


def test_endpoints_that_a_person_wrote_stay_and_are_mirrored(kubectl: Shell) -> None:
    kubectl("create -f -", BY_HAND)
    kubectl("run near --image=nginx")
    kubectl("expose pod near --port=80")
    eventually(lambda: kubectl("get endpoints near --ignore-not-found -o name"), 60, "the other Service's endpoints")
    assert kubectl("get endpoints far -o jsonpath={.subsets[0].addresses[0].ip}") == "192.0.2.7"
    slices = "get endpointslices -l kubernetes.io/service-name=far -o jsonpath={.items[*].endpoints[*].addresses[0]}"
    eventually(lambda: kubectl(slices) == "192.0.2.7", 60, "the same address in a slice")


def test_a_budget_says_how_many_may_go(web: Shell) -> None:
    web("create pdb web --selector=app=web --min-available=1")
    eventually(lambda: web.rows("get pdb web")[1][:4] == ["web", "1", "N/A", "1"], 60, "one to spare")
    web.file("eviction.json", '{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"one"}}')
    pods = f"/api/v1/namespaces/{web.namespace}/pods"
    web(f"create --raw {pods}/one/eviction -f eviction.json")
    eventually(lambda: web.rows("get pdb web")[1][3] == "0", 60, "none to spare")
    web.file("eviction.json", '{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"two"}}')
    said = web.fails(f"create --raw {pods}/two/eviction -f eviction.json")
    assert "Cannot evict pod as it would violate the pod's disruption budget." in said
