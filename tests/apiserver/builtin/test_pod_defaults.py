"""What Kubernetes fills in on pods, one table a part."""

from typing import Any

import pytest

from tests.apiserver.builtin.kinds_builders import a_container, a_pod, a_workload, created, defaulted
from windlass.apiserver.builtin.pod_defaults import pull_policy
from windlass.apiserver.builtin.pod_qos import qos_class
from windlass.kube.json import Object


def test_a_minimal_pod_gets_what_kubectl_shows() -> None:
    assert defaulted(a_pod())["spec"] == {
        "containers": [
            {
                "name": "main",
                "image": "nginx",
                "imagePullPolicy": "Always",
                "resources": {},
                "terminationMessagePath": "/dev/termination-log",
                "terminationMessagePolicy": "File",
            }
        ],
        "dnsPolicy": "ClusterFirst",
        "enableServiceLinks": True,
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "terminationGracePeriodSeconds": 30,
    }


def test_a_template_gets_no_service_links_and_no_requests() -> None:
    limited = a_container(resources={"limits": {"cpu": "1"}})

    spec = defaulted(a_workload("Deployment", template={"spec": {"containers": [limited]}}))["spec"]["template"]["spec"]

    assert "enableServiceLinks" not in spec
    assert spec["containers"][0]["resources"] == {"limits": {"cpu": "1"}}


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("nginx", "Always"),
        ("nginx:latest", "Always"),
        ("nginx:1.25", "IfNotPresent"),
        ("localhost:5000/nginx", "Always"),
        ("localhost:5000/nginx:1", "IfNotPresent"),
        ("nginx@sha256:" + "0" * 64, "IfNotPresent"),
        ("nginx:latest@sha256:" + "0" * 64, "IfNotPresent"),
    ],
)
def test_an_image_is_pulled_always_when_its_tag_is_latest_or_missing(image: str, policy: str) -> None:
    assert pull_policy(image) == policy


PROBE = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}


@pytest.mark.parametrize(
    ("field", "given", "wanted"),
    [
        ("ports", [{"containerPort": 80}], [{"containerPort": 80, "protocol": "TCP"}]),
        (
            "env",
            [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
            [{"name": "A", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}}],
        ),
        (
            "env",
            [{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}}],
            [{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "0"}}}],
        ),
        ("livenessProbe", {"exec": {"command": ["x"]}}, {"exec": {"command": ["x"]}, **PROBE}),
        (
            "readinessProbe",
            {"httpGet": {"port": 80}, "periodSeconds": 3},
            {"httpGet": {"port": 80, "path": "/", "scheme": "HTTP"}, **PROBE, "periodSeconds": 3},
        ),
        ("startupProbe", {"grpc": {"port": 80}}, {"grpc": {"port": 80, "service": ""}, **PROBE}),
        (
            "lifecycle",
            {"preStop": {"httpGet": {"port": 80}}},
            {"preStop": {"httpGet": {"port": 80, "path": "/", "scheme": "HTTP"}}},
        ),
        (
            "resources",
            {"limits": {"cpu": 0.5, "memory": "1024Mi"}},
            {"limits": {"cpu": "500m", "memory": "1Gi"}, "requests": {"cpu": "500m", "memory": "1Gi"}},
        ),
        (
            "resources",
            {"limits": {"cpu": "2"}, "requests": {"cpu": "1000m"}},
            {"limits": {"cpu": "2"}, "requests": {"cpu": "1"}},
        ),
    ],
)
def test_a_container_gets_its_defaults(field: str, given: Any, wanted: Any) -> None:
    made = defaulted(a_pod(a_container(**{field: given})))

    assert made["spec"]["containers"][0][field] == wanted


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, {"emptyDir": {}}),
        ({"emptyDir": {"sizeLimit": "1024Mi"}}, {"emptyDir": {"sizeLimit": "1Gi"}}),
        ({"secret": {"secretName": "s"}}, {"secret": {"secretName": "s", "defaultMode": 420}}),
        ({"configMap": {"name": "c", "defaultMode": 256}}, {"configMap": {"name": "c", "defaultMode": 256}}),
        ({"hostPath": {"path": "/x"}}, {"hostPath": {"path": "/x", "type": ""}}),
        (
            {"projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}},
            {
                "projected": {
                    "defaultMode": 420,
                    "sources": [{"serviceAccountToken": {"path": "token", "expirationSeconds": 3600}}],
                }
            },
        ),
        (
            {"ephemeral": {"volumeClaimTemplate": {"spec": {}}}},
            {"ephemeral": {"volumeClaimTemplate": {"spec": {"volumeMode": "Filesystem"}}}},
        ),
        ({"image": {"reference": "x:1"}}, {"image": {"reference": "x:1", "pullPolicy": "IfNotPresent"}}),
    ],
)
def test_a_volume_gets_its_defaults(given: Object, wanted: Object) -> None:
    made = defaulted(a_pod(volumes=[{"name": "v", **given}]))

    assert made["spec"]["volumes"] == [{"name": "v", **wanted}]


def test_ports_of_a_pod_on_the_hosts_network_are_the_hosts() -> None:
    made = defaulted(a_pod(a_container(ports=[{"containerPort": 80}]), hostNetwork=True))

    assert made["spec"]["containers"][0]["ports"][0]["hostPort"] == 80


def test_the_service_account_is_kept_under_its_old_name_too() -> None:
    spec = defaulted(a_pod(serviceAccountName="robot"))["spec"]

    assert (spec["serviceAccount"], spec["serviceAccountName"]) == ("robot", "robot")


@pytest.mark.parametrize(
    ("resources", "wanted"),
    [
        ([{}], "BestEffort"),
        ([{"limits": {"nvidia.com/gpu": "1"}}], "BestEffort"),
        ([{"requests": {"cpu": "1"}}], "Burstable"),
        ([{"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}], "Burstable"),
        ([{"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1000m", "memory": "1024Mi"}}], "Guaranteed"),
        ([{"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "1", "memory": "1Gi"}}, {}], "Burstable"),
        ([{"requests": {"cpu": "0"}}], "BestEffort"),
    ],
)
def test_the_qos_class_follows_requests_and_limits(resources: list[Object], wanted: str) -> None:
    assert qos_class({"containers": [{"resources": r} for r in resources]}) == wanted


def test_a_new_pod_is_pending() -> None:
    pod = a_pod(a_container(resources={"limits": {"cpu": "1", "memory": "1Gi"}}))

    assert created({**pod, "status": {"phase": "Running"}})["status"] == {"phase": "Pending", "qosClass": "Guaranteed"}
