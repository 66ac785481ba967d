"""Kubeflow's `TrainingClient.train()`, unmodified, fine-tunes a model of a (very small) Hugging Face Hub."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.node.pods import container, pod, service
from tests.e2e.training import hub
from tests.e2e.training.conftest import LONGEST_BUILD
from tests.e2e.training.jobs import CODE, JobShell, script
from tests.e2e.training.sdk_environment import PACKAGES, SDK, Sdk

INITIALIZER = "ghcr.io/kubeflow/training-v1/storage-initializer"
TRAINER = "ghcr.io/kubeflow/training-v1/trainer-huggingface"
CLIENT = "windlass.dev/tests/llm-client"
pytestmark = [pytest.mark.kubectl, pytest.mark.frameworks, pytest.mark.timeout(2400)]


@pytest.fixture
def client(images_dir: Path, tmp_path: Path) -> Path:
    """The Python of somebody who uses `train()`: it needs transformers and PyTorch, which images have already."""
    options = ["--data-dir", str(tmp_path), "--images-dir", str(images_dir)]

    def images(*words: str) -> str:
        argv = [sys.executable, "-m", "windlass", "images", *words, *options]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=LONGEST_BUILD, check=False)
        if done.returncode:
            pytest.skip(f"the environment of the client cannot be made here: {done.stderr[-500:]}")
        return done.stdout

    packages = (SDK.replace("==", "[huggingface]=="), *PACKAGES[1:], "torch")
    images("add", CLIENT, "--python", "3.11", *(word for each in packages for word in ("--package", each)))
    images("pull", CLIENT)
    listed = json.loads(images("list", "-o", "json"))["environments"]
    found = next(each for each in listed if sorted(each["packages"]) == sorted(packages))
    return Path(found["folder"]) / "bin" / "python"


def test_train_fetches_a_model_and_rows_and_tunes_one_on_the_other_on_two_workers(
    kubectl: JobShell, client: Path, pulled: Callable[[str], None]
) -> None:
    pulled(INITIALIZER)
    pulled(TRAINER)
    code = {"name": "code", "configMap": {"name": "hub"}}
    mount = [{"name": "code", "mountPath": CODE}]
    serving = container(image=TRAINER, command=["python", "-u", f"{CODE}/main.py"], volumeMounts=mount)
    kubectl.apply(
        script("hub", Path(hub.__file__).read_text()),
        pod("hub", serving, volumes=[code]),
        service("hub", target=hub.PORT),
    )
    kubectl.says("hub", "serving", within=240)

    found = Sdk(kubectl.server, kubectl.namespace, client).tells("fine_tuning", "PyTorchJob", within=900)

    assert found["conditions"][-1] == ["Succeeded", "True"], found
    assert "process 0 of 2: 24 rows to train on" in found["logs"]["tuned-master-0"]
    assert "process 1 of 2: 24 rows to train on" in found["logs"]["tuned-worker-0"]
    asked = kubectl.log("hub")
    assert "model.safetensors" in asked
    assert "model.onnx" not in asked
    workspace = {"name": "workspace", "persistentVolumeClaim": {"claimName": "tuned"}}
    looking = container(
        "cd /workspace/tuned && ls -d */adapter_*", volumeMounts=[{"name": "workspace", "mountPath": "/workspace"}]
    )
    kubectl.apply(pod("look", looking, restartPolicy="Never", volumes=[workspace]))
    kubectl.phase("look", "Succeeded")
    saved = ("checkpoint-3", "checkpoint-6")  # two batches of four at each step
    assert kubectl.log("look").split() == [
        f"{each}/adapter_{file}" for each in saved for file in ("config.json", "model.safetensors")
    ]
