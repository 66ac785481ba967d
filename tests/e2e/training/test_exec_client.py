"""The exec client that launchers are brought."""

import pytest

from tests.e2e.node.pods import named
from tests.e2e.training.jobs import JobShell

IMAGE = "kubeflow/kubectl-delivery:latest"
pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(300)]

CLIENT = """
TARGET_DIR=/tmp/kube kubectl_delivery
k=/tmp/kube/kubectl
head -c 3000000 /dev/urandom > /tmp/in
$k exec -i other -- cat < /tmp/in | cmp - /tmp/in && echo same
$k exec other -- sh -c 'echo out; echo err >&2; exit 37' > /tmp/out 2> /tmp/err
echo $? $(cat /tmp/out) $(head -n 1 /tmp/err)
$k exec other -- sh -c 'kill -9 $$$$' 2> /tmp/err; echo $? $(cat /tmp/err)
$k exec nobody -- true 2>&1; echo $?
"""
"""In a manifest `$$` stands for a dollar."""


def test_the_exec_client_passes_input_output_and_exit_codes_as_they_are(kubectl: JobShell) -> None:
    kubectl("create serviceaccount launcher")
    kubectl("create role launcher --verb=create --resource=pods/exec")
    kubectl(f"create rolebinding launcher --role=launcher --serviceaccount={kubectl.namespace}:launcher")
    spec = {"restartPolicy": "Never", "terminationGracePeriodSeconds": 1}
    other = {"name": "main", "image": "busybox", "command": ["sleep", "infinity"]}
    kubectl.apply(named("Pod", "other", spec={**spec, "containers": [other]}))
    kubectl.ready("other")
    asks = {"name": "main", "image": IMAGE, "command": ["sh", "-c", CLIENT]}
    kubectl.apply(named("Pod", "asks", spec={**spec, "serviceAccountName": "launcher", "containers": [asks]}))

    kubectl.phase("asks", "Succeeded")

    assert kubectl.log("asks").splitlines() == [
        "same",
        "37 out err",
        "137 command terminated with exit code 137",
        'error: Error from server (NotFound): pods "nobody" not found',
        "1",
    ]
