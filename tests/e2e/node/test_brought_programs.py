"""Programs that come with Windlass run in pods, on machines that may not have them."""

import shutil
from pathlib import Path

import pytest

from tests.e2e.node.pods import PodShell, container, pod
from windlass.node.images import busybox
from windlass.node.images.images import PROGRAMS

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


@pytest.mark.skipif(shutil.which("busybox", path=PROGRAMS) is None, reason="there is no busybox on this machine")
@pytest.mark.skipif(not busybox.shell_file(str(Path(busybox.POSIX_SHELL).resolve())), reason="/bin/sh is not dash")
@pytest.mark.parametrize("image", ["busybox", "alpine:3.20"])
def test_the_shell_of_busybox_runs_commands_scripts_and_programs_of_the_path(kubectl: PodShell, image: str) -> None:
    script = """
mkdir /tmp/bin
printf '#!/bin/sh\\n[[ $1 == a* ]] && echo script\\n' > /tmp/bin/ls
chmod +x /tmp/bin/ls
[[ abc == a* ]] && echo command
/tmp/bin/ls abc
PATH=/tmp/bin:$PATH
ls abc
env ls abc
"""
    main = {**container(image=image), "command": ["/bin/sh", "-c", script]}
    kubectl.apply(pod("shell", main, restartPolicy="Never"))

    kubectl.phase("shell", "Succeeded")

    assert kubectl("logs shell").split() == ["command", "script", "script", "script"]
