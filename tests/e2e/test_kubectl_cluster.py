"""The cluster at large: what it serves, where it is, leases, events, contexts, and kubectl as a proxy."""

import json
import re
import urllib.request

import pytest

from tests.e2e.shell import Shell

pytestmark = pytest.mark.kubectl


def test_the_cluster_says_where_and_what_it_is(kubectl: Shell) -> None:
    assert kubectl.server.url in kubectl("cluster-info")
    version = kubectl.json("version")["serverVersion"]
    assert (version["major"], version["minor"]) == ("1", "35")


def test_all_that_is_served_is_listed(kubectl: Shell) -> None:
    versions = kubectl("api-versions").split()
    resources = kubectl.rows("api-resources --no-headers")
    namespaced = kubectl("api-resources --namespaced=false -o name").split()
    listable = kubectl("api-resources --verbs=list,watch,create -o name").split()

    assert {"v1", "apps/v1", "batch/v1", "autoscaling/v2", "rbac.authorization.k8s.io/v1"} <= set(versions)
    assert ["pods", "po", "v1", "true", "Pod"] in resources
    assert ["deployments", "deploy", "apps/v1", "true", "Deployment"] in resources
    assert [
        "customresourcedefinitions",
        "crd,crds",
        "apiextensions.k8s.io/v1",
        "false",
        "CustomResourceDefinition",
    ] in resources
    assert "nodes" in namespaced
    assert "pods" not in namespaced
    assert "configmaps" in listable
    assert "tokenreviews.authentication.k8s.io" not in listable
    assert "deployments.apps" in kubectl("api-resources --categories=all -o name").split()


def test_a_lease_is_an_object_like_others(kubectl: Shell) -> None:
    lease = """
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: leader}
spec: {holderIdentity: me, leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.000000Z"}
"""
    kubectl("apply -f -", lease)

    assert kubectl.rows("get leases")[1][:2] == ["leader", "me"]
    assert "leaseDurationSeconds: Invalid value: 0: must be greater than 0" in kubectl.fails(
        """patch lease leader --type=merge -p '{"spec":{"leaseDurationSeconds":0}}'"""
    )


def test_events_are_listed_filtered_and_shown_with_their_object(kubectl: Shell) -> None:
    kubectl("create configmap x")
    about = {"uid": kubectl.json("get cm x")["metadata"]["uid"], "namespace": kubectl.namespace}
    for name, kind, reason in (("one", "Warning", "Broke"), ("two", "Normal", "Mended")):
        event = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": name},
            "involvedObject": {**about, "kind": "ConfigMap", "name": "x", "apiVersion": "v1"},
            "reason": reason, "message": f"it {reason.lower()}", "type": kind, "count": 2,
            "firstTimestamp": "2026-01-01T00:00:00Z", "lastTimestamp": "2026-01-01T01:00:00Z",
        }  # fmt: skip
        kubectl("create -f -", json.dumps(event))

    assert kubectl.rows("get events")[0] == ["LAST", "SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]
    assert "configmap/x" in kubectl("get events")
    assert "Broke" in kubectl("events --for configmap/x --types=Warning")
    assert "Mended" not in kubectl("events --types=Warning")
    assert kubectl("get events --field-selector reason=Mended -o name") == "event/two"
    described = kubectl("describe cm x")
    assert "Broke" in described
    assert "x2 over" in described
    new = kubectl.json("get events.events.k8s.io one")
    assert (new["note"], new["regarding"]["name"], new["deprecatedCount"]) == ("it broke", "x", 2)


def test_contexts_are_the_clients_own_business(kubectl: Shell) -> None:
    config = kubectl.folder / "config"
    config.write_text(kubectl.server.kubeconfig.read_text())

    def run(line: str) -> str:
        return kubectl.server.kubectl(f"--kubeconfig={config} {line}").stdout.strip()

    kubectl("create secret generic here")
    run(f"config set-context other --cluster=windlass --user=kubernetes-admin --namespace={kubectl.namespace}")
    run("config use-context other")

    assert run("config current-context") == "other"
    assert f"namespace: {kubectl.namespace}" in run("config view --minify")
    assert "token: REDACTED" in run("config view")
    assert run("get secrets -o name") == "secret/here"
    assert run("config get-contexts -o name").split() == ["other", "windlass"]
    assert 'context "nothing" does not exist' in kubectl.fails(f"--kubeconfig={config} --context=nothing get pods")


def test_a_proxy_lends_its_login(kubectl: Shell) -> None:
    kubectl("create configmap x --from-literal=a=b")

    with kubectl.watching("proxy --port=0") as proxy:
        serves = re.search(r"Starting to serve on (\S+)\n", proxy.until("\n"))
        assert serves
        base = f"http://{serves[1]}/api/v1/namespaces/{kubectl.namespace}/configmaps"
        with urllib.request.urlopen(f"{base}/x", timeout=60) as answer:
            found = json.load(answer)
        with urllib.request.urlopen(f"{base}?watch=1&timeoutSeconds=30", timeout=60) as stream:
            first = json.loads(stream.readline())

    assert found["data"] == {"a": "b"}
    assert first["type"] == "ADDED"


def test_a_watch_prints_changes_as_they_come(kubectl: Shell) -> None:
    kubectl("create secret generic first")

    with kubectl.watching("get secrets -w --output-watch-events") as watcher:
        watcher.until("first")
        kubectl("create secret generic second")
        watcher.until("second")
        kubectl("delete secret first")
        printed = watcher.until("DELETED")

    assert [line.split()[:2] for line in printed.splitlines()] == [
        ["EVENT", "NAME"], ["ADDED", "first"], ["ADDED", "second"], ["DELETED", "first"],
    ]  # fmt: skip


def test_everything_can_be_dumped(kubectl: Shell) -> None:
    kubectl("create service clusterip web --tcp=80")

    assert '"kind": "ServiceList"' in kubectl(f"cluster-info dump --namespaces {kubectl.namespace}")


def test_a_wrong_address_or_certificate_is_told(kubectl: Shell) -> None:
    assert "connection refused" in kubectl.fails("--server=https://127.0.0.1:1 get pods")
    assert "certificate" in kubectl.fails(
        "--kubeconfig=/dev/null --server=" + kubectl.server.url + " --token=x get pods"
    )


def test_services_of_pods_without_endpoints_cannot_be_reached(kubectl: Shell) -> None:
    kubectl("create service clusterip web --tcp=80")

    said = kubectl.fails(f"get --raw /api/v1/namespaces/{kubectl.namespace}/services/web:80/proxy/")

    assert 'no endpoints available for service "web' in said
