"""Kubeflow's `TrainingClient.train()`, unmodified, fine-tunes a model of a (very small) Hugging Face Hub."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.node.pods import container, pod, service
from tests.e2e.training import hub
from tests.e2e.training.images import LONGEST_BUILD
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


@pytest.fixture
def shell(kubectl: JobShell, pulled: Callable[[str], None]) -> JobShell:
    """A terminal in whose namespace the Hub is a service."""
    pulled(INITIALIZER)
    pulled(TRAINER)
    code = {"name": "code", "configMap": {"name": "hub"}}
    mounts = [{"name": "code", "mountPath": CODE}]
    serving = container(image=TRAINER, command=["python", "-u", f"{CODE}/main.py"], volumeMounts=mounts)
    program = script("hub", Path(hub.__file__).read_text())
    kubectl.apply(program, pod("hub", serving, volumes=[code]), service("hub", target=hub.PORT))
    kubectl.says("hub", "serving", within=240)
    return kubectl


def test_train_fetches_a_model_and_rows_and_tunes_one_on_the_other_on_two_workers(
    shell: JobShell, client: Path
) -> None:
    found = Sdk(shell.server, shell.namespace, client).run_story("fine_tuning", "PyTorchJob", within=900)

    assert found["conditions"][-1] == ["Succeeded", "True"], found
    assert "process 0 of 2: 24 rows to train on" in found["logs"]["tuned-master-0"]
    assert "process 1 of 2: 24 rows to train on" in found["logs"]["tuned-worker-0"]
    asked = shell.log("hub")
    assert "model.safetensors" in asked
    assert "model.onnx" not in asked
    workspace = {"name": "workspace", "persistentVolumeClaim": {"claimName": "tuned"}}
    mounts = [{"name": "workspace", "mountPath": "/workspace"}]
    looking = container("cd /workspace/tuned && ls -d */adapter_*", volumeMounts=mounts)
    shell.apply(pod("look", looking, restartPolicy="Never", volumes=[workspace]))
    shell.phase("look", "Succeeded")
    steps = (3, 6)  # of two batches of four
    files = ("adapter_config.json", "adapter_model.safetensors")
    assert shell.log("look").split() == [f"checkpoint-{step}/{file}" for step in steps for file in files]


def test_rows_may_come_from_an_object_store(shell: JobShell) -> None:
    model = {"model_uri": "hf://tiny/bert", "transformer_type": "AutoModelForCausalLM"}
    rows = {"endpoint_url": "http://hub/store", "bucket_name": "bucket", "file_key": "reviews"}
    rows |= {"region_name": "us-east-1", "access_key": "somebody", "secret_key": "secret"}
    arguments = ["--model_provider", "hf", "--model_provider_parameters", json.dumps(model)]
    arguments += ["--dataset_provider", "s3", "--dataset_provider_parameters", json.dumps(rows)]
    mounts = [{"name": "workspace", "mountPath": "/workspace"}]
    fetching = {"name": "storage-initializer", "image": INITIALIZER, "args": arguments, "volumeMounts": mounts}
    fetching["env"] = [{"name": "HF_ENDPOINT", "value": "http://hub"}]
    looking = container("cd /workspace/dataset && find -type f | sort", volumeMounts=mounts)
    volumes = [{"name": "workspace", "emptyDir": {}}]
    shell.apply(pod("fetch", looking, restartPolicy="Never", initContainers=[fetching], volumes=volumes))

    shell.phase("fetch", "Succeeded", within=240)

    names = ("data-00000-of-00001.arrow", "dataset_info.json", "state.json")
    assert shell.log("fetch").split() == [f"./{name}" for name in names]
