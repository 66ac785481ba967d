"""Learning curves of several training jobs over each other, from the list of jobs on."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browser.tab import Tab
from tests.e2e.dashboard.people import DEMO_NAMESPACE, heading, menu, row
from tests.e2e.notebooks.desk import Desk
from tests.support import KUBECTL

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(KUBECTL is None, reason="there is no recent kubectl on the PATH"),
    pytest.mark.timeout(600),
]

JOB = """
apiVersion: kubeflow.org/v1
kind: {kind}
metadata: {{name: {name}}}
spec:
  {replicas}:
    Worker:
      replicas: 1
      template:
        spec:
          containers:
          - name: {container}
            image: python:3.11
            command: [python, -c]
            args: ["for step in range(30): print(f'step={{step}} loss={{{start} / (1 + step):.4f}}')"]
"""
JOBS = {
    "slow": ("PyTorchJob", "pytorchReplicaSpecs", "pytorch", 4),
    "fast": ("TFJob", "tfReplicaSpecs", "tensorflow", 2),
}


@pytest.fixture(scope="module")
def jobs(desk: Desk) -> Iterator[list[str]]:
    """Two jobs of different kinds that have ended, and what they are called in an address."""
    texts = [
        JOB.format(name=name, kind=kind, replicas=replicas, container=container, start=start)
        for name, (kind, replicas, container, start) in JOBS.items()
    ]
    desk.kubectl("apply", "-f", "-", stdin="---".join(texts))
    words = [f"{kind.lower()}/{name}" for name, (kind, *_) in JOBS.items()]
    desk.kubectl("wait", "--for=condition=Succeeded", *words, "--timeout=110s")
    yield [f"{kind}/{DEMO_NAMESPACE}/{name}" for name, (kind, *_) in JOBS.items()]
    desk.kubectl("delete", *words, "--wait=false")


def legend(page: Page) -> list[str]:
    """What is drawn in the plot of the loss: a line each, with its last value."""
    plot = page.get_by_role("figure", name="Plot of loss")
    expect(plot.locator("canvas")).to_be_visible()
    return [" ".join(text.split()) for text in plot.get_by_role("listitem").all_inner_texts()]


def test_the_curves_of_chosen_jobs_are_drawn_over_each_other(tab: Tab, jobs: list[str]) -> None:
    page = tab.page
    menu(page, "Training jobs")
    expect(page.get_by_role("button", name="Compare: Choose 2 to 8 jobs.")).to_be_visible()
    for name in JOBS:
        row(page, name).get_by_role("checkbox", name=f"Compare {name}").check()
    page.get_by_role("button", name="Compare 2 jobs").click()

    heading(page, "Compare jobs")
    assert legend(page) == ["slow 0.1333", "fast 0.0667"]
    assert all(job in page.evaluate("decodeURIComponent(location.search)") for job in jobs)
    assert tab.errors == []


def test_a_link_shows_the_same_comparison(tab: Tab, jobs: list[str]) -> None:
    page = tab.page
    page.goto(f"/jobs/compare?jobs={','.join(jobs)}&hide=loss%2F{jobs[0]}%2Flog%2F&log=yes")

    assert legend(page) == ["slow 0.1333", "fast 0.0667"]
    lines = page.get_by_role("figure", name="Plot of loss").get_by_role("listitem").get_by_role("button")
    expect(lines.nth(0)).to_have_attribute("aria-pressed", "false")
    expect(lines.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("checkbox", name="Log axis")).to_be_checked()
    table = page.get_by_role("table", name="Training jobs")
    expect(table.get_by_role("row").nth(1)).to_contain_text("Succeeded")
    table.get_by_role("button", name="Leave fast out").click()
    expect(page.get_by_text("Choose at least two jobs")).to_be_visible()
