"""TensorBoard and the file browser in a real browser, and what a colleague may do who can only view."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.browser.tab import Tab
from tests.e2e.notebooks.desk import Desk
from tests.e2e.notebooks.test_tensorboard import BOARD, CLAIM, VIEWER, WRITER
from tests.e2e.notebooks.test_tensorboard import IMAGE as TENSORBOARD_IMAGE
from tests.gateway.browser import a_person
from tests.gateway.platform import Platform
from tests.support import KUBECTL

FILE_BYTES = 20 << 20
"""More than two of the pieces in which the page uploads."""

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(KUBECTL is None, reason="there is no recent kubectl on the PATH"),
    pytest.mark.timeout(600),
]


def test_tensorboard_shows_a_run_that_a_pod_wrote(desk: Desk, tab: Tab, pulled: Callable[[str], None]) -> None:
    pulled(TENSORBOARD_IMAGE)
    desk.apply(CLAIM, WRITER)
    desk.kubectl("wait", "--for=condition=Complete", "job/writer", "--timeout=120s")
    desk.apply(BOARD)
    desk.until_ready("tensorboard", "board")

    tab.sign_in(desk.person, f"/tensorboard/{desk.namespace}/board/")

    expect(tab.page.locator("scalar-card, tb-scalar-card, card-view").filter(has_text="loss").first).to_be_visible()
    expect(tab.page.locator("line-chart").first).to_be_visible()
    assert tab.outside == []


def test_files_are_uploaded_and_downloaded_unchanged_and_a_viewer_only_reads(
    desk: Desk, platform: Platform, tab: Tab, new_tab: Callable[[], Tab], tmp_path: Path
) -> None:
    desk.apply(CLAIM, VIEWER)
    desk.until_ready("pvcviewer", "logs")
    path = desk.get("pvcviewer", "logs")["status"]["url"]
    data = tmp_path / "model.bin"
    data.write_bytes(os.urandom(FILE_BYTES))

    tab.sign_in(desk.person, path)
    expect(tab.page.get_by_text("This folder is empty")).to_be_visible()
    tab.page.set_input_files("#files", data)
    row = tab.page.locator("#rows tr", has_text=data.name)
    expect(row).to_be_visible()
    expect(tab.page.locator("#uploads li")).to_have_count(0)
    assert downloaded(tab, row_name=data.name) == hashlib.sha256(data.read_bytes()).hexdigest()

    colleague, other = a_person(platform, "files-reader@example.com"), new_tab()
    desk.kubectl("create", "rolebinding", "reader", "--clusterrole=kubeflow-view", f"--user={colleague.email}")
    other.sign_in(colleague, path)

    expect(other.page.locator("#rows tr", has_text=data.name)).to_be_visible()
    expect(other.page.locator("#upload")).to_be_hidden()
    expect(other.page.get_by_role("button", name="Rename")).to_have_count(0)
    assert downloaded(other, row_name=data.name) == hashlib.sha256(data.read_bytes()).hexdigest()
    refused = other.page.evaluate(
        """async () => (await fetch("api/delete", {method: "POST", body: '{"paths": ["model.bin"]}',
            headers: {"content-type": "application/json", "x-windlass-may-write": "true"}})).status"""
    )
    assert refused == 403
    assert tab.outside == other.outside == []


def downloaded(tab: Tab, row_name: str) -> str:
    """The checksum of a file, downloaded from its preview."""
    tab.page.locator("#rows tr", has_text=row_name).locator(".name a").click()
    with tab.page.expect_download() as download:
        tab.page.locator("#preview .title a").click()
    return hashlib.sha256(download.value.path().read_bytes()).hexdigest()
