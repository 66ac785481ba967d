"""The walk of the documents that Windlass began with, an install guide of Kubeflow 1.6, in its order.

Its install (chapter 1, sections 1 and 2.1 to 2.2.4) is `windlass up`; its port-forward to Istio's gateway has nothing
to do, since the gateway listens on that port itself. Chapter 2's sections on training jobs and gang scheduling are in
`tests/e2e/training/test_seed_documents.py`, with the documents' one manifest of a volume. The section on pipelines
waits for that part, as do Katib's and KServe's components of the list of installed ones.
What the guide fetches from the internet, a repository and the MNIST pictures, is replaced by `seeds/train.py`.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.apps.notebooks.web.test_form import a_form
from tests.e2e.notebooks.desk import PROFILE, Desk
from tests.e2e.notebooks.test_jupyter import IMAGE as NOTEBOOK_IMAGE
from tests.e2e.notebooks.test_jupyter import Kernel, opened
from tests.e2e.notebooks.test_tensorboard import IMAGE as BOARD_IMAGE
from tests.gateway.browser import Person, signed_in
from tests.gateway.platform import Platform
from tests.gateway.webapps.app_client import App, field
from tests.support import KUBECTL, eventually

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(KUBECTL is None, reason="there is no recent kubectl on the PATH"),
    pytest.mark.timeout(900),
]

DEFAULT_CLASS = '{"metadata": {"annotations":{"storageclass.kubernetes.io/is-default-class":"true"}}}'
LOCAL_PATH = "local-path (default) rancher.io/local-path Delete WaitForFirstConsumer false"
CHECKED_NAMESPACES = (
    "cert-manager",
    "istio-system",
    "auth",
    "knative-eventing",
    "knative-serving",
    "kubeflow",
    "kubeflow-user-example-com",
)
TRAIN = Path(__file__).with_name("seeds") / "train.py"
WORKSPACE: dict[str, Any] = {
    "mount": "/home/jovyan",
    "newPvc": {
        "metadata": {"name": "{notebook-name}-workspace"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "5Gi"}}},
    },
}


@pytest.fixture
def reader(platform: Platform, pulled: Callable[[str], None]) -> Iterator[Desk]:
    """Who follows the guide: its user with its password, in the namespace that the install brings."""
    pulled(NOTEBOOK_IMAGE)
    pulled(BOARD_IMAGE)
    person = Person("user@example.com", "12341234")
    reader = Desk(platform, "kubeflow-user-example-com", person, signed_in(platform, person))
    yield reader
    reader.kubectl("delete", "notebooks,tensorboards,pvc", "--all", "--wait=false")


async def test_the_guide_from_the_storage_class_to_the_scalars_of_a_notebook(reader: Desk) -> None:
    check_the_storage_class(reader)
    for namespace in CHECKED_NAMESPACES:
        reader.kubectl("get", "pods", "-n", namespace)
    see_the_namespaces(reader)
    start_a_notebook(reader)
    await run_the_script(reader)
    see_the_scalars(reader)


def check_the_storage_class(reader: Desk) -> None:
    """Sections 1.4.a and 1.4.b: the class is there, and may be made the default one once more."""
    reader.kubectl("get", "pod", "-n", "local-path-storage")
    reader.kubectl("patch", "storageclass", "local-path", "-p", DEFAULT_CLASS)

    listed = [" ".join(line.split()) for line in reader.kubectl("get", "sc").splitlines()]
    assert any(line.startswith(LOCAL_PATH) for line in listed), listed


def see_the_namespaces(reader: Desk) -> None:
    """Section 3.3: the list of namespaces is not empty, with the label of the guide and without it."""
    reader.apply(PROFILE.format(name="kubeflow-user-saber", email=reader.person.email))
    wanted = {"kubeflow-user-example-com": "owner", "kubeflow-user-saber": "owner"}

    def seen() -> dict[str, str]:
        answer = reader.browser.get("/api/workgroup/env-info").json()
        return {one["namespace"]: one["role"] for one in answer["namespaces"]}

    eventually(lambda: seen() == wanted, 30, "both namespaces are shown")
    reader.kubectl("label", "ns", "kubeflow-user-saber", "environment=system")
    assert seen() == wanted
    reader.kubectl("delete", "profile", "kubeflow-user-saber", "--wait=false")


def start_a_notebook(reader: Desk) -> None:
    """Chapter 2, section 1.2, steps 1 and 2: the form, the wait for the running state, and the connection."""
    app, path = App(reader.browser, "/jupyter"), f"/api/namespaces/{reader.namespace}/notebooks"
    form = a_form(namespace=reader.namespace, image=NOTEBOOK_IMAGE, workspace=WORKSPACE)
    field(app.post(path, form), "message")
    assert "<title>JupyterLab</title>" in opened(reader, "first").text
    claims = field(App(reader.browser, "/volumes").get(f"/api/namespaces/{reader.namespace}/pvcs"), "pvcs")
    assert [(one["name"], one["class"], one["status"]["phase"]) for one in claims] == [
        ("first-workspace", "local-path", "ready")
    ]


async def run_the_script(reader: Desk) -> None:
    """Steps 3 to 5 of section 1.2 and step 1 of section 2.1: a file, a Python environment, and a run in it."""
    kernel = Kernel(reader, "first")
    file = {"type": "file", "format": "text", "content": TRAIN.read_text()}
    saved = reader.browser.session.put(f"{reader.browser.url}{kernel.base}/api/contents/train.py", json=file)
    assert saved.status_code == 201, saved.text

    [printed] = await kernel.run("!python train.py")

    assert "Epoch 5/5" in printed, printed


def see_the_scalars(reader: Desk) -> None:
    """Section 2.1, steps 2 and 3: a board over the folder of the notebook's volume."""
    app, path = App(reader.browser, "/tensorboards"), f"/api/namespaces/{reader.namespace}/tensorboards"
    assert field(app.get(f"/api/namespaces/{reader.namespace}/pvcs"), "pvcs") == ["first-workspace"]
    field(app.post(path, {"name": "mnist", "logspath": "pvc://first-workspace/logs"}), "message")
    base = f"/tensorboard/{reader.namespace}/mnist/"

    assert "<title>TensorBoard</title>" in reader.opened("tensorboard", "mnist", base).text
    eventually(lambda: reader.browser.get(f"{base}data/runs").json() == ["train"], 60, "the run is found")
    points = json.loads(reader.browser.get(f"{base}data/plugin/scalars/scalars?run=train&tag=epoch_loss").text)
    assert [step for _, step, _ in points] == [0, 1, 2, 3, 4]
    assert points[-1][2] < points[0][2]
