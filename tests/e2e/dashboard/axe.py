"""What axe finds on a page as it is now."""

from pathlib import Path

from playwright.sync_api import Page

SCRIPT = Path(__file__).parents[3] / "ui" / "node_modules" / "axe-core" / "axe.min.js"
WCAG = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
CONTRAST = {"type": "rule", "values": ["color-contrast"]}
RUN = """
async (rules) => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"], runOnly: rules });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, help, nodes }) => [id, help, ...nodes.slice(0, 3).map((node) => node.html.slice(0, 200))].join(" | "));
}
"""


def violations(page: Page, rules: dict[str, object]) -> list[str]:
    """Those that are serious or critical."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(SCRIPT.read_text())
    return page.evaluate(RUN, rules)
