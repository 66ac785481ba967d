"""Every screen: nothing leaves the origin, no errors, axe finds nothing; pictures of all looks; and all in Chinese."""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import ViewportSize, expect

from tests.apps.pipelines.wire.people import PipelinesUser, ok
from tests.e2e.browser.tab import Tab
from tests.e2e.dashboard.axe import CONTRAST, WCAG, violations
from tests.e2e.dashboard.chinese import left_in_english
from tests.e2e.dashboard.people import DEMO, DEMO_NAMESPACE, card, heading
from tests.e2e.notebooks.desk import Desk
from tests.gateway.browser import Person, a_person
from tests.gateway.platform import Platform
from tests.support import KUBECTL, eventually

ROOT = Path(__file__).parents[3]
PICTURES = ROOT / ".make" / "screenshots"
DOCS_IMAGES = os.environ.get("DOCS_IMAGES", "")
"""A folder for the pictures of the documentation, which `make screenshots` gives; else they are left as they are."""
IN_DOCS = {
    ("home", "light"): "home.png",
    ("jobs", "light"): "jobs.png",
    ("job", "light"): "job.png",
    ("waiting-job", "light"): "waiting-job.png",
    ("notebooks", "dark"): "notebooks-dark.png",
    ("run", "light"): "run.png",
    ("queues", "light"): "queues.png",
    ("volumes", "light"): "volumes.png",
    ("cluster", "light"): "cluster.png",
}
LOOKS: dict[str, tuple[Literal["light", "dark"], ViewportSize]] = {
    "light": ("light", {"width": 1280, "height": 800}),
    "dark": ("dark", {"width": 1280, "height": 800}),
    "narrow": ("light", {"width": 360, "height": 800}),
}
"""A page follows both while it is open, so that each is loaded once."""
SCREENS = {
    "home": ("/", "Welcome", "mnist"),
    "activity": ("/activity", "Activity", "Pod mnist-worker-0"),
    "people": ("/manage-users", "People", "Shared with nobody yet."),
    "register": ("/register", "Set up your namespace", "Finish"),
    "account": ("/account", "Account", "this one"),
    "notebooks": ("/jupyter/", "Notebooks", "lab"),
    "new-notebook": ("/jupyter/new", "New notebook", "Workspace volume"),
    "notebook": (f"/jupyter/notebook/details/{DEMO_NAMESPACE}/lab", "lab", "Running"),
    "tensorboards": ("/tensorboards/", "TensorBoards", "curves"),
    "tensorboard": (f"/tensorboards/details/{DEMO_NAMESPACE}/curves", "curves", "pvc://data/logs"),
    "new-tensorboard": ("/tensorboards/new", "New TensorBoard", "Where the logs are"),
    "volumes": ("/volumes/", "Volumes", "data"),
    "new-volume": ("/volumes/new", "New volume", "Storage class"),
    "volume": (f"/volumes/details/{DEMO_NAMESPACE}/data", "data", "Used by"),
    "jobs": ("/jobs/", "Training jobs", "mnist"),
    "new-job": ("/jobs/new", "New training job", "Fits now."),
    "job": (f"/jobs/PyTorchJob/{DEMO_NAMESPACE}/mnist", "mnist", "Worker"),
    "waiting-job": (f"/jobs/TFJob/{DEMO_NAMESPACE}/bert", "bert", "Short"),
    "queues": ("/queues/", "Queues", "default"),
    "queue": ("/queues/default", "default", "bert"),
    "objects": ("/objects/", "All objects", "Pod"),
    "pods": ("/objects/core/v1/pods", "Pod", "mnist-worker-0"),
    "experiments": ("/katib/", "Not here yet", "does not have this part"),
    "endpoints": ("/kserve-endpoints/", "Not here yet", "does not have this part"),
    "pipelines": ("/pipeline/", "Pipelines", "Recurring runs"),
    "runs": ("/pipelines/runs/", "Runs", "squares of 3, 4 and 5"),
    "executions": ("/pipelines/executions/", "Executions", "add"),
    "workflows": ("/pipelines/workflows/", "Workflows", "nightly-report"),
    "workflow": (
        f"/pipelines/workflows/{DEMO_NAMESPACE}/nightly-report?node=root.fit",
        "nightly-report",
        "reads the day",
    ),
    "cron-workflows": ("/pipelines/cron-workflows/", "CronWorkflows", "nightly"),
    "cron-workflow": (f"/pipelines/cron-workflows/{DEMO_NAMESPACE}/nightly?tab=details", "nightly", "0 3 * * *"),
}
"""The path, the title, and something that is only seen once the page has its data."""
PLOTTED = ("job",)
DRAWN = {"queues": "Nodes and gangs over time"}
"""Pictures that come after the rest of their page, by the name of their group."""
STEPS = {"run": "add", "workflow": "fit"}
"""Steps of graphs, which come after the rest of their page, too."""
RULES = {"light": WCAG, "dark": CONTRAST}
"""The elements are the same in all looks: what colours do not change is checked once."""
CUT_OFF = """() => [...document.querySelectorAll("main table")]
  .map((table) => table.parentElement)
  .filter((place) => place.scrollWidth > place.clientWidth && !/auto|scroll/.test(getComputedStyle(place).overflowX))
  .map((place) => place.textContent.slice(0, 80))"""
"""Tables that are wider than their place and cannot be scrolled sideways."""
SQUARES = ROOT / "examples" / "pipelines" / "squares.yaml"
ADMIN_SCREENS = {"cluster": ("/cluster/", "Cluster", "gateway")}
BUSY = """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: mnist}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      restartPolicy: OnFailure
      template:
        spec:
          terminationGracePeriodSeconds: 0
          containers:
          - name: pytorch
            image: python:3.11
            resources: {requests: {cpu: 100m, memory: 64Mi}}
            command: [python, -u, -c]
            args:
            - |
              import time
              for step in range(40):
                  print(f"step={step} loss={2.3 / (1 + step / 6):.3f} accuracy={1 - 0.9 / (1 + step / 5):.3f}")
              print("epoch 1 ends")
              time.sleep(3600)
---
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: bert, annotations: {scheduling.volcano.sh/group-min-member: "6"}}
spec:
  tfReplicaSpecs:
    PS: &replica
      replicas: 2
      template:
        spec:
          schedulerName: volcano
          containers: [{name: tensorflow, image: "python:3.11", resources: {requests: {cpu: "400"}}}]
    Worker: {<<: *replica, replicas: 4}
---
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: resnet, annotations: {scheduling.volcano.sh/group-min-member: "2"}}
spec:
  tfReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          schedulerName: volcano
          terminationGracePeriodSeconds: 0
          containers:
          - name: tensorflow
            image: python:3.11
            resources: {requests: {cpu: 200m, memory: 64Mi}}
            command: [python, -c, "import time; time.sleep(3600)"]
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: tensorboard.kubeflow.org/v1alpha1
kind: Tensorboard
metadata: {name: curves}
spec: {logspath: "pvc://data/logs"}
---
apiVersion: kubeflow.org/v1
kind: Notebook
metadata: {name: lab}
spec:
  template:
    spec:
      containers:
      - name: lab
        image: python:3.11
        command: [python, -m, http.server, "8888"]
        resources: {requests: {cpu: 250m, memory: 512Mi}}
        volumeMounts: [{name: data, mountPath: /home/jovyan}]
      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
---
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: nightly-report}
spec:
  entrypoint: main
  arguments: {parameters: [{name: day, value: monday}]}
  templates:
  - name: main
    dag:
      tasks:
      - {name: load, template: say, arguments: {parameters: [{name: text, value: "reads the day"}]}}
      - {name: fit, template: say, depends: load, arguments: {parameters: [{name: text, value: "reads the day"}]}}
  - name: say
    inputs: {parameters: [{name: text}]}
    container: {image: "python:3.11", command: [python, -c, "print('{{inputs.parameters.text}}')"]}
---
apiVersion: argoproj.io/v1alpha1
kind: CronWorkflow
metadata: {name: nightly}
spec: {schedules: ["0 3 * * *"], workflowSpec: {entrypoint: main, templates: [{name: main, suspend: {}}]}}
"""

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(KUBECTL is None, reason="there is no recent kubectl on the PATH"),
    pytest.mark.timeout(600),
]


@pytest.fixture(scope="module")
def at_work(desk: Desk) -> Iterator[Desk]:
    """A namespace in which something runs and something waits."""
    desk.apply(BUSY)
    desk.kubectl("wait", "--for=condition=Running", "pytorchjob/mnist", "--timeout=120s")
    desk.kubectl("wait", "--for=jsonpath={.status.phase}=Succeeded", "workflow/nightly-report", "--timeout=120s")
    yield desk
    desk.kubectl("delete", "--wait=false", "-f", "-", stdin=BUSY)


@pytest.fixture(scope="module")
def run_id(platform: Platform, at_work: Desk) -> str:
    """A run of a pipeline that has ended."""
    token = platform.windlass("user", "token", at_work.person.email, "--name", "screens").stdout.strip()
    user = PipelinesUser(platform.url, token, at_work.namespace, at_work.person.email)
    pipeline = ok(user.upload(SQUARES.read_bytes(), "squares.yaml", name="sum-of-squares", namespace=user.namespace))
    run = user.post(
        "/runs",
        {
            "display_name": "squares of 3, 4 and 5",
            "experiment_id": user.an_experiment(display_name="numbers")["experiment_id"],
            "pipeline_version_reference": {"pipeline_id": pipeline["pipeline_id"]},
            "runtime_config": {"parameters": {"numbers": [3, 4, 5]}},
        },
    )
    path = f"/runs/{run['run_id']}"
    eventually(lambda: user.get(path)["state"] == "SUCCEEDED", 120, "the run's end")
    return run["run_id"]


def visit(tab: Tab, screens: dict[str, tuple[str, str, str]]) -> None:
    page, main, found = tab.page, tab.page.get_by_role("main"), list[str]()
    for name, (path, title, seen) in screens.items():
        page.goto(path)
        expect(main.get_by_role("heading", level=1)).to_contain_text(title)
        for look, (scheme, size) in LOOKS.items():
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size(size)
            expect(page.locator(f"html[data-scheme={scheme}]")).to_be_attached()
            expect(main.get_by_text(seen).first).to_be_visible()
            if name in PLOTTED:
                expect(main.locator("canvas").first).to_be_visible()
            if name in DRAWN:
                expect(main.get_by_role("group", name=DRAWN[name])).to_be_visible()
            if name in STEPS:
                graph = main.get_by_role("group", name=re.compile("^Graph of"))
                expect(graph.get_by_role("button", name=re.compile(f"^{STEPS[name]}"))).to_be_visible()
            keep(page.screenshot(path=PICTURES / look / f"{name}.png", animations="disabled"), name, look)
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide <= 0, f"{path} is {wide} px wider than the window ({look})"
            assert page.evaluate(CUT_OFF) == [], f"{path} cuts off ({look})"
            if look in RULES:
                found += [f"{name} ({look}): {one}" for one in violations(page, RULES[look])]
    assert found == [], "\n".join(["", *found])


def keep(picture: bytes, name: str, look: str) -> None:
    if DOCS_IMAGES and (name, look) in IN_DOCS:
        (ROOT / DOCS_IMAGES / IN_DOCS[name, look]).write_bytes(picture)


def test_every_screen_is_quiet_and_stays_at_home(at_work: Desk, run_id: str, tab: Tab) -> None:
    run = (f"/pipelines/runs/details/{run_id}?node=root.add", "squares of 3, 4 and 5", "50")
    visit(tab, {**SCREENS, "run": run})

    assert tab.outside == []
    assert tab.errors == []


def test_an_administrator_sees_the_cluster_backs_it_up_and_ends_a_session(
    platform: Platform, at_work: Desk, new_tab: Callable[..., Tab]
) -> None:
    tab, other, admin = new_tab(), new_tab(), administrator(platform, at_work)
    guest = a_person(platform, "guest@example.com")
    other.sign_in(guest, "/queues/")
    heading(other.page, "Queues")
    tab.sign_in(admin, "/cluster/")
    page = tab.page

    visit(tab, ADMIN_SCREENS)
    page.set_viewport_size(LOOKS["light"][1])
    page.get_by_role("button", name="Back up now").click()
    expect(page.get_by_text("Wrote ")).to_be_visible()
    assert [file.stat().st_size > 0 for file in (platform.data_dir / "backups").iterdir()] == [True]
    sessions = card(page, "Open sessions")
    sessions.get_by_role("row").filter(has_text=guest.email).get_by_role("button", name="Revoke").click()
    expect(other.page.get_by_role("dialog", name="Your session has ended")).to_be_visible()
    expect(sessions.get_by_role("row").filter(has_text=guest.email)).to_have_count(0)

    page.get_by_role("button", name=admin.email).click()
    page.get_by_role("menuitemradio", name="中文").click()
    expect(page.get_by_role("heading", level=1, name="集群")).to_be_visible()
    page.reload()
    expect(page.get_by_role("main").get_by_text("gateway").first).to_be_visible()
    assert left_in_english(page) == []
    assert tab.outside == []
    assert tab.errors == []


IN_CHINESE = {
    "home": ("/", "mnist"),
    "activity": ("/activity", "Pod mnist-worker-0"),
    "people": ("/manage-users", DEMO_NAMESPACE),
    "account": ("/account", "kubectl"),
    "notebooks": ("/jupyter/", "lab"),
    "new-notebook": ("/jupyter/new", "CPU"),
    "notebook": (f"/jupyter/notebook/details/{DEMO_NAMESPACE}/lab", "python:3.11"),
    "tensorboards": ("/tensorboards/", "curves"),
    "new-tensorboard": ("/tensorboards/new", "TensorBoard"),
    "volumes": ("/volumes/", "data"),
    "volume": (f"/volumes/details/{DEMO_NAMESPACE}/data", "lab"),
    "jobs": ("/jobs/", "mnist"),
    "new-job": ("/jobs/new", "PyTorch"),
    "job": (f"/jobs/PyTorchJob/{DEMO_NAMESPACE}/mnist", "worker-0"),
    "waiting-job": (f"/jobs/TFJob/{DEMO_NAMESPACE}/bert", "2400"),
    "queues": ("/queues/", "bert"),
    "queue": ("/queues/default", "bert"),
    "pipelines": ("/pipelines/", "sum-of-squares"),
    "compare-jobs": (f"/jobs/compare?jobs=PyTorchJob/{DEMO_NAMESPACE}/mnist,TFJob/{DEMO_NAMESPACE}/bert", "mnist"),
    "runs": ("/pipelines/runs/", "squares of 3, 4 and 5"),
    "workflows": ("/pipelines/workflows/", "nightly-report"),
    "workflow": (f"/pipelines/workflows/{DEMO_NAMESPACE}/nightly-report?tab=details", "monday"),
    "cron-workflows": ("/pipelines/cron-workflows/", "nightly"),
    "cron-workflow": (f"/pipelines/cron-workflows/{DEMO_NAMESPACE}/nightly?tab=details", "0 3 * * *"),
}
"""The path, and something that is only seen once the page has its data."""
DIALOGS = {
    "resize": (f"/volumes/details/{DEMO_NAMESPACE}/data", "扩容"),
    "edit": (f"/jupyter/notebook/details/{DEMO_NAMESPACE}/lab", "编辑"),
    "snapshot": (f"/volumes/details/{DEMO_NAMESPACE}/data", "创建快照"),
}
"""The path, which is another one each time, and the entry of the page's menu that opens the dialog."""
GO = """(path) => {
  document.querySelector("main h1")?.setAttribute("data-left", "");
  history.pushState({}, "", path);
  dispatchEvent(new PopStateEvent("popstate"));
}"""
"""As a link of the page does: nothing is loaded again."""


def test_every_main_page_is_in_chinese(at_work: Desk, run_id: str, new_tab: Callable[..., Tab]) -> None:
    tab = new_tab(locale="zh-CN")
    page, main, found = tab.page, tab.page.get_by_role("main"), list[str]()

    def look(name: str) -> None:
        page.screenshot(path=PICTURES / "chinese" / f"{name}.png", animations="disabled")
        found.extend(f"{name}: {text}" for text in left_in_english(page))

    page.goto("/")
    look("login")
    tab.fill_in(DEMO.email, "not the password")
    expect(page.locator("#login-error")).to_be_visible()
    look("login-refused")
    tab.errors.clear()  # the browser itself notes the refusal
    tab.sign_in(DEMO)
    for name, (path, seen) in IN_CHINESE.items():
        page.evaluate(GO, path)
        expect(main.locator("h1:not([data-left])")).to_be_visible()
        expect(main.get_by_text(seen).first).to_be_visible()
        look(name)
    for name, (path, entry) in DIALOGS.items():
        page.evaluate(GO, path)
        expect(main.locator("h1:not([data-left])")).to_be_visible()
        main.get_by_role("button", name="更多操作").click()
        page.get_by_role("menuitem", name=entry).click()
        expect(page.get_by_role("dialog")).to_be_visible()
        look(name)
        page.keyboard.press("Escape")

    assert found == [], "\n".join(["", *found])
    assert tab.errors == []


def test_a_script_that_is_written_into_a_page_does_not_run(tab: Tab) -> None:
    answer = tab.page.goto("/jobs/")
    assert answer is not None
    parts = [part.split() for part in answer.headers["content-security-policy"].split(";")]
    policy = {name: " ".join(values) for name, *values in parts}
    assert policy["script-src"] == "'self'"
    assert policy["default-src"] == policy["connect-src"] == "'self'"

    written = (
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = true'}))"
    )
    tab.page.evaluate(written)

    assert tab.page.evaluate("window.ran") is None
    assert any("Content Security Policy" in error for error in tab.errors)


def administrator(platform: Platform, desk: Desk) -> Person:
    admin = a_person(platform, "admin@example.com")
    desk.kubectl("create", "clusterrolebinding", "admin", "--clusterrole=cluster-admin", f"--user={admin.email}")
    return admin
