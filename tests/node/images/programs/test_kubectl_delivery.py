"""What stands for the image kubectl-delivery."""

import subprocess
from pathlib import Path

from windlass.node.images.programs.kubectl_delivery import deliver, hosts, is_ready


def test_the_exec_client_is_put_where_it_is_asked_for(tmp_path: Path) -> None:
    deliver(tmp_path / "kube")
    kubectl = tmp_path / "kube" / "kubectl"

    reported = subprocess.run(
        [kubectl, "exec"], capture_output=True, text=True, timeout=60, check=False, env={"PATH": "/usr/bin:/bin"}
    )

    assert (reported.returncode, reported.stderr) == (1, "error: pod name must be specified\n")


def test_without_python_it_says_what_is_needed(tmp_path: Path) -> None:
    deliver(tmp_path)

    reported = subprocess.run(
        ["/bin/sh", tmp_path / "kubectl"], capture_output=True, text=True, timeout=60, check=False, env={"PATH": "/no"}
    )

    assert reported.returncode == 127
    assert "neither python3 nor kubectl" in reported.stderr


def test_the_pods_of_a_hostfile_are_waited_for_but_not_the_launcher_itself() -> None:
    text = "demo-launcher slots=2\ndemo-worker-0 slots=2\n\n# no host\ndemo-worker-1 slots=2\n"

    assert hosts(text, "demo-launcher") == ["demo-worker-0", "demo-worker-1"]


def test_only_a_pod_that_is_ready_is() -> None:
    assert is_ready({"status": {"conditions": [{"type": "Ready", "status": "True"}]}})
    assert not is_ready({"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}]}})
    assert not is_ready({})
