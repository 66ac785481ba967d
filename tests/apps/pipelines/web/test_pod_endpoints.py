"""The Services by which pods reach the gateway: one mechanism, declared once for each."""

import subprocess
import sys

from windlass.apps.pipelines.pod_services import METADATA_STORE, OBJECT_STORE, PIPELINES_API, POD_SERVICES, provided
from windlass.apps.pipelines.web.pod_endpoints import ENDPOINTS
from windlass.apps.pipelines.web.pod_listener import endpoint_slice

SCRIPT = """
import sys
import windlass.gateway.server, windlass.apps.pipelines.web.pod_endpoints
pipelines = "windlass.apps.pipelines"
lazy = (f"{pipelines}.web.s3", "xml.etree", f"{pipelines}.wire", "windlass.formats.protobuf", "h2.")
print(sorted(name for name in sys.modules if name.startswith(lazy)))
"""


def test_every_service_has_an_endpoint_and_a_right_to_write_it() -> None:
    objects = {(item.obj["kind"], item.obj["metadata"]["name"]): item.obj for item in provided()}

    assert [endpoint.service for endpoint in ENDPOINTS] == [*POD_SERVICES]
    for service in POD_SERVICES:
        ports = objects["Service", service.name]["spec"]["ports"]
        assert {port["name"]: port["port"] for port in ports} == service.ports
        assert "selector" not in objects["Service", service.name]["spec"]
        names = [rule.get("resourceNames") for rule in objects["Role", service.name]["rules"]]
        assert names == [None, [endpoint_slice(service, 1)["metadata"]["name"]]]
        assert objects["RoleBinding", service.name]["roleRef"]["name"] == service.name


def test_the_addresses_are_kubeflows() -> None:
    assert (PIPELINES_API.name, PIPELINES_API.ports) == ("ml-pipeline", {"http": 8888, "grpc": 8887})
    assert (OBJECT_STORE.name, OBJECT_STORE.ports) == ("minio-service", {"http": 9000})
    assert (METADATA_STORE.name, METADATA_STORE.ports) == ("metadata-grpc-service", {"grpc-api": 8080})
    assert endpoint_slice(OBJECT_STORE, 4711)["ports"] == [{"name": "http", "port": 4711, "protocol": "TCP"}]


def test_rest_and_grpc_have_one_listener() -> None:
    assert endpoint_slice(PIPELINES_API, 4711)["ports"] == [
        {"name": name, "port": 4711, "protocol": "TCP"} for name in ("http", "grpc")
    ]


def test_what_answers_is_imported_at_its_first_request() -> None:
    done = subprocess.run([sys.executable, "-P", "-c", SCRIPT], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
