"""Custom resources as a kubectl user meets them, on a running server."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support import Windlass
from windlass.kube.json import Object

pytestmark = pytest.mark.kubectl

SPEC: Object = {
    "type": "object",
    "required": ["cronSpec"],
    "properties": {
        "cronSpec": {"type": "string", "pattern": r"^(\d+|\*)(/\d+)?(\s+(\d+|\*)(/\d+)?){4}$"},
        "color": {"type": "string", "enum": ["red", "blue"], "default": "red"},
        "replicas": {"type": "integer", "minimum": 1, "default": 1},
        "max": {"type": "integer", "default": 5},
        "port": {"x-kubernetes-int-or-string": True},
    },
    "x-kubernetes-validations": [
        {"rule": "self.replicas <= self.max", "message": "replicas must be at most max"},
        {"rule": "self.cronSpec == oldSelf.cronSpec", "message": "cronSpec is immutable"},
    ],
}
STATUS: Object = {"type": "object", "properties": {"replicas": {"type": "integer"}}}
GROUP = "kubectl.crds.example.com"
NAME = f"crontabs.{GROUP}"


def definition(spec: Object = SPEC) -> Object:
    version: Object = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec, "status": STATUS}}},
        "subresources": {
            "status": {},
            "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"},
        },
        "selectableFields": [{"jsonPath": ".spec.color"}],
        "additionalPrinterColumns": [{"name": "Spec", "type": "string", "jsonPath": ".spec.cronSpec"}],
    }
    older = {**version, "name": "v1beta1", "storage": False}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": NAME},
        "spec": {
            "group": GROUP,
            "scope": "Namespaced",
            "names": {"plural": "crontabs", "kind": "CronTab", "shortNames": ["ct"]},
            "versions": [version, older],
        },
    }


def a_crontab(name: str = "a", version: str = "v1", **spec: Any) -> str:
    made = {"cronSpec": "* * * * */5", **spec}
    return json.dumps({"apiVersion": f"{GROUP}/{version}", "kind": "CronTab", "metadata": {"name": name}, "spec": made})


@pytest.fixture(scope="module")
def cluster(server: Windlass) -> Iterator[Windlass]:
    server.kubectl("apply", "-f", "-", stdin=json.dumps(definition()))
    server.kubectl("wait", "--for=condition=Established", f"crd/{NAME}", "--timeout=60s")
    yield server
    server.kubectl("delete", "crd", NAME, "--ignore-not-found")


def refused(server: Windlass, namespace: str, manifest: str, *flags: str) -> str:
    done = server.kubectl("apply", "-n", namespace, *flags, "-f", "-", stdin=manifest, check=False)
    assert done.returncode != 0
    return done.stderr


def test_an_object_is_defaulted_listed_and_scaled(cluster: Windlass, namespace: str) -> None:
    cluster.kubectl("apply", "-n", namespace, "-f", "-", stdin=a_crontab(port="80%"))
    cluster.kubectl("scale", "-n", namespace, "ct/a", "--replicas=3")

    spec = json.loads(cluster.kubectl("get", "-n", namespace, "ct", "a", "-o", "json").stdout)["spec"]
    table = cluster.kubectl("get", "-n", namespace, "ct").stdout.splitlines()

    assert spec == {"color": "red", "cronSpec": "* * * * */5", "max": 5, "port": "80%", "replicas": 3}
    assert table[0].split() == ["NAME", "SPEC"]
    assert table[1].split() == ["a", "*", "*", "*", "*", "*/5"]


def test_every_bad_field_is_told_at_once(cluster: Windlass, namespace: str) -> None:
    told = refused(cluster, namespace, a_crontab(cronSpec=5, color="green", replicas=0, port=True))

    assert 'The CronTab "a" is invalid:' in told
    assert '* spec.color: Unsupported value: "green": supported values: "red", "blue"' in told
    assert '* spec.cronSpec: Invalid value: "integer": spec.cronSpec in body must be of type string: "integer"' in told
    assert "* spec.replicas: Invalid value: 0: spec.replicas in body should be greater than or equal to 1" in told


def test_rules_judge_objects_and_changes(cluster: Windlass, namespace: str) -> None:
    assert "spec: Invalid value: replicas must be at most max" in refused(cluster, namespace, a_crontab(replicas=9))

    cluster.kubectl("apply", "-n", namespace, "-f", "-", stdin=a_crontab())
    assert "spec: Invalid value: cronSpec is immutable" in refused(cluster, namespace, a_crontab(cronSpec="1 * * * *"))


def test_unknown_fields_are_named_or_dropped(cluster: Windlass, namespace: str) -> None:
    assert 'unknown field "spec.odd"' in refused(cluster, namespace, a_crontab(odd=1))

    cluster.kubectl("apply", "-n", namespace, "--validate=false", "-f", "-", stdin=a_crontab(odd=1))
    found = json.loads(cluster.kubectl("get", "-n", namespace, "ct", "a", "-o", "json").stdout)

    assert "odd" not in found["spec"]


def test_a_field_selector_may_name_a_selectable_field(cluster: Windlass, namespace: str) -> None:
    for color in ("red", "blue"):
        cluster.kubectl("apply", "-n", namespace, "-f", "-", stdin=a_crontab(color, color=color))

    found = cluster.kubectl("get", "-n", namespace, "ct", "--field-selector", "spec.color=blue", "-o", "name").stdout

    assert found.split() == [f"crontab.{GROUP}/blue"]


def test_both_versions_serve_the_same_object(cluster: Windlass, namespace: str) -> None:
    cluster.kubectl("apply", "-n", namespace, "-f", "-", stdin=a_crontab(version="v1beta1"))

    for version in ("v1", "v1beta1"):
        found = cluster.get(f"/apis/{GROUP}/{version}/namespaces/{namespace}/crontabs/a")
        assert found["apiVersion"] == f"{GROUP}/{version}"
        assert found["spec"]["color"] == "red"


def test_a_rule_with_a_typo_is_refused_with_its_place(cluster: Windlass) -> None:
    spec = {**SPEC, "x-kubernetes-validations": [{"rule": "self.replicas <= self.mx"}]}
    done = cluster.kubectl("apply", "-f", "-", stdin=json.dumps(definition(spec)), check=False)

    assert "undefined field 'mx'" in done.stderr
    assert "properties[spec].x-kubernetes-validations[0].rule" in done.stderr
