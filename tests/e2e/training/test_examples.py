"""Every example of training learns something, by its manifest alone."""

import contextlib
import re
import runpy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tests.e2e.training.jobs import JobShell
from tests.support import KUBECTL, eventually

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples" / "training"
LONGEST = 400
"""Seconds; a framework's import alone takes half a minute where six replicas share two slow cores."""

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(KUBECTL is None, reason="there is no kubectl on the PATH"),
    pytest.mark.timeout(LONGEST + 900),
]


@dataclass(frozen=True)
class Example:
    """A folder, its job, the label that its pods have, and what they must have said when it is over."""

    folder: str
    job: str
    says: tuple[str, ...]
    api_version: str = "v1"
    pods: str = "training.kubeflow.org/job-name"
    left: str = ""
    """The only pod that is still there in the end."""

    @property
    def name(self) -> str:
        return self.job.partition("/")[2]

    @property
    def image(self) -> str:
        found = re.search(r"^ +image: (\S+)$", (EXAMPLES / self.folder / "job.yaml").read_text(), re.M)
        assert found
        return found[1]


MAIN = [
    Example(
        "tensorflow-mnist", "tfjobs/mnist", ("is on /job:ps/replica:0/task:1", "epoch 10 loss 0", "accuracy 0.[89]")
    ),
    Example("pytorch-simple", "pytorchjobs/pytorch-simple", ("rank 2 of 3: the sum of ones is 3", "accuracy 0.[89]")),
    Example("mpi-pi", "mpijobs/mpi-pi", ("rank 1 of 2 on mpi-pi-worker-1", "approximately 3.14"), "v2beta1"),
    Example("mpi-allreduce", "mpijobs/mpi-allreduce", ("the sum of ones is 2", "accuracy 0.[89]")),
]
MORE = [
    Example("tensorflow-mirrored", "tfjobs/mirrored", ("worker 1: 2 replicas in sync", "worker 1: accuracy 0.[89]")),
    Example("pytorch-elastic", "pytorchjobs/pytorch-elastic", ("epoch 20 loss", "accuracy 0.[89]")),
    Example("xgboost-iris", "xgboostjobs/xgboost-iris", ("rank 2 of 3: hears 'hello from rank 0'", "accuracy 0.9")),
    Example("paddle-collective", "paddlejobs/paddle-collective", ("of 2: the sum of ones is 2", "accuracy 0.[89]")),
    Example("jax-psum", "jaxjobs/jax-psum", ("process 1 of 2: 2 devices", "process 1: accuracy 0.[89]")),
    Example("mxnet-kvstore", "mxjobs/mxnet-kvstore", ("server 0 with the scheduler", "worker 1: accuracy 0.[89]")),
    Example(
        "chainer-mpi",
        "chainerjobs/chainer-mpi",
        ("the sum of ones is 3", "accuracy 0.[89]"),
        "v1alpha1",
        "chainerjob.kubeflow.org/name",
    ),
]
ALL = [*MAIN, *(pytest.param(one, marks=pytest.mark.frameworks) for one in MORE)]


@pytest.mark.parametrize("example", ALL, ids=lambda one: one.folder)
def test_an_example_trains(kubectl: JobShell, pulled: Callable[[str], None], example: Example) -> None:
    pulled(example.image)

    kubectl(f"apply -f {EXAMPLES / example.folder}/")

    with contextlib.suppress(AssertionError):  # what the pods said is worth more than that
        eventually(lambda: is_over(kubectl, example), LONGEST)
    output = told(kubectl, example)
    assert has_succeeded(kubectl, example), f"{status(kubectl, example)}\n{output}"
    # A job is over with its first replica; the other ones end, and print what they have buffered, a moment later.
    eventually(lambda: is_said(kubectl, example), 60, f"{example.name} prints {' and '.join(example.says)}: {output}")
    if example.left:
        eventually(lambda: names(kubectl, example) == [example.left], 60, f"of {example.name}, {example.left} stays")


def status(kubectl: JobShell, example: Example) -> list[tuple[str, str]]:
    path = f"/apis/kubeflow.org/{example.api_version}/namespaces/{kubectl.namespace}/{example.job}"
    if example.folder == "chainer-mpi":  # its own status is a copy of this one
        path = kubectl.path("jobs/chainer-mpi-master")
    answer = kubectl.server.request("GET", path)
    found = answer.json().get("status", {}) if answer.status == 200 else {}
    return [(each["type"], each["status"]) for each in found.get("conditions", [])]


def has_succeeded(kubectl: JobShell, example: Example) -> bool:
    return not {("Succeeded", "True"), ("Complete", "True")}.isdisjoint(status(kubectl, example))


def is_over(kubectl: JobShell, example: Example) -> bool:
    return has_succeeded(kubectl, example) or ("Failed", "True") in status(kubectl, example)


def names(kubectl: JobShell, example: Example) -> list[str]:
    return sorted(pod["metadata"]["name"] for pod in kubectl.pods(f"{example.pods}={example.name}"))


def is_said(kubectl: JobShell, example: Example) -> bool:
    output = told(kubectl, example)
    return all(re.search(text, output) for text in example.says)


def told(kubectl: JobShell, example: Example) -> str:
    return "\n".join(f"--- {name}\n{kubectl.log(name)}" for name in names(kubectl, example))


# The folders themselves


FOLDERS = sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir())


def test_every_example_is_tried() -> None:
    assert sorted(example.folder for example in (*MAIN, *MORE)) == FOLDERS


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_manifest_has_the_script_beside_it_and_the_page_its_commands(folder: str) -> None:
    path = EXAMPLES / folder
    code, job = yaml.safe_load_all((path / "job.yaml").read_text())
    page = (path / "README.md").read_text()

    assert code["data"] == {script.name: script.read_text() for script in path.glob("*.py")}
    assert f"kubectl apply -f examples/training/{folder}/" in page
    assert job["metadata"]["name"] in page


def test_the_tool_that_puts_scripts_into_manifests_would_change_nothing() -> None:
    filled = runpy.run_path(str(ROOT / "tools" / "example_manifests.py"))["filled"]

    for manifest in EXAMPLES.glob("*/job.yaml"):
        assert filled(manifest.read_text(), sorted(manifest.parent.glob("*.py"))) == manifest.read_text()
