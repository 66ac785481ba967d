"""Volumes by the dashboard: made, browsed, kept while something uses them, deleted by name."""

import hashlib
import os
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browser.tab import Tab
from tests.e2e.dashboard.people import DEMO_NAMESPACE, card, choose, heading, menu, row
from tests.e2e.notebooks.desk import Desk
from tests.support import KUBECTL

FILE_BYTES = 50 << 20
USER = """
apiVersion: kubeflow.org/v1
kind: Notebook
metadata: {name: reader}
spec:
  template:
    spec:
      containers:
      - name: reader
        image: python:3.11
        command: [python, -m, http.server, "8888"]
        volumeMounts: [{name: data, mountPath: /home/jovyan}]
      volumes: [{name: data, persistentVolumeClaim: {claimName: scratch}}]
"""

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(KUBECTL is None, reason="there is no recent kubectl on the PATH"),
    pytest.mark.timeout(600),
]


def checksum(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def test_a_volume_waits_for_its_first_use_is_browsed_and_is_not_deleted_while_used(
    tab: Tab, desk: Desk, tmp_path: Path
) -> None:
    page = tab.page
    menu(page, "Volumes")
    page.get_by_role("button", name="New volume").first.click()
    form = page.get_by_role("form", name="New volume")
    form.get_by_role("textbox", name="Name", exact=True).fill("scratch")
    form.get_by_label("Size").fill("1Gi")
    form.get_by_role("button", name="Create").click()
    heading(page, "scratch")
    menu(page, "Volumes")
    expect(row(page, "scratch")).to_contain_text("Made on first use")

    with page.expect_popup() as popup:
        row(page, "scratch").get_by_role("button", name="Browse files").click()
    expect(popup.value.get_by_text("This folder is empty")).to_be_visible()
    model = tmp_path / "model.bin"
    model.write_bytes(os.urandom(FILE_BYTES))
    popup.value.set_input_files("#files", model)
    entry = popup.value.locator("#rows tr", has_text=model.name)
    expect(entry).to_be_visible()
    expect(popup.value.locator("#uploads li")).to_have_count(0)
    entry.locator(".name a").click()
    with popup.value.expect_download() as download:
        popup.value.locator("#preview .title a").click()
    assert checksum(download.value.path()) == checksum(model)
    popup.value.close()
    expect(row(page, "scratch")).to_contain_text("Ready")
    row(page, "scratch").get_by_role("button", name="Close the file browser").click()

    desk.apply(USER)
    expect(row(page, "scratch").get_by_role("link", name="reader")).to_be_visible()
    more = row(page, "scratch").get_by_role("button", name="More actions")
    more.click()
    delete = page.get_by_role("menuitem", name="Delete")
    expect(delete).to_contain_text("It is in use by Notebook reader.")
    expect(delete).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Escape")

    desk.kubectl("delete", "notebook", "reader")
    expect(row(page, "scratch").get_by_role("link", name="reader")).to_have_count(0)
    more.click()
    delete.click()
    dialog = page.get_by_role("dialog", name="Delete scratch?")
    dialog.get_by_role("textbox").fill("scratch")
    dialog.get_by_role("button", name="Delete", exact=True).click()
    expect(row(page, "scratch")).to_have_count(0)


SHARED = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: models}
spec:
  storageClassName: windlass-shared
  accessModes: [ReadWriteMany]
  resources: {requests: {storage: 1Gi}}
"""


def ask_of(page: Page, action: str) -> None:
    """Choose from the menu of the volume's page."""
    page.get_by_role("main").get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name=action).click()


def test_a_volume_grows_and_volumes_are_made_from_its_snapshot_and_from_itself(tab: Tab, desk: Desk) -> None:
    desk.apply(SHARED)
    page = tab.page
    menu(page, "Volumes")
    row(page, "models").get_by_role("link", name="models", exact=True).click()
    heading(page, "models")

    ask_of(page, "Resize")
    resize = page.get_by_role("dialog", name="Resize models")
    resize.get_by_label("New size").fill("512Mi")
    expect(resize.get_by_text("A volume can only be made larger.").first).to_be_visible()
    resize.get_by_label("New size").fill("2Gi")
    resize.get_by_role("button", name="Resize", exact=True).click()
    expect(page.get_by_text("models is being resized to 2Gi.")).to_be_visible()
    expect(page.get_by_text("2Gi · windlass-shared")).to_be_visible()

    ask_of(page, "Take a snapshot")
    snapshot = page.get_by_role("dialog", name="Take a snapshot")
    snapshot.get_by_label("Name of the snapshot").fill("before")
    snapshot.get_by_role("button", name="Take a snapshot").click()
    taken = card(page, "Snapshots").get_by_role("row", name="before")
    expect(taken).to_contain_text("Ready")

    taken.get_by_role("link", name="New volume from it").click()
    create_volume(page, "restored")
    expect(page.get_by_text("Ready", exact=True).first).to_be_visible()
    assert desk.get("pvc", "restored")["spec"]["dataSource"]["name"] == "before"

    page.goto(f"/volumes/details/{DEMO_NAMESPACE}/models")
    ask_of(page, "Duplicate")
    create_volume(page, "copy")
    expect(page.get_by_text("Ready", exact=True).first).to_be_visible()
    assert desk.get("pvc", "copy")["spec"]["dataSource"]["name"] == "models"


def create_volume(page: Page, name: str) -> None:
    """The form as it was opened, with a name, and large enough for what it is made from."""
    form = page.get_by_role("form", name="New volume")
    form.get_by_role("textbox", name="Name", exact=True).fill(name)
    form.get_by_label("Size").fill("2Gi")
    choose(form, "Storage class", "windlass-shared")
    form.get_by_role("button", name="Create").click()
    heading(page, name)
