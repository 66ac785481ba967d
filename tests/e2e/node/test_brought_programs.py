"""Programs that come with Windlass run in pods, on machines that may not have them."""

import pytest

from tests.e2e.node.pods import PodShell, container, pod

pytestmark = pytest.mark.kubectl
LITTLE = {"limits": {"cpu": "100m", "memory": "20Mi"}, "requests": {"cpu": "50m", "memory": "10Mi"}}
"""What PyTorchJob's init container has."""


def test_alpine_finds_names_with_nslookup_and_says_when_there_is_none(kubectl: PodShell) -> None:
    script = "nslookup kubernetes.default; nslookup nowhere || echo code $?"
    kubectl.apply(pod("look", container(script, image="alpine:3.10", resources=LITTLE), restartPolicy="Never"))

    kubectl.phase("look", "Succeeded")
    log = kubectl.says("look", "code 1")

    assert "Name:\tkubernetes.default.svc.cluster.local\nAddress: 10.96.0.1\n" in log
    assert "** server can't find nowhere: NXDOMAIN" in log


def test_alpine_looks_with_nc_whether_something_listens(kubectl: PodShell) -> None:
    script = "nc -z kubernetes.default 443 && echo listens; nc -z -w 1 kubernetes.default 444 || echo code $?"
    kubectl.apply(pod("knock", container(script, image="alpine:3.10", resources=LITTLE), restartPolicy="Never"))

    kubectl.phase("knock", "Succeeded")

    assert kubectl.says("knock", "code 1") == "listens\ncode 1\n"
