"""Choosing and sorting what is shown; APIs that are old or gone; and clients that do not wait."""

import pytest

from tests.e2e.shell import Shell

pytestmark = pytest.mark.kubectl

CONFIGS = """
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: one, labels: {size: "1", color: red}}, data: {key: c}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: two, labels: {size: "2", color: blue}}, data: {key: a}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: three, labels: {size: "10"}}, data: {key: b}}
"""


@pytest.fixture
def configs(kubectl: Shell) -> Shell:
    kubectl("create -f -", CONFIGS)
    kubectl("delete cm kube-root-ca.crt --ignore-not-found --wait=false")
    return kubectl


SELECTORS = {
    "color": "one two",
    "'!color,size'": "three",
    "color=red": "one",
    "color!=red,size": "three two",
    "'color in (red, blue)'": "one two",
    "'color notin (red),size'": "three two",
    "'size>1'": "three two",
    "'size<5,color==blue'": "two",
}


def test_labels_select(configs: Shell) -> None:
    found = {selector: configs(f"get cm -l {selector} -o name").replace("configmap/", "") for selector in SELECTORS}

    assert {selector: " ".join(names.split()) for selector, names in found.items()} == SELECTORS


def test_fields_select_where_the_kind_lets_them(configs: Shell) -> None:
    assert configs("get cm --field-selector metadata.name=two -o name") == "configmap/two"
    assert "configmap/two" not in configs("get cm --field-selector metadata.name!=two -o name")
    assert "configmap/two" in configs(f"get cm -A --field-selector metadata.namespace={configs.namespace} -o name")
    assert configs("get ns --field-selector status.phase=Active -o name")
    assert configs("get secrets --field-selector type=Opaque -o name") == ""
    assert (
        configs("get pods --field-selector status.phase=Running,spec.nodeName=n,spec.restartPolicy!=Never -o name")
        == ""
    )
    assert configs("get events --field-selector involvedObject.kind=Pod,reason=X,type=Warning -o name") == ""


@pytest.mark.parametrize(
    ("kind", "field"),
    [("configmaps", "data.key"), ("pods", "spec.color"), ("deployments", "status.replicas"), ("nodes", "spec.x")],
)
def test_other_fields_do_not(kubectl: Shell, kind: str, field: str) -> None:
    said = kubectl.fails(f"get {kind} --field-selector {field}=1")

    assert said.startswith("Error from server (BadRequest): Unable to find ")
    assert f'field selector "{field}=1"' in said
    assert field in said.rsplit('": ', 1)[1] or "not a known field selector" in said


def test_a_selector_that_cannot_be_read_is_refused(kubectl: Shell) -> None:
    said = kubectl.fails("get cm -l 'a b'")

    assert said.endswith("unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt")


def test_sorting_is_by_any_field(configs: Shell) -> None:
    by_data = configs("get cm --sort-by=.data.key -o name -l size").split()
    by_name = configs("get cm --sort-by=.metadata.name -o name -l size").split()
    by_label = configs("get cm --sort-by='{.metadata.labels.size}' -o name -l size").split()

    assert by_data == ["configmap/two", "configmap/three", "configmap/one"]
    assert by_name == ["configmap/one", "configmap/three", "configmap/two"]
    assert by_label[0] == "configmap/one"


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("extensions/v1beta1", "Ingress"),
        ("apps/v1beta1", "Deployment"),
        ("policy/v1beta1", "PodSecurityPolicy"),
        ("batch/v1beta1", "CronJob"),
        ("autoscaling/v2beta2", "HorizontalPodAutoscaler"),
    ],
)
def test_removed_apis_are_gone(kubectl: Shell, api_version: str, kind: str) -> None:
    said = kubectl.fails("apply -f -", f'{{"apiVersion":"{api_version}","kind":"{kind}","metadata":{{"name":"x"}}}}')

    assert f'no matches for kind "{kind}" in version "{api_version}"' in said


@pytest.mark.parametrize(
    ("command", "warning"),
    [
        ("get endpoints", "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"),
        ("get componentstatuses", "v1 ComponentStatus is deprecated in v1.19+"),
    ],
)
def test_deprecated_apis_warn(kubectl: Shell, command: str, warning: str) -> None:
    assert f"Warning: {warning}" in kubectl.warns(command)


def test_both_versions_of_an_autoscaler_are_served(kubectl: Shell) -> None:
    kubectl("create deployment web --image=nginx")
    kubectl("autoscale deployment web --min=1 --max=3 --cpu-percent=70")

    old = kubectl.json("get horizontalpodautoscalers.v1.autoscaling web")["spec"]
    new = kubectl.json("get horizontalpodautoscalers.v2.autoscaling web")["spec"]

    assert old["targetCPUUtilizationPercentage"] == 70
    assert new["metrics"][0]["resource"]["target"] == {"type": "Utilization", "averageUtilization": 70}


def test_a_client_may_refuse_to_wait(kubectl: Shell) -> None:
    assert kubectl("get pods --request-timeout=20s") == ""
    assert "context deadline exceeded" in kubectl.fails("get pods --request-timeout=1ns")
    assert "invalid" in kubectl.fails("get pods --request-timeout=soon").lower()


def test_pages_are_put_together(configs: Shell) -> None:
    assert len(configs("get cm -l size -o name --chunk-size=1").split()) == 3


def test_raw_paths_are_answered_as_they_are(kubectl: Shell) -> None:
    assert '"major":"1"' in kubectl("get --raw /version").replace('": "', '":"')
    assert kubectl("get --raw /readyz") == "ok"
    assert "check passed" in kubectl("get --raw /livez?verbose")
    assert "the server could not find the requested resource" in kubectl.fails("get --raw /apis/nothing")
