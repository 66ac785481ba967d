"""Plain Argo Workflows by the dashboard: made by kubectl, watched, read without their pods, ended, started again."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.e2e.browser.tab import Tab
from tests.e2e.dashboard.graph_page import act, state, step
from tests.e2e.dashboard.people import DEMO_NAMESPACE, heading, menu, row
from tests.e2e.notebooks.desk import Desk
from tests.support import KUBECTL

GATED = """
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: gated}
spec:
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: load, template: load}
      - {name: gate, template: gate, dependencies: [load]}
  - name: load
    container: {image: python:3.11, command: [python, -c, "print('loaded 42 rows')"]}
  - name: gate
    container:
      image: python:3.11
      command: [python, -c]
      args:
      - "import os, sys; gate = os.environ.get('GATE', 'closed'); print('the gate is', gate); sys.exit(gate != 'open')"
      env: [{name: GATE, valueFrom: {configMapKeyRef: {name: gated, key: gate, optional: true}}}]
"""
OPEN_GATE = """
apiVersion: v1
kind: ConfigMap
metadata: {name: gated}
data: {gate: open}
"""
ENDLESS = """
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: endless}
spec:
  entrypoint: main
  templates:
  - name: main
    container:
      image: python:3.11
      command: [python, -u, -c]
      args: ["import itertools, time; [print('line', n) or time.sleep(0.2) for n in itertools.count()]"]
"""
APPROVAL = """
apiVersion: argoproj.io/v1alpha1
kind: CronWorkflow
metadata: {name: releases}
spec:
  schedules: ["0 3 1 1 *"]
  workflowSpec:
    entrypoint: main
    templates:
    - name: main
      steps:
      - - {name: approve, template: approve}
      - - {name: deploy, template: deploy}
    - {name: approve, suspend: {}}
    - name: deploy
      container: {image: python:3.11, command: [python, -c, "print('deployed')"]}
"""

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(KUBECTL is None, reason="there is no recent kubectl on the PATH"),
    pytest.mark.timeout(600),
]


@pytest.fixture(autouse=True)
def clean(desk: Desk) -> Iterator[None]:
    yield
    desk.kubectl("delete", "workflows,cronworkflows", "--all", "--wait=false")
    desk.kubectl("delete", "configmap", "gated", "--ignore-not-found")


def test_a_workflow_of_kubectl_is_watched_read_without_its_pods_retried_and_resubmitted(tab: Tab, desk: Desk) -> None:
    page = tab.page
    menu(page, "Pipelines")
    page.get_by_role("navigation", name="Parts of pipelines").get_by_role("link", name="Workflows").click()
    heading(page, "Workflows")
    desk.kubectl("create", "-f", "-", stdin=GATED)
    expect(row(page, "gated")).to_contain_text("Failed")
    expect(row(page, "gated")).to_contain_text("1/2")

    row(page, "gated").get_by_role("link", name="gated").click()
    heading(page, "gated")
    expect(page.get_by_text("The step gate failed.")).to_be_visible()
    page.get_by_role("button", name="Open its logs").click()
    expect(page.get_by_text("the gate is closed", exact=True)).to_be_visible()

    desk.kubectl("delete", "pods", "-l", "workflows.argoproj.io/workflow=gated")
    step(page, "load").click()
    expect(page.get_by_text("loaded 42 rows")).to_be_visible()
    page.get_by_role("tab", name="Pod", exact=True).click()
    expect(page.get_by_text("The pod has been deleted. Its log is kept.")).to_be_visible()

    desk.apply(OPEN_GATE)
    page.get_by_role("button", name="Retry").click()
    expect(page.get_by_text("gated runs again; steps that succeeded are kept.")).to_be_visible()
    state(page, "Succeeded")
    page.get_by_role("button", name="Resubmit").click()
    expect(page.get_by_role("heading", level=1, name=re.compile("^gated-"))).to_be_visible()
    state(page, "Succeeded")
    page.get_by_role("tab", name="Details").click()
    page.get_by_role("main").get_by_role("link", name="gated", exact=True).click()
    heading(page, "gated")
    assert tab.errors == []


def test_a_workflow_is_followed_suspended_resumed_stopped_and_deleted(tab: Tab, desk: Desk) -> None:
    page = tab.page
    desk.kubectl("create", "-f", "-", stdin=ENDLESS)
    page.goto(f"/pipelines/workflows/{DEMO_NAMESPACE}/endless")
    state(page, "Running")
    step(page, "main").click()
    page.get_by_role("tab", name="Logs").click()
    expect(page.get_by_text("line 2", exact=True)).to_be_visible()
    expect(page.get_by_text("line 8", exact=True)).to_be_visible()

    act(page, "Suspend")
    state(page, "Suspended")
    page.get_by_role("button", name="Resume").click()
    state(page, "Running")
    page.get_by_role("button", name="Stop").click()
    state(page, "Failed")
    act(page, "Delete")
    heading(page, "Workflows")
    expect(row(page, "endless")).to_have_count(0)
    page.goto(f"/pipelines/workflows/{DEMO_NAMESPACE}/endless")
    expect(page.get_by_text("There is no such Workflow.", exact=False)).to_be_visible()
    assert tab.errors == []


def test_a_schedule_is_started_by_hand_and_its_workflow_waits_for_a_person(tab: Tab, desk: Desk) -> None:
    page = tab.page
    desk.apply(APPROVAL)
    page.goto(f"/pipelines/workflows/?ns={DEMO_NAMESPACE}")
    page.get_by_text("CronWorkflows", exact=True).click()
    heading(page, "CronWorkflows")
    expect(row(page, "releases")).to_contain_text("Active")
    row(page, "releases").get_by_role("link", name="releases").click()
    heading(page, "releases")

    act(page, "Start now")
    expect(page.get_by_role("heading", level=1, name=re.compile("^releases-"))).to_be_visible()
    expect(page.get_by_text("Waits at approve until it is resumed.")).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    state(page, "Succeeded")
    page.get_by_role("tab", name="Details").click()
    page.get_by_role("main").get_by_role("link", name="releases", exact=True).click()
    heading(page, "releases")
    expect(page.get_by_role("row").filter(has_text="Succeeded")).to_be_visible()

    page.get_by_role("button", name="Suspend").click()
    state(page, "Suspended")
    act(page, "Delete")
    heading(page, "CronWorkflows")
    expect(row(page, "releases")).to_have_count(0)
    assert tab.errors == []
