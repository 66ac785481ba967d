"""What the server says about a manifest: strict, warning or silent about odd fields; warnings; dry runs."""

import pytest

from tests.e2e.shell import Shell

pytestmark = pytest.mark.kubectl

TYPOS = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replcas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: c, image: nginx, imagePullPolcy: Always}
"""
FIRST, SECOND = 'unknown field "spec.replcas"', 'unknown field "spec.template.spec.containers[0].imagePullPolcy"'


def test_typos_are_refused_warned_of_or_ignored(kubectl: Shell) -> None:
    strict = kubectl.fails("create -f -", TYPOS)
    warned = kubectl.warns("create --validate=warn -f -", TYPOS)
    kubectl("delete deployment web")
    silent = kubectl.warns("create --validate=ignore -f -", TYPOS)

    assert (
        f'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: {FIRST}, {SECOND}'
        in strict
    )
    assert warned.splitlines() == [f"Warning: {FIRST}", f"Warning: {SECOND}"]
    assert silent == ""


def test_a_patch_with_a_typo_is_warned_of(kubectl: Shell) -> None:
    kubectl("create configmap x")

    warned = kubectl.warns("""patch cm x --type=merge -p '{"dta":{}}'""")

    assert 'unknown field "dta"' in warned


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        (
            '"replicas":"two"',
            "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        ('"replicas":-1', "spec.replicas: Invalid value: -1: must be greater than or equal to 0"),
        ('"minReadySeconds":-5', "spec.minReadySeconds: Invalid value: -5: must be greater than or equal to 0"),
        ('"strategy":{"type":"Sideways"}', 'supported values: "Recreate", "RollingUpdate"'),
    ],
)
def test_bad_values_are_told_by_field(kubectl: Shell, spec: str, complaint: str) -> None:
    body = (
        '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"selector":{"matchLabels":'
        '{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"c","image":"x"}]}},'
        f"{spec}}}}}"
    )

    assert complaint in kubectl.fails("create -f -", body)


def test_everything_wrong_with_a_pod_is_said_at_once(kubectl: Shell) -> None:
    said = kubectl.fails(
        "create -f -",
        '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x","labels":{"a b":"c"}},"spec":{"containers":[],'
        '"restartPolicy":"Perhaps"}}',
    )

    assert said.splitlines()[0] == 'The Pod "x" is invalid: '
    assert [line.split(":")[0] for line in said.splitlines()[1:]] == [
        "* metadata.labels",
        "* spec.containers",
        "* spec.restartPolicy",
    ]


POD = """
apiVersion: v1
kind: Pod
metadata:
  name: odd
  annotations: {container.apparmor.security.beta.kubernetes.io/c: runtime/default}
spec:
  nodeSelector: {beta.kubernetes.io/os: linux}
  containers:
  - name: c
    image: x
    env: [{name: A, value: "1"}, {name: A, value: "2"}]
    resources: {requests: {memory: 100m}}
"""


def test_a_pod_that_is_odd_but_right_is_warned_of(kubectl: Shell) -> None:
    warned = kubectl.warns("create -f -", POD)

    for text in (
        'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
        'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply',
        'spec.containers[0].resources.requests[memory]: fractional byte value "100m" is invalid, must be an integer',
    ):
        assert f"Warning: {text}" in warned
    assert "error" in kubectl.fails("create --dry-run=server --warnings-as-errors -f -", POD).lower()


def test_a_dry_run_is_checked_and_defaulted_and_not_kept(kubectl: Shell) -> None:
    made = kubectl.json("create deployment web --image=nginx --dry-run=server")
    refused = kubectl.fails("create deployment Web_ --image=nginx --dry-run=server")

    assert made["spec"]["strategy"]["type"] == "RollingUpdate"
    assert made["metadata"]["uid"]
    assert '"Web_" is invalid: [metadata.name: Invalid value: "Web_": a lowercase RFC 1123 subdomain' in refused
    assert kubectl("get deployments") == ""


def test_a_change_can_be_tried(kubectl: Shell) -> None:
    kubectl("create configmap x --from-literal=a=1")

    said = kubectl("""patch cm x -p '{"data":{"a":"2"}}' --dry-run=server""")
    labelled = kubectl("label cm x a=b --dry-run=server")

    assert said.startswith("configmap/x patched")
    assert labelled.startswith("configmap/x labeled")
    assert kubectl.json("get cm x")["data"] == {"a": "1"}
