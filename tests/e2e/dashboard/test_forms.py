"""Forms and YAML of the same object: edits of one are in the other, and what the form has no field for is kept."""

import json
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.browser.tab import Tab
from tests.e2e.dashboard.people import heading
from tests.e2e.notebooks.desk import Desk
from tests.support import KUBECTL

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(KUBECTL is None, reason="there is no recent kubectl on the PATH"),
    pytest.mark.timeout(600),
]


def show(page: Page, look: str) -> None:
    """Choose between Form and YAML; the radio buttons themselves are not drawn."""
    page.get_by_role("radiogroup", name="Edit as").get_by_text(look, exact=True).click()


def end_of(page: Page, text: str) -> None:
    """Put the cursor at the end of a line of the editor."""
    page.locator(".cm-line", has_text=text).first.click()
    page.keyboard.press("End")


def replace_end(page: Page, line: str, old: str, new: str) -> None:
    end_of(page, line)
    for _ in old:
        page.keyboard.press("Backspace")
    page.keyboard.insert_text(new)


def field(form: Locator, name: str) -> Locator:
    return form.get_by_role("textbox", name=name, exact=True)


def made(desk: Desk, kind: str, name: str) -> dict[str, Any]:
    return json.loads(desk.kubectl("get", kind, name, "-o", "json"))


def test_a_notebook_is_made_from_a_form_and_from_yaml(tab: Tab, desk: Desk) -> None:
    page = tab.page
    page.goto("/jupyter/new")
    form = page.get_by_role("form", name="New notebook")
    field(form, "Name").fill("by-yaml")
    form.get_by_text("Use another image").click()
    form.get_by_label("Image, with its registry and tag").fill("python:3.11")

    show(page, "YAML")
    expect(page.locator(".cm-content")).to_contain_text("image: python:3.11")
    end_of(page, "image: python:3.11")
    page.keyboard.press("Enter")
    page.keyboard.insert_text('command: [python, -m, http.server, "8888"]')
    end_of(page, "serviceAccountName: default-editor")
    page.keyboard.press("Enter")
    page.keyboard.type("terminationG")  # completed by the schema
    page.get_by_role("option", name="terminationGracePeriodSeconds").click()
    page.keyboard.insert_text("5")
    page.keyboard.press("Enter")
    page.keyboard.insert_text("hostnam: lab")
    page.locator(".cm-lint-marker-warning").hover()
    expect(page.get_by_text("Unknown field “hostnam”. Is it “hostname”?")).to_be_visible()

    page.keyboard.insert_text(": [")
    expect(form.get_by_role("alert")).to_contain_text("Line 14 of the YAML cannot be read")
    expect(form.get_by_role("button", name="Launch: ")).to_have_attribute("aria-disabled", "true")
    show(page, "Form")
    expect(field(form, "Name")).to_have_value("by-yaml")
    form.get_by_role("button", name="Go back to that text").click()

    field(form, "Size").first.fill("1Gi")
    show(page, "YAML")
    replace_end(page, "hostnam: lab", "hostnam: lab", "hostname: lab")
    expect(form.get_by_text("The YAML says more than the form")).to_be_visible()
    form.get_by_role("button", name="Launch").click()

    heading(page, "by-yaml")
    expect(page.get_by_role("main").get_by_text("Running", exact=True).first).to_be_visible()
    pod = made(desk, "notebook", "by-yaml")["spec"]["template"]["spec"]
    assert (pod["terminationGracePeriodSeconds"], pod["hostname"]) == (5, "lab")
    assert pod["containers"][0]["command"] == ["python", "-m", "http.server", "8888"]
    assert made(desk, "pvc", "by-yaml-workspace")["spec"]["resources"]["requests"]["storage"] == "1Gi"
    desk.kubectl("delete", "notebook/by-yaml", "pvc/by-yaml-workspace", "--wait=false")


def test_a_volume_keeps_what_its_yaml_says_beside_the_form(tab: Tab, desk: Desk) -> None:
    page = tab.page
    page.goto("/volumes/new?as=yaml")
    form = page.get_by_role("form", name="New volume")
    end_of(page, 'name: ""')
    page.keyboard.press("Enter")
    page.keyboard.insert_text("labels: {team: vision} # ours")
    replace_end(page, "storage: 10Gi", "10Gi", "2Gi")

    show(page, "Form")
    expect(field(form, "Size")).to_have_value("2Gi")
    field(form, "Name").fill("Labelled")
    form.get_by_role("button", name="Create").click()
    expect(form.get_by_text("Lower-case letters, digits, “-” and “.”.")).to_be_visible()
    field(form, "Name").fill("labelled")
    show(page, "YAML")
    expect(page.locator(".cm-content")).to_contain_text("name: labelled")
    expect(page.locator(".cm-content")).to_contain_text("# ours")
    form.get_by_role("button", name="Create").click()

    heading(page, "labelled")
    claim = made(desk, "pvc", "labelled")
    assert claim["metadata"]["labels"] == {"team": "vision"}
    assert claim["spec"]["resources"]["requests"]["storage"] == "2Gi"
    desk.kubectl("delete", "pvc/labelled", "--wait=false")


def test_a_custom_resource_is_made_by_the_form_of_its_schema(tab: Tab, desk: Desk) -> None:
    page = tab.page
    page.goto("/objects/kubeflow.org/v1alpha1/poddefaults/new")
    main = page.get_by_role("main")
    main.get_by_role("textbox", name="Name", exact=True).fill("from-schema")
    main.get_by_role("textbox", name="desc", exact=True).fill("Made by its schema")
    main.get_by_role("textbox", name="matchLabels", exact=True).fill("team=vision")

    expect(page.locator(".cm-content")).to_contain_text("team: vision")
    end_of(page, "desc: Made by its schema")
    page.keyboard.insert_text(", and by hand")
    expect(main.get_by_role("textbox", name="desc", exact=True)).to_have_value("Made by its schema, and by hand")
    main.get_by_role("button", name="Create").click()

    heading(page, "from-schema")
    spec = made(desk, "poddefault", "from-schema")["spec"]
    assert spec["desc"] == "Made by its schema, and by hand"
    assert spec["selector"] == {"matchLabels": {"team": "vision"}}
    desk.kubectl("delete", "poddefault/from-schema", "--wait=false")
