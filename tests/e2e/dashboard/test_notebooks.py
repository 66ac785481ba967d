"""Notebooks by the dashboard: from the form to JupyterLab, stopped, started, shared, and what goes wrong."""

from collections.abc import Callable

import pytest
import requests
from playwright.sync_api import Locator, Page, WebSocket, expect

from tests.e2e.browser.limits import NOTEBOOK_SECONDS, within
from tests.e2e.browser.tab import Tab
from tests.e2e.dashboard.people import DEMO, DEMO_NAMESPACE, card, choose, heading, menu
from tests.e2e.notebooks.desk import Desk
from tests.e2e.notebooks.test_documents_walk import TRAIN
from tests.e2e.notebooks.test_jupyter import IMAGE
from tests.e2e.notebooks.test_tensorboard import IMAGE as TENSORBOARD_IMAGE
from tests.gateway.browser import Person, a_person
from tests.gateway.platform import Platform
from tests.support import KUBECTL

NARROW = 360
MOST_TABS = 40
TYPO = "registry.example/data-sciense:1.0"
CLASH = """
apiVersion: kubeflow.org/v1alpha1
kind: PodDefault
metadata: {name: %s}
spec:
  desc: %s
  selector: {matchLabels: {%s: "true"}}
  env: [{name: TRACKING_URL, value: %s}]
"""

pytestmark = [
    pytest.mark.kubectl,
    pytest.mark.skipif(KUBECTL is None, reason="there is no recent kubectl on the PATH"),
    pytest.mark.timeout(600),
]


def fill_in(page: Page, name: str) -> Locator:
    """The form of a new notebook, small enough for any machine."""
    menu(page, "Notebooks")
    page.get_by_role("button", name="New notebook").first.click()
    form = page.get_by_role("form", name="New notebook")
    form.get_by_role("textbox", name="Name", exact=True).fill(name)
    return form


def use_image(form: Locator, image: str) -> None:
    form.get_by_text("Use another image").click()
    form.get_by_label("Image, with its registry and tag").fill(image)


def launch(form: Locator) -> None:
    form.get_by_role("button", name="Launch").click()


def state(page: Page, word: str) -> None:
    """What the notebook's page says beside its name."""
    expect(page.get_by_role("main").get_by_text(word, exact=True).first).to_be_visible()


def assert_made_before(desk: Desk, kind: str, name: str) -> None:
    """The tests of this file are one story: some begin where the first has ended."""
    made = desk.kubectl("get", kind, "-o", "name").split()
    assert any(one.endswith(f"/{name}") for one in made), f"the first test of this file makes {kind} {name}"


def test_a_notebook_is_launched_connected_stopped_and_started(
    tab: Tab, desk: Desk, pulled: Callable[[str], None]
) -> None:
    pulled(IMAGE)
    page = tab.page
    with within(NOTEBOOK_SECONDS, "from the form of a notebook to JupyterLab"):
        form = fill_in(page, "first")
        use_image(form, IMAGE)
        expect(page.get_by_text("It fits now")).to_be_visible()
        launch(form)

        heading(page, "first")
        state(page, "Running")
        with page.expect_popup() as popup:
            page.get_by_role("link", name="Connect").click()
        expect(popup.value.locator("#jp-main-dock-panel")).to_be_visible()
    popup.value.close()
    desk.kubectl("exec", "first-0", "--", "sh", "-c", "echo kept > ~/note.txt")

    page.get_by_role("button", name="Stop").click()
    dialog = page.get_by_role("dialog", name="Stop first?")
    expect(dialog).to_contain_text("What is saved on first-workspace stays.")
    dialog.get_by_role("button", name="Stop").click()
    state(page, "Stopped")
    page.get_by_role("button", name="Start").click()
    state(page, "Running")
    assert desk.kubectl("exec", "first-0", "--", "sh", "-c", "cat ~/note.txt") == "kept\n"
    assert tab.outside == []


SERVER = """
apiVersion: kubeflow.org/v1
kind: Notebook
metadata: {name: edited}
spec:
  template:
    spec:
      containers:
      - name: edited
        image: python:3.11
        command: [python, -m, http.server, "8888"]
        resources: {requests: {cpu: 100m, memory: 64Mi}}
"""


def edit(page: Page) -> Locator:
    page.get_by_role("main").get_by_role("button", name="More actions").click()
    page.get_by_role("menuitem", name="Edit").click()
    return page.get_by_role("dialog", name="Edit edited")


def asked_by_pod(desk: Desk) -> dict[str, str]:
    """What the running server was given; nothing while there is none."""
    pods = [pod for pod in desk.find("pods", **{"notebook-name": "edited"}) if pod["status"]["phase"] == "Running"]
    return pods[0]["spec"]["containers"][0]["resources"]["requests"] if pods else {}


def test_a_notebook_is_edited_with_a_warning_while_it_runs_and_without_one_while_it_is_stopped(
    tab: Tab, desk: Desk
) -> None:
    desk.apply(SERVER)
    page = tab.page
    page.goto(f"/jupyter/notebook/details/{DEMO_NAMESPACE}/edited")
    state(page, "Running")

    dialog = edit(page)
    expect(dialog).to_contain_text("Saving restarts the server: kernels and terminals end, files on volumes stay.")
    dialog.get_by_label("CPU, at least").fill("many")
    dialog.get_by_role("button", name="Save and restart").click()
    expect(dialog).to_be_visible()
    dialog.get_by_label("CPU, at least").fill("200m")
    dialog.get_by_role("button", name="Save and restart").click()
    expect(page.get_by_text("edited was changed.")).to_be_visible()
    tab.until(lambda: asked_by_pod(desk).get("cpu") == "200m", "the server runs again with more CPU")

    page.get_by_role("button", name="Stop").click()
    page.get_by_role("dialog", name="Stop edited?").get_by_role("button", name="Stop").click()
    state(page, "Stopped")
    dialog = edit(page)
    expect(dialog).to_contain_text("The changes hold from the next start.")
    dialog.get_by_label("Memory, at least").fill("96Mi")
    dialog.get_by_label("Image").fill("python:3.11-slim")
    dialog.get_by_role("button", name="Save", exact=True).click()
    expect(dialog).to_be_hidden()
    container = desk.get("notebook", "edited")["spec"]["template"]["spec"]["containers"][0]
    assert (container["image"], container["resources"]["requests"]["memory"]) == ("python:3.11-slim", "96Mi")
    desk.kubectl("delete", "notebook", "edited", "--wait=false")


def test_a_board_over_the_volume_of_a_notebook_shows_a_scalar_chart(
    tab: Tab, desk: Desk, pulled: Callable[[str], None]
) -> None:
    assert_made_before(desk, "pvc", "first-workspace")
    pulled(TENSORBOARD_IMAGE)
    desk.kubectl("exec", "-i", "first-0", "--", "sh", "-c", "cat > ~/train.py", stdin=TRAIN.read_text())
    assert "Epoch 5/5" in desk.kubectl("exec", "first-0", "--", "sh", "-c", "cd && python train.py")
    page = tab.page
    menu(page, "TensorBoards")
    page.get_by_role("button", name="New TensorBoard").or_(page.get_by_role("link", name="New TensorBoard")).click()
    form = page.get_by_role("form", name="New TensorBoard")
    form.get_by_role("textbox", name="Name", exact=True).fill("curves")
    choose(form, "Volume", "first-workspace")
    form.get_by_label("Folder in the volume").fill("logs")
    form.get_by_role("button", name="Create").click()

    heading(page, "curves")
    with page.expect_popup() as popup:
        page.get_by_role("link", name="Connect").click()
    board = popup.value
    loss = board.locator("scalar-card, tb-scalar-card, card-view").filter(has_text="epoch_loss").first
    expect(loss).to_be_visible()
    expect(loss.locator("line-chart").first).to_be_visible()
    expect(board.get_by_text("train", exact=True).first).to_be_visible()
    base = f"/tensorboard/{DEMO_NAMESPACE}/curves/data/plugin/scalars/scalars"
    steps = board.evaluate("(path) => fetch(path).then((answer) => answer.json())", f"{base}?run=train&tag=epoch_loss")
    assert [step for _, step, _ in steps] == [0, 1, 2, 3, 4]
    board.close()
    desk.kubectl("delete", "tensorboard/curves", "--wait=false")


def test_a_gpu_that_no_node_has_is_told_before_the_launch_and_after(tab: Tab, desk: Desk) -> None:
    page = tab.page
    form = fill_in(page, "hungry")
    choose(form, "GPUs", "1")
    choose(form, "Vendor", "NVIDIA")

    expect(form.get_by_text("No node offers NVIDIA GPUs.")).to_be_visible()
    expect(page.get_by_text("It does not fit now")).to_be_visible()
    launch(form)

    heading(page, "hungry")
    expect(page.get_by_role("main")).to_contain_text("nvidia.com/gpu")
    menu(page, "Home")
    attention = card(page, "Needs attention")
    expect(attention.get_by_role("link").filter(has_text="hungry")).to_contain_text("nvidia.com/gpu")
    desk.kubectl("delete", "notebook", "hungry", "--wait=false")


def test_a_configuration_that_clashes_with_a_variable_is_refused_by_name_and_nothing_is_made(
    tab: Tab, desk: Desk
) -> None:
    desk.apply(CLASH % ("team-tracking", "Team tracking", "team-tracking", "http://team"))
    page = tab.page
    form = fill_in(page, "clash")
    form.get_by_label("Environment variables").fill("TRACKING_URL=http://own")
    form.get_by_text("Team tracking").click()

    with page.expect_response(lambda answer: answer.request.method == "POST" and is_launch(answer.url)) as answered:
        launch(form)

    assert answered.value.status == 400
    both = "env 'TRACKING_URL' of PodDefault 'team-tracking' differs from that of the pod"
    expect(form.get_by_role("alert")).to_contain_text(both)
    assert "clash" not in desk.kubectl("get", "notebooks,pvc", "-o", "name")


def is_launch(url: str) -> bool:
    return url.endswith("/notebooks")


def test_a_warning_leads_to_the_notebook_with_what_helps(tab: Tab, desk: Desk) -> None:
    page = tab.page
    form = fill_in(page, "typo")
    use_image(form, TYPO)
    launch(form)
    heading(page, "typo")

    menu(page, "Activity")
    page.get_by_text("Warnings only").click()
    page.get_by_role("link", name="Notebook typo").first.click()

    heading(page, "typo")
    main = page.get_by_role("main")
    expect(main).to_contain_text(TYPO)
    expect(main.get_by_text("map it to an environment").first).to_be_visible()
    menu(page, "Home")
    warning = card(page, "Needs attention").get_by_role("link").filter(has_text="typo")
    expect(warning).to_contain_text(TYPO)
    desk.kubectl("delete", "notebook", "typo", "--wait=false")


def test_the_address_for_an_editor_has_a_token_that_is_shown_once(tab: Tab, desk: Desk) -> None:
    assert_made_before(desk, "notebook", "first")
    page = tab.page
    page.goto(f"/jupyter/notebook/details/{DEMO_NAMESPACE}/first")
    page.get_by_role("button", name="Make the address").click()
    shown = page.get_by_role("status").get_by_text("?token=")
    expect(shown).to_be_visible()

    address = shown.inner_text().strip()
    assert requests.get(f"{address.replace('?', 'api/status?')}", timeout=60).json()["kernels"] >= 0
    page.reload()
    expect(page.get_by_role("button", name="Make the address")).to_be_visible()
    expect(page.get_by_text("?token=")).to_have_count(0)


def test_what_is_typed_in_an_open_notebook_outlives_the_end_of_the_session(
    tab: Tab, desk: Desk, new_tab: Callable[..., Tab]
) -> None:
    assert_made_before(desk, "notebook", "first")
    desk.kubectl("exec", "first-0", "--", "sh", "-c", "echo before > ~/essay.txt")
    page = tab.page
    page.goto(f"/jupyter/notebook/details/{DEMO_NAMESPACE}/first")
    lab = page.context.new_page()
    lab.goto(f"/notebook/{DEMO_NAMESPACE}/first/lab/tree/essay.txt")
    editor = lab.locator(".jp-FileEditor .cm-content")
    expect(editor).to_contain_text("before")
    editor.click()
    lab.keyboard.press("Control+End")
    lab.keyboard.type("written after the session")

    end_all_sessions(new_tab())
    lab.keyboard.press("Control+s")
    expect(lab.get_by_role("dialog", name="File Save Error")).to_be_visible()  # nobody is signed in
    dialog = page.get_by_role("dialog", name="Your session has ended")
    expect(dialog).to_be_visible()
    with page.expect_popup() as popup:
        dialog.get_by_role("button", name="Sign in").click()
    Tab(popup.value, tab.url).fill_in(DEMO.email, DEMO.password)
    expect(dialog).to_be_hidden()

    saved = "cat ~/essay.txt"
    tab.until(lambda: save_again(lab) and "written after" in in_first(desk, saved), "the text is saved")
    expect(editor).to_contain_text("written after the session")
    lab.close()


def end_all_sessions(elsewhere: Tab) -> None:
    elsewhere.sign_in(DEMO, "/account")
    ends = card(elsewhere.page, "Sessions").get_by_role("button", name="End")
    expect(ends.first).to_be_visible()
    while left := ends.count():
        ends.first.click()
        expect(ends).to_have_count(left - 1)


def save_again(lab: Page) -> bool:
    """Close what JupyterLab says of the saves that failed, and save."""
    dialogs = lab.locator(".jp-Dialog")
    while left := dialogs.count():
        dialogs.last.locator(".jp-Dialog-footer button").last.click()
        expect(dialogs).to_have_count(left - 1)
    lab.locator(".jp-FileEditor .cm-content").click()
    lab.keyboard.press("Control+s")
    return True


def in_first(desk: Desk, command: str) -> str:
    return desk.kubectl("exec", "first-0", "--", "sh", "-c", command)


def open_in_lab(tab: Tab) -> list[WebSocket]:
    return [socket for socket in tab.sockets if "/notebook/" in socket.url and not socket.is_closed()]


def share(tab: Tab, person: Person, role: str) -> None:
    people = card(tab.page, f"Contributors of {DEMO_NAMESPACE}")
    people.get_by_label("E-mail address").fill(person.email)
    choose(people, "Role", role)
    people.get_by_role("button", name="Add").click()
    expect(people.get_by_text(person.email, exact=True)).to_be_visible()


def test_a_viewer_sees_a_contributor_works_and_who_is_removed_is_out(
    tab: Tab, platform: Platform, desk: Desk, new_tab: Callable[..., Tab]
) -> None:
    assert_made_before(desk, "notebook", "first")
    bob, other = a_person(platform, "bob@example.com"), new_tab()
    menu(tab.page, "People")
    share(tab, bob, "Viewer")

    other.sign_in(bob, "/jupyter/")
    page = other.page
    expect(page.get_by_role("banner").get_by_role("button", name="Namespace")).to_contain_text(DEMO_NAMESPACE)
    expect(page.get_by_role("link", name="first", exact=True)).to_be_visible()
    for control in ("New notebook", "Connect", "Stop"):
        refused = page.get_by_role("button", name=f"{control}: You lack the right").first
        expect(refused).to_have_attribute("aria-disabled", "true")
    page.goto("/objects/core/v1/secrets")
    expect(page.get_by_text("You do not have access to this page")).to_be_visible()
    lab = f"/notebook/{DEMO_NAMESPACE}/first/lab"
    assert other.status(lab) == 403

    people = card(tab.page, f"Contributors of {DEMO_NAMESPACE}")
    choose(people, f"Role: {bob.email}", "Contributor")
    other.until(lambda: other.status(lab) == 200, "bob may enter")
    expect(page.locator("#jp-main-dock-panel")).to_be_visible()
    other.until(lambda: open_in_lab(other), "a WebSocket of the lab is open")

    people.get_by_role("button", name=f"Remove {bob.email}").click()
    expect(people.get_by_text("Shared with nobody yet.")).to_be_visible()
    other.until(lambda: not open_in_lab(other), "the WebSockets of the lab are closed")
    other.until(lambda: other.status(lab) == 403, "bob is refused")
    expect(page.get_by_text("403").or_(page.get_by_text("may not")).first).to_be_visible()


def tab_to(page: Page, wanted: Locator, key: str = "Tab") -> None:
    """Press a key until the element has the focus."""
    expect(wanted).to_be_visible()
    for _ in range(MOST_TABS):
        if wanted.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press(key)
    raise AssertionError(f"the keyboard does not reach {wanted}")


def test_a_notebook_is_launched_and_connected_on_a_narrow_screen_by_keyboard_alone(
    desk: Desk, new_tab: Callable[..., Tab], pulled: Callable[[str], None]
) -> None:
    pulled(IMAGE)
    tab = new_tab(viewport={"width": NARROW, "height": 844})
    page = tab.page
    page.goto("/")
    expect(page.locator("#login")).to_be_focused()
    page.keyboard.type(DEMO.email)
    page.keyboard.press("Tab")
    page.keyboard.type(DEMO.password)
    page.keyboard.press("Enter")
    heading(page, "Welcome, user")

    page.keyboard.press("Control+k")
    page.keyboard.type("New notebook")
    expect(page.get_by_role("menuitem", name="New notebook")).to_be_visible()
    page.keyboard.press("Enter")
    name = page.get_by_role("textbox", name="Name", exact=True)
    expect(name).to_be_focused()
    page.keyboard.type("by-keyboard")
    tab_to(page, page.get_by_role("checkbox", name="Use another image"))
    page.keyboard.press("Space")
    tab_to(page, page.get_by_label("Image, with its registry and tag"), "Shift+Tab")
    page.keyboard.type(IMAGE)
    page.keyboard.press("Enter")

    heading(page, "by-keyboard")
    state(page, "Running")
    tab_to(page, page.get_by_role("link", name="Connect"))
    with page.expect_popup() as popup:
        page.keyboard.press("Enter")
    expect(popup.value.locator("#jp-main-dock-panel")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW
    desk.kubectl("delete", "notebook", "by-keyboard", "--wait=false")
