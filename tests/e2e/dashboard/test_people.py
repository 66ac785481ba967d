"""A person's way in, their namespace, with whom they share it, and their session."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browser.limits import HOME_SECONDS, NAMESPACE_SECONDS, within
from tests.e2e.browser.tab import Tab
from tests.e2e.dashboard.conftest import PlatformWithPlugin
from tests.e2e.dashboard.people import DEMO, DEMO_NAMESPACE, card, heading, menu
from tests.gateway.browser import a_person
from tests.gateway.platform import Platform
from tests.support import KUBECTL

pytestmark = pytest.mark.timeout(600)


def test_signing_in_leads_home_with_the_own_namespace_selected(
    platform: PlatformWithPlugin, new_tab: Callable[..., Tab]
) -> None:
    assert DEMO.email in platform.output
    tab = new_tab()

    with within(HOME_SECONDS, "from the command to the home page", already=platform.up_seconds):
        tab.sign_in(DEMO)
        heading(tab.page, "Welcome, user")
        namespaces = tab.page.get_by_role("banner").get_by_role("button", name="Namespace")
        expect(namespaces).to_contain_text(f"{DEMO_NAMESPACE} (Owner)")

    expect(card(tab.page, "Running now")).to_be_visible()
    expect(card(tab.page, "Capacity")).to_be_visible()
    assert tab.errors == tab.outside == []


def test_a_new_user_sets_up_a_namespace_and_uses_it_with_kubectl(
    platform: Platform, new_tab: Callable[..., Tab], tmp_path: Path
) -> None:
    tab, carol = new_tab(), a_person(platform, "carol@example.com")
    tab.sign_in(carol)
    heading(tab.page, "You have no namespace yet")

    tab.page.get_by_role("link", name="Set up my namespace").click()
    name = tab.page.get_by_label("Name of the namespace")
    expect(name).to_have_value("carol")
    name.fill("Carol!")
    expect(tab.page.get_by_text("start and end with a letter or digit")).to_be_visible()
    name.fill("carol")
    with within(NAMESPACE_SECONDS, "a namespace of one's own"):
        tab.page.get_by_role("button", name="Finish").click()
        expect(tab.page.get_by_role("banner").get_by_role("button", name="Namespace")).to_contain_text("carol (Owner)")
    expect(card(tab.page, "Running now")).to_be_visible()

    tab.page.get_by_role("button", name=carol.email).click()
    tab.page.get_by_role("menuitem", name="Account").click()
    with tab.page.expect_download() as download:
        card(tab.page, "kubectl").get_by_role("link", name="Download").click()
    if KUBECTL is None:
        pytest.skip("there is no recent kubectl on the PATH")
    kubeconfig = tmp_path / "kubeconfig"
    download.value.save_as(kubeconfig)
    argv = [KUBECTL, "--kubeconfig", str(kubeconfig), "get", "notebooks"]
    listed = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert "No resources found in carol namespace." in listed.stderr
    secret = subprocess.run([*argv, "-n", DEMO_NAMESPACE], capture_output=True, text=True, timeout=60, check=False)
    assert "forbidden" in secret.stderr.lower()


def test_a_session_that_ends_is_renewed_in_a_small_window_and_the_page_goes_on(
    tab: Tab, new_tab: Callable[..., Tab]
) -> None:
    page = tab.page
    menu(page, "People")
    page.get_by_label("E-mail address").fill("half-typed@exam")
    elsewhere = new_tab()
    elsewhere.sign_in(DEMO, "/account")
    ends = card(elsewhere.page, "Sessions").get_by_role("button", name="End")
    expect(ends.first).to_be_visible()
    while left := ends.count():
        ends.first.click()
        expect(ends).to_have_count(left - 1)

    dialog = page.get_by_role("dialog", name="Your session has ended")
    expect(dialog).to_be_visible()
    with page.expect_popup() as popup:
        dialog.get_by_role("button", name="Sign in").click()
    window = Tab(popup.value, tab.url)
    window.fill_in(DEMO.email, DEMO.password)

    expect(dialog).to_be_hidden()
    expect(page.get_by_label("E-mail address")).to_have_value("half-typed@exam")
    menu(page, "Home")
    expect(card(page, "Running now")).to_be_visible()


WRITER = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "writer"},
    "spec": {
        "restartPolicy": "Never",
        "containers": [
            {
                "name": "main",
                "image": "python:3.11",
                "command": ["sh", "-c", "echo kept > /data/model.txt"],
                "volumeMounts": [{"name": "data", "mountPath": "/data"}],
            }
        ],
        "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
    },
}
CLAIM = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "data"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
}


def delete_profile(page: Page, name: str) -> None:
    card(page, f"Contributors of {name}").get_by_role("button", name="Delete this namespace").click()
    dialog = page.get_by_role("dialog", name="Delete this namespace")
    expect(dialog).to_contain_text("can be restored for 24 hours")
    refused = dialog.get_by_role("button", name=f"Delete: Type {name} to confirm")
    expect(refused).to_have_attribute("aria-disabled", "true")
    dialog.get_by_role("textbox", name=f"Type {name} to confirm").fill(name)
    dialog.get_by_role("button", name="Delete", exact=True).click()
    expect(card(page, "Recycle bin")).to_contain_text(name)
    expect(card(page, f"Contributors of {name}")).to_be_hidden()


def kept_files(platform: Platform) -> list[Path]:
    """What pods have written to volumes, on disk."""
    return list((platform.data_dir / "volumes").rglob("model.txt"))


def test_a_profile_is_deleted_by_typing_its_name_restored_and_purged(
    platform: Platform, new_tab: Callable[..., Tab]
) -> None:
    tab, dora = new_tab(), a_person(platform, "dora@example.com")
    done = platform.windlass("profile", "create", "dora", "--owner", dora.email)
    assert done.returncode == 0, done.stderr
    tab.sign_in(dora, "/manage-users")
    page, core = tab.page, "/api/v1/namespaces/dora"
    note = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "note"}, "data": {"text": "kept"}}
    platform.api.create(f"{core}/configmaps", note)
    platform.api.create(f"{core}/persistentvolumeclaims", CLAIM)
    platform.api.create(f"{core}/pods", WRITER)
    tab.until(lambda: kept_files(platform), "the pod has written to its volume")

    delete_profile(page, "dora")
    bin_card = card(page, "Recycle bin")
    bin_card.get_by_role("button", name="Restore").click()

    expect(card(page, "Contributors of dora")).to_be_visible()
    expect(bin_card).to_be_hidden()
    assert platform.api.get(f"{core}/configmaps/note")["data"] == {"text": "kept"}
    assert [file.read_text() for file in kept_files(platform)] == ["kept\n"]

    delete_profile(page, "dora")
    assert kept_files(platform)  # until the bin is emptied
    done = platform.windlass("profile", "purge", "dora")
    assert done.returncode == 0, done.stderr
    tab.until(lambda: not kept_files(platform), "the volume is gone from the disk")
    tab.until(lambda: "dora" not in namespaces(platform), "the namespace is gone")


def namespaces(platform: Platform) -> list[str]:
    return [one["metadata"]["name"] for one in platform.api.get("/api/v1/namespaces")["items"]]


def test_a_view_that_is_forbidden_says_so_and_the_menu_does_not_offer_it(tab: Tab) -> None:
    page = tab.page
    expect(page.get_by_role("navigation").get_by_role("link", name="Cluster", exact=True)).to_have_count(0)

    page.goto("/cluster/")

    expect(page.get_by_text("is not a cluster administrator")).to_be_visible()
    page.goto("/objects/core/v1/pods?ns=kube-system")
    expect(page.get_by_text("You do not have access to this page")).to_be_visible()
    expect(page.get_by_text("cannot list")).to_be_visible()
