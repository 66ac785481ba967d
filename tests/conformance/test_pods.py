"""What Kubernetes' conformance tests ask of pods before any node sees them."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.conformance.builders import a_pod, named
from tests.conformance.client import Caller

TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"


@pytest.fixture
def pods(namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/pods"


def test_the_generation_counts_changes_of_the_spec_and_the_deletion(administrator: Caller, pods: str) -> None:
    pod = a_pod("web")
    pod["metadata"]["generation"] = 100
    path = f"{pods}/web"
    generations = [administrator.create(pods, pod)]
    generations.append(administrator.patch(path, {"metadata": {"labels": {"a": "b"}}}))
    generations.append(administrator.patch(f"{path}/status", {"status": {"observedGeneration": 1}}))
    target = {"kind": "Node", "name": f"n{uuid4().hex[:8]}"}  # pods of a node that is long known not to exist may go
    administrator.create(f"{path}/binding", named("v1", "Binding", "web", target=target))
    generations.append(administrator.get(path))
    generations.append(administrator.patch(path, {"spec": {"activeDeadlineSeconds": 500}}))
    more = [{"key": "x", "operator": "Exists"}, *generations[-1]["spec"]["tolerations"]]
    generations.append(administrator.patch(path, {"spec": {"tolerations": more}}))
    generations.append(administrator.delete(path))
    administrator.delete(path, {"gracePeriodSeconds": 0})

    assert [found["metadata"]["generation"] for found in generations] == [1, 1, 1, 1, 2, 3, 4]


@pytest.mark.parametrize("of_pod", [None, True, False])
@pytest.mark.parametrize("of_account", [None, True, False])
def test_a_pod_gets_its_token_unless_it_or_its_account_says_no(
    administrator: Caller, namespace: str, pods: str, of_account: bool | None, of_pod: bool | None
) -> None:
    said = {} if of_account is None else {"automountServiceAccountToken": of_account}
    accounts = f"/api/v1/namespaces/{namespace}/serviceaccounts"
    administrator.create(accounts, named("v1", "ServiceAccount", "robot", **said))
    wish = {} if of_pod is None else {"automountServiceAccountToken": of_pod}

    pod = administrator.create(pods, a_pod("web", serviceAccountName="robot", **wish))

    mounted = [m["mountPath"] for m in pod["spec"]["containers"][0].get("volumeMounts", [])]
    expected = of_pod if of_pod is not None else of_account is not False
    assert (TOKEN_PATH in mounted) is expected


@pytest.fixture
def runtime(administrator: Caller) -> Iterator[str]:
    path = "/apis/node.k8s.io/v1/runtimeclasses"
    name = f"r{uuid4().hex[:8]}"
    scheduling = {"nodeSelector": {"disk": "fast"}, "tolerations": [{"key": "gpu", "operator": "Exists"}]}
    overhead = {"podFixed": {"cpu": "0.01", "memory": "1Mi"}}
    kind = named("node.k8s.io/v1", "RuntimeClass", name, handler="h", overhead=overhead, scheduling=scheduling)
    administrator.create(path, kind)
    yield name
    administrator.delete(f"{path}/{name}")


def test_a_runtime_class_brings_its_overhead_and_its_nodes(administrator: Caller, pods: str, runtime: str) -> None:
    spec = administrator.create(pods, a_pod("web", runtimeClassName=runtime, nodeSelector={"zone": "a"}))["spec"]

    assert spec["overhead"] == {"cpu": "10m", "memory": "1Mi"}
    assert spec["nodeSelector"] == {"zone": "a", "disk": "fast"}
    assert {"key": "gpu", "operator": "Exists"} in spec["tolerations"]


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"runtimeClassName": "nobodys"}, 'pod rejected: RuntimeClass "nobodys" not found'),
        (
            {"runtimeClassName": "{runtime}", "overhead": {"cpu": "1"}},
            "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
        ),
        (
            {"overhead": {"cpu": "1"}},
            "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
        ),
        (
            {"runtimeClassName": "{runtime}", "nodeSelector": {"disk": "slow"}},
            "conflict: runtimeClass.scheduling.nodeSelector conflicts with pod.spec.nodeSelector; "
            "pod.spec.nodeSelector[disk]=slow, runtimeClass.scheduling.nodeSelector[disk]=fast",
        ),
    ],
)
def test_a_pod_that_does_not_fit_its_runtime_class_is_refused(
    administrator: Caller, pods: str, runtime: str, spec: dict[str, Any], why: str
) -> None:
    if "{runtime}" in spec.get("runtimeClassName", ""):
        spec = {**spec, "runtimeClassName": runtime}

    answer = administrator.ask("POST", pods, a_pod("web", **spec))

    assert (answer.status, answer.json()["message"]) == (403, f'pods "web" is forbidden: {why}')


def test_names_of_sysctls_are_checked(administrator: Caller, pods: str) -> None:
    given = ["kernel.shmmax", "foo-", "net/ipv4/ip_forward", "bar..", "kernel.shmmax"]
    context = {"sysctls": [{"name": name, "value": "1"} for name in given]}

    answer = administrator.ask("POST", pods, a_pod("web", securityContext=context))

    causes = answer.json()["details"]["causes"]
    assert [(cause["field"], cause["reason"]) for cause in causes] == [
        ("spec.securityContext.sysctls[1].name", "FieldValueInvalid"),
        ("spec.securityContext.sysctls[3].name", "FieldValueInvalid"),
        ("spec.securityContext.sysctls[4].name", "FieldValueDuplicate"),
    ]


def test_a_status_write_may_label_a_pod_and_not_change_who_owns_it(administrator: Caller, pods: str) -> None:
    administrator.create(pods, a_pod("web"))
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "1"}
    metadata = {"labels": {"a": "b"}, "ownerReferences": [owner]}

    written = administrator.patch(f"{pods}/web/status", {"metadata": metadata, "status": {"message": "hello"}})

    assert (written["status"]["message"], written["metadata"]["labels"]) == ("hello", {"a": "b"})
    assert "ownerReferences" not in written["metadata"]


def test_an_ephemeral_container_is_added_to_a_pod_that_is_there(administrator: Caller, pods: str) -> None:
    administrator.create(pods, a_pod("web"))
    debugger = {"name": "debugger", "image": "busybox", "command": ["sh"], "stdin": True, "tty": True}

    patched = administrator.patch(
        f"{pods}/web/ephemeralcontainers", {"spec": {"ephemeralContainers": [debugger]}}, "strategic-merge"
    )
    updated = administrator.replace(
        f"{pods}/web/ephemeralcontainers",
        lambda newest: newest["spec"]["ephemeralContainers"].append({**debugger, "name": "another"}),
    )

    assert [c["name"] for c in updated["spec"]["ephemeralContainers"]] == ["debugger", "another"]
    assert updated["spec"]["containers"] == patched["spec"]["containers"]
