"""Every component of the dashboard in every state: drawn without an error, within the window, and accessible."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypedDict

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page

from tests.ui.conftest import ROOT

PICTURES = ROOT / ".make" / "ui-screenshots"
WIDE, NARROW, HEIGHT = 1280, 390, 800
ALL_RULES: list[str] = []
RULES_OF_LAYOUT = [
    "aria-hidden-focus",
    "button-name",
    "label",
    "label-content-name-mismatch",
    "link-in-text-block",
    "link-name",
    "scrollable-region-focusable",
]
"""What a style sheet for narrow windows can break: it hides words, and makes boxes scroll."""
LOOKS = (
    # The scheme, the width, the rules that are checked, and whether a picture is kept.
    ("light", WIDE, ALL_RULES, True),
    ("dark", WIDE, ["color-contrast"], False),
    ("dark", NARROW, ["color-contrast", *RULES_OF_LAYOUT], True),
)
"""The elements are the same in all three: what neither colours nor hidden elements change is checked once."""
LOOK = """
async ([scheme, rules]) => {
    await window.gallery.paint(scheme);
    const root = document.documentElement;
    // A longer list has the same elements more often.
    const isLong = document.querySelectorAll("*").length > 1500;
    const only = rules.length > 0 ? rules : { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] };
    const options = { resultTypes: ["violations"], runOnly: only };
    const found = isLong ? [] : (await axe.run(document, options)).violations;
    return {
        tooWide: Math.max(0, root.scrollWidth - root.clientWidth),
        violations: found
            .filter((one) => one.impact === "serious" || one.impact === "critical")
            .map((one) => [one.id, one.help, ...one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160))].join()),
    };
}
"""


class Seen(TypedDict):
    tooWide: int
    violations: list[str]


class Gallery:
    """The gallery in a window, and what was written to its console since the last look."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._errors: list[str] = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self._errors.append(str(error)))

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._errors.append(message.text[:300])

    def stories(self) -> list[str]:
        return self.page.evaluate("window.gallery.ids")

    def show(self, story: str) -> None:
        self.page.evaluate("(id) => window.gallery.show(id)", story)

    def resize(self, width: int) -> None:
        if self.page.viewport_size != {"width": width, "height": HEIGHT}:
            self.page.set_viewport_size({"width": width, "height": HEIGHT})

    def problems(self, scheme: str, width: int, rules: list[str]) -> list[str]:
        self.resize(width)
        seen: Seen = self.page.evaluate(LOOK, [scheme, rules])
        errors, self._errors = self._errors, []
        wide = [f"the page is {seen['tooWide']} px wider than the window"] if seen["tooWide"] else []
        return [*errors, *wide, *seen["violations"]]

    def keep_picture(self, name: str) -> None:
        self.page.screenshot(path=PICTURES / f"{name}.png")


@contextmanager
def opened(chromium: Browser, address: str, packages: Path) -> Iterator[Gallery]:
    context = chromium.new_context(viewport={"width": WIDE, "height": HEIGHT}, reduced_motion="reduce")
    context.set_default_timeout(60_000)
    try:
        page = context.new_page()
        page.add_init_script(path=packages / "axe-core" / "axe.min.js")
        gallery = Gallery(page)
        page.goto(address)
        page.wait_for_function("window.gallery !== undefined")
        yield gallery
    finally:
        context.close()


def file_name(story: str, width: int, scheme: str) -> str:
    return f"{re.sub(r'[^a-z0-9]+', '-', story.lower()).strip('-')}.{width}.{scheme}"


@pytest.fixture(scope="module")
def shown(chromium: Browser, gallery: str, packages: Path) -> Iterator[Gallery]:
    with opened(chromium, gallery, packages) as window:
        yield window


@pytest.mark.timeout(600)  # far less on a machine that does nothing else
def test_every_story_is_drawn_well(shown: Gallery) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    found: list[str] = []
    stories = shown.stories()
    for story in stories:
        shown.resize(WIDE)
        shown.show(story)
        for scheme, width, rules, is_kept in LOOKS:
            found += [f"{story} ({scheme}, {width} px): {each}" for each in shown.problems(scheme, width, rules)]
            if is_kept:
                shown.keep_picture(file_name(story, width, scheme))

    assert len(stories) > 100
    assert found == [], "\n".join(["", *found])


def test_the_index_leads_to_every_story(shown: Gallery, gallery: str) -> None:
    shown.page.goto(gallery)
    shown.page.get_by_role("region", name="Pill", exact=True).get_by_role("link", name="every state").click()
    shown.page.get_by_text("Succeeded").wait_for()

    shown.page.goto(f"{gallery}?scheme=dark&language=zh#/Pill/every%20state")
    shown.page.get_by_text("已成功").wait_for()
    assert shown.page.evaluate("document.documentElement.dataset.scheme") == "dark"
