"""The built-in runtimes train with the frameworks that they are for, by the examples and by the Python client."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.node.pods import container, pod, service
from tests.e2e.trainer.jobs import TrainerShell
from tests.e2e.trainer.runtimes import GROUP_VERSION, STEP
from tests.e2e.trainer.test_sdk import SDK, STORIES
from tests.e2e.training import hub
from tests.e2e.training.jobs import CODE, script
from tests.e2e.training.sdk_environment import run_story, sdk_python
from windlass.apps.trainer.runtimes import runtimes

EXAMPLES = Path(__file__).parents[3] / "examples" / "trainer"
TRAINER = "ghcr.io/kubeflow/training-v1/trainer-huggingface"
"""Has what the Hub of the stories is made with."""
LONGEST = 900
"""Seconds; DeepSpeed compiles for minutes where two nodes share two slow cores."""
pytestmark = [pytest.mark.kubectl, pytest.mark.frameworks, pytest.mark.timeout(LONGEST + 1000)]


@dataclass(frozen=True)
class Example:
    """A file, its job, its runtime, and what its pods must have said when it is over."""

    file: str
    job: str
    runtime: str
    says: tuple[str, ...]

    @property
    def image(self) -> str:
        found = next(each for each in runtimes() if each["metadata"]["name"] == self.runtime)
        spec = found["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
        return spec["containers"][0]["image"]


ALL = [
    Example("torch", "digits", "torch-distributed", ("rank 1 of 2: the sum of ones is 2", "rank 0: accuracy 0.[89]")),
    Example("jax", "slope", "jax-distributed", ("process 0 of 2: slope 3.00", "process 1 of 2: slope 3.00")),
    Example("xgboost", "irises", "xgboost-distributed", ("rank 0 of 2: accuracy 0.9", "rank 1 of 2: accuracy 0.9")),
    Example("deepspeed", "steps", "deepspeed-distributed", ("rank 0 of 2: slope 3.00", "rank 1 of 2: slope 3.00")),
    Example("mlx", "sums", "mlx-distributed", ("rank 0 of 2: the sum is 3", "rank 1 of 2: the sum is 3")),
]


@pytest.mark.parametrize("example", ALL, ids=lambda example: example.file)
def test_an_example_learns(kubectl: TrainerShell, pulled: Callable[[str], None], example: Example) -> None:
    pulled(example.image)

    kubectl(f"apply -f {EXAMPLES / example.file}.yaml")
    kubectl.completes(example.job, LONGEST)

    said = "\n".join(kubectl.logs(example.job).values())
    assert [text for text in example.says if not re.search(text, said)] == [], said


def test_a_function_of_the_python_client_trains_with_torchrun(
    kubectl: TrainerShell, pulled: Callable[[str], None]
) -> None:
    pulled(ALL[0].image)

    words = [str(kubectl.server.kubeconfig), kubectl.namespace, "with_torch"]
    found = run_story(sdk_python(*SDK), STORIES, words, LONGEST)["with_torch"]

    assert found["logs"] == [["rank 0 of 2: 2, for 3 epochs"], ["rank 1 of 2: 2, for 3 epochs"]], found


def test_initializers_fetch_a_model_and_rows_for_the_nodes(
    kubectl: TrainerShell, pulled: Callable[[str], None]
) -> None:
    for image in (TRAINER, *(f"ghcr.io/kubeflow/trainer/{what}-initializer" for what in ("dataset", "model"))):
        pulled(image)
    mounts = [{"name": "code", "mountPath": CODE}]
    serving = container(image=TRAINER, command=["python", "-u", f"{CODE}/main.py"], volumeMounts=mounts)
    volumes = [{"name": "code", "configMap": {"name": "hub"}}]
    program = script("hub", Path(hub.__file__).read_text())
    kubectl.apply(program, pod("hub", serving, volumes=volumes), service("hub", target=hub.PORT), fetching_runtime())
    kubectl.says("hub", "serving", within=240)
    env = [{"name": "HF_ENDPOINT", "value": "http://hub"}, {"name": "ACCESS_TOKEN", "value": hub.TOKEN}]
    store = {"ENDPOINT": "http://hub/store", "REGION": "here", "ACCESS_KEY_ID": "me", "SECRET_ACCESS_KEY": "secret"}
    in_store = [{"name": name, "value": value} for name, value in store.items()]
    model = {"storageUri": "hf://tiny/bert", "env": env}
    for name, dataset in (
        ("from-hub", {"storageUri": "hf://tiny/reviews", "env": env}),
        ("from-store", {"storageUri": "s3://bucket/reviews", "env": in_store}),
    ):
        ref = {"name": "fetching", "kind": "TrainingRuntime"}
        spec = {"runtimeRef": ref, "initializer": {"dataset": dataset, "model": model}, "trainer": {}}
        kubectl.apply({"apiVersion": GROUP_VERSION, "kind": "TrainJob", "metadata": {"name": name}, "spec": spec})

    for name, rows in (("from-hub", "train.jsonl"), ("from-store", "data-00000-of-00001.arrow")):
        kubectl.completes(name, LONGEST)
        files = kubectl.logs(name)["node-0"].split()
        assert f"dataset/{rows}" in files
        assert {"model/config.json", "model/model.safetensors", "model/vocab.txt"} <= set(files)
        assert "model/onnx/model.onnx" not in files


def fetching_runtime() -> dict[str, object]:
    """That of torchtune without torchtune: its nodes list what was fetched."""
    found = next(each for each in runtimes() if each["metadata"]["name"].startswith("torchtune"))
    spec = found["spec"]
    claim = spec["template"]["spec"]["volumeClaimPolicies"][0]["templates"][0]
    claim["spec"]["resources"]["requests"]["storage"] = "100Mi"
    node = next(
        each
        for each in spec["template"]["spec"]["replicatedJobs"]
        if each["template"]["metadata"]["labels"][STEP] == "trainer"
    )
    main = node["template"]["spec"]["template"]["spec"]["containers"][0]
    listing = "cd /workspace && find dataset model -type f -not -path '*/.cache/*'"
    main |= {"image": "busybox", "command": ["sh", "-c", listing], "resources": {}}
    metadata = {"name": "fetching", "labels": found["metadata"]["labels"]}
    return {"apiVersion": GROUP_VERSION, "kind": "TrainingRuntime", "metadata": metadata, "spec": spec}
