"""A real JupyterLab in a real browser, through the gateway: a cell, a terminal, and a second person."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import expect

from tests.e2e.browser.limits import NOTEBOOK_SECONDS, within
from tests.e2e.browser.tab import Tab
from tests.e2e.notebooks.desk import Desk, desk_of_a_profile
from tests.e2e.notebooks.test_jupyter import IMAGE, NOTEBOOK
from tests.gateway.browser import Person, a_person
from tests.gateway.platform import Platform
from tests.support import KUBECTL

OUTPUT_WITHIN_SECONDS = 3
PYTHON = (
    'python -c \'import kubernetes, os, pwd; print(*["as", pwd.getpwuid(os.getuid())[0], "in", os.environ["HOME"]])\''
)

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(KUBECTL is None, reason="there is no recent kubectl on the PATH"),
    pytest.mark.timeout(600),
]


@pytest.fixture(scope="module")
def lab(platform: Platform, pulled: Callable[[str], None]) -> Iterator[Desk]:
    pulled(IMAGE)
    with desk_of_a_profile(platform) as desk:
        desk.apply(NOTEBOOK % IMAGE)
        yield desk


def path_of(lab: Desk) -> str:
    return f"/notebook/{lab.namespace}/lab/lab"


def card(tab: Tab, title: str) -> None:
    """Choose a card of the launcher; while the server starts, the page of the gateway tries again by itself."""
    tab.page.locator(f".jp-LauncherCard[title='{title}']").first.click()


def typed_in_terminal(tab: Tab, command: str, expected: str) -> bool:
    """Type a command and see whether its output appears; a terminal that just opened may lose what is typed."""
    tab.page.locator(".jp-Terminal .xterm-screen").click()
    tab.page.keyboard.type(f"{command}\n")
    tab.page.wait_for_timeout(OUTPUT_WITHIN_SECONDS * 1000)
    return re.search(expected, tab.received) is not None


def test_a_person_runs_a_cell_and_kubectl_in_a_terminal(lab: Desk, tab: Tab) -> None:
    page = tab.page
    with within(NOTEBOOK_SECONDS, "a notebook that has just been made, a cell and a terminal"):
        tab.sign_in(lab.person, path_of(lab))

        card(tab, "Python 3 (ipykernel)")
        expect(page.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible()
        page.locator(".jp-Notebook .jp-Cell .cm-content").first.click()
        page.keyboard.type("1+1")
        page.keyboard.press("Shift+Enter")
        expect(page.locator(".jp-OutputArea-executeResult .jp-OutputArea-output")).to_have_text("2")

        page.locator(".lm-DockPanel .lm-TabBar-addButton:visible").first.click()
        card(tab, "Start a new terminal session")
        tab.until(lambda: "$" in tab.received, "the prompt of the shell")
        tab.until(
            lambda: typed_in_terminal(tab, "kubectl get pods", r"lab-0 +1/1 +Running"), "the terminal lists its own pod"
        )
        tab.until(
            lambda: typed_in_terminal(tab, PYTHON, r"as jovyan in /home/jovyan"), "the terminal has the server's Python"
        )

    assert tab.outside == []
    assert [error for error in tab.errors if "503" not in error] == []


def share(lab: Desk, person: Person, role: str) -> None:
    """As the page of contributors does it."""
    url = f"{lab.browser.url}/api/workgroup/add-contributor/{lab.namespace}"
    answer = lab.browser.session.post(url, json={"contributor": person.email, "role": role}, timeout=60)
    assert answer.status_code == 200, answer.text


def unshare(lab: Desk, person: Person, role: str) -> None:
    """By Kubeflow's access management API."""
    subject, role_ref = {"kind": "User", "name": person.email}, {"kind": "ClusterRole", "name": role}
    binding = {"user": subject, "referredNamespace": lab.namespace, "RoleRef": role_ref}
    answer = lab.browser.session.delete(f"{lab.browser.url}/kfam/v1/bindings", json=binding, timeout=60)
    assert answer.status_code == 200, answer.text


def test_a_second_person_enters_as_contributor_and_is_shown_out_when_removed(
    lab: Desk, platform: Platform, tab: Tab, new_tab: Callable[[], Tab]
) -> None:
    tab.sign_in(lab.person, path_of(lab))
    expect(tab.page.locator("#jp-main-dock-panel")).to_be_visible()
    other, colleague = new_tab(), a_person(platform, "colleague@example.com")
    share(lab, colleague, "view")
    other.sign_in(colleague)
    assert other.status(path_of(lab)) == 403

    share(lab, colleague, "edit")
    other.until(lambda: other.status(path_of(lab)) == 200, "the right is seen")
    expect(other.page.locator("#jp-main-dock-panel")).to_be_visible()
    other.until(lambda: any(not one.is_closed() for one in other.sockets), "a WebSocket is open")

    unshare(lab, colleague, "edit")
    other.until(lambda: all(one.is_closed() for one in other.sockets), "the WebSockets are closed")
    assert other.status(path_of(lab)) == 403
    assert any(not one.is_closed() for one in tab.sockets)  # the owner stays
