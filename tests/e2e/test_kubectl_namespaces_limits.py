"""Namespaces come and go with what is in them; quotas, limit ranges and priorities shape what may be made."""

import json

import pytest

from tests.e2e.shell import Shell
from tests.support import eventually

pytestmark = pytest.mark.kubectl


def a_pod(name: str, **spec: object) -> str:
    resources = spec.pop("resources", {})
    containers = [{"name": "c", "image": "x", "resources": resources}]
    return json.dumps(
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": containers, **spec}}
    )


def test_a_namespace_takes_its_content_along(kubectl: Shell) -> None:
    name = f"{kubectl.namespace}-gone"
    kubectl(f"create namespace {name}")
    kubectl(f"create configmap x -n {name}")

    kubectl(f"delete namespace {name}")

    assert kubectl.fails(f"get namespace {name}") == f'Error from server (NotFound): namespaces "{name}" not found'
    assert kubectl(f"get cm -n {name} -o name") == ""


def test_a_finalizer_holds_a_namespace_which_says_so(kubectl: Shell) -> None:
    name = f"{kubectl.namespace}-held"
    kubectl(f"create namespace {name}")
    held = {"name": "stuck", "namespace": name, "finalizers": ["example.com/hold"]}
    kubectl("create -f - -n " + name, json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": held}))

    kubectl(f"delete namespace {name} --wait=false")
    types = f"get ns {name} -o jsonpath='{{.status.conditions[*].type}}'"
    eventually(lambda: "NamespaceFinalizersRemaining" in kubectl(types), 60, "the namespace says what it waits for")
    conditions = {c["type"]: c["message"] for c in kubectl.json(f"get ns {name}")["status"]["conditions"]}
    late = kubectl.fails(f"create configmap late -n {name}")
    kubectl(f"""patch cm stuck -n {name} --type=merge -p '{{"metadata":{{"finalizers":null}}}}'""")
    kubectl(f"wait --for=delete ns/{name} --timeout=60s")

    assert conditions["NamespaceFinalizersRemaining"].endswith("example.com/hold in 1 resource instances")
    assert "configmaps. has 1 resource instances" in conditions["NamespaceContentRemaining"]
    assert f"unable to create new content in namespace {name} because it is being terminated" in late


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("delete ns default", 'namespaces "default" is forbidden: this namespace may not be deleted'),
        ("delete ns kube-system", 'namespaces "kube-system" is forbidden: this namespace may not be deleted'),
        ("create cm x -n nowhere", 'namespaces "nowhere" not found'),
        ("create ns No_Name", "a lowercase RFC 1123 label must consist of"),
        ("create ns default", 'namespaces "default" already exists'),
    ],
)
def test_what_cannot_be_done_with_namespaces(kubectl: Shell, command: str, complaint: str) -> None:
    assert complaint in kubectl.fails(command)


def test_a_namespace_knows_its_name_as_a_label(kubectl: Shell) -> None:
    found = kubectl(f"get ns -l kubernetes.io/metadata.name={kubectl.namespace} -o name")

    assert found == f"namespace/{kubectl.namespace}"
    assert kubectl.rows(f"get ns {kubectl.namespace}")[1][:2] == [kubectl.namespace, "Active"]
    assert "No resource quota." in kubectl(f"describe ns {kubectl.namespace}")


def test_a_quota_is_used_up(kubectl: Shell) -> None:
    kubectl("create quota few --hard=pods=1,requests.cpu=1,secrets=2")

    first = kubectl("create -f -", a_pod("a", resources={"requests": {"cpu": "600m"}}))
    kubectl("wait quota/few --for=jsonpath='{.status.used.pods}'=1 --timeout=60s")
    second = kubectl.fails("create -f -", a_pod("b", resources={"requests": {"cpu": "600m"}}))
    unsaid = kubectl.fails("create -f -", a_pod("c"))
    described = kubectl("describe quota few")
    kubectl("delete pod a --force --grace-period=0")
    kubectl("wait quota/few --for=jsonpath='{.status.used.pods}'=0 --timeout=60s")

    assert first == "pod/a created"
    assert (
        'pods "b" is forbidden: exceeded quota: few, requested: pods=1,requests.cpu=600m, '
        "used: pods=1,requests.cpu=600m, limited: pods=1,requests.cpu=1"
    ) in second
    assert 'pods "c" is forbidden: failed quota: few: must specify requests.cpu for: c' in unsaid
    assert "requests.cpu  600m  1" in described
    assert "requests.cpu: 0/1" in kubectl("get quota few")


LIMITS = """
apiVersion: v1
kind: LimitRange
metadata: {name: limits}
spec:
  limits:
  - type: Container
    default: {cpu: 500m, memory: 256Mi}
    defaultRequest: {cpu: 100m}
    max: {cpu: "1"}
    min: {cpu: 50m}
"""


def test_a_limit_range_fills_in_and_limits(kubectl: Shell) -> None:
    kubectl("create -f -", LIMITS)

    kubectl("create -f -", a_pod("small"))
    large = kubectl.fails("create -f -", a_pod("large", resources={"limits": {"cpu": "2"}}))
    tiny = kubectl.fails("create -f -", a_pod("tiny", resources={"requests": {"cpu": "10m"}}))

    [container] = kubectl.json("get pod small")["spec"]["containers"]
    assert container["resources"] == {
        "limits": {"cpu": "500m", "memory": "256Mi"},
        "requests": {"cpu": "100m", "memory": "256Mi"},
    }
    assert 'pods "large" is forbidden: maximum cpu usage per Container is 1, but limit is 2' in large
    assert "minimum cpu usage per Container is 50m, but request is 10m" in tiny
    assert ["Container", "cpu", "50m", "1", "100m", "500m", "-"] in kubectl.rows("describe limitrange limits")


def test_a_priority_class_gives_pods_their_priority(kubectl: Shell) -> None:
    name = f"high-{kubectl.namespace}"
    kubectl(f"create priorityclass {name} --value=1000 --preemption-policy=Never")

    kubectl("create -f -", a_pod("a", priorityClassName=name))
    unknown = kubectl.fails("create -f -", a_pod("b", priorityClassName="nothing"))
    changed = kubectl.fails(f"""patch priorityclass {name} -p '{{"value":5}}'""")
    spec = kubectl.json("get pod a")["spec"]
    listed = kubectl.rows(f"get pc {name}")
    kubectl(f"delete priorityclass {name}")

    assert (spec["priority"], spec["preemptionPolicy"]) == (1000, "Never")
    assert 'pods "b" is forbidden: no PriorityClass with name nothing was found' in unknown
    assert "value: Forbidden: may not be changed in an update." in changed
    assert listed[1][:3] == [name, "1000", "false"]
    assert "maximum allowed value of a user defined priority is 1000000000" in kubectl.fails(
        "create priorityclass too-high --value=2000000000"
    )
