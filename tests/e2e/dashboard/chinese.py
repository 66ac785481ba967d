"""Which words of a page in Chinese are still English."""

import re
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page

SOURCES = Path(__file__).parents[3] / "ui" / "src"
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
SENTENCE = re.compile(r"[A-Za-z]{2,}[,:;]? [a-z]{2,}[,:;]? [a-z]{2,}")
"""Three words in a row, of which at most the first is a name."""
NAMES = {"Ready", "Default"}
"""A type of conditions, and the experiment that is there from the start."""
OBJECTS = re.compile(
    r"Allow access to Kubeflow Pipelines \(access-ml-pipeline\)|squares of 3, 4 and 5|three and four"
    r"|\[Tutorial\] [A-Za-z -]+|Its source is \S+ of Windlass\."
)
"""What objects are called, and how they are described, in whichever language."""
TEXTS = """() => {
  const skipped = "script, style, code, pre, textarea, [lang=en], [translate=no], .cm-editor, [role=log]";
  const texts = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (parent.closest(skipped) === null && parent.checkVisibility()) texts.add(walker.currentNode.textContent.trim());
  }
  for (const element of document.querySelectorAll("[aria-label], [placeholder], [title]")) {
    if (element.closest(skipped) !== null) continue;
    for (const name of ["aria-label", "placeholder", "title"]) texts.add((element.getAttribute(name) ?? "").trim());
  }
  return [...texts].filter((text) => text !== "");
}"""


def catalogue(language: str) -> set[str]:
    """The texts of the platform and of every app: `words/en/common.ts`, `apps/volumes/words/en.ts`."""
    files = [path for path in SOURCES.rglob("*.ts") if "words" in path.parts and ".test." not in path.name]
    in_language = (path for path in files if path.stem == language or path.parent.name == language)
    return {text for path in in_language for text in QUOTED.findall(path.read_text())}


def left_in_english(page: Page) -> list[str]:
    """Texts of the English catalogue that the Chinese one has not, and English sentences, but for what is marked so."""
    only_english = catalogue("en") - catalogue("zh")
    return list(_english(page.evaluate(TEXTS), only_english))


def _english(texts: list[str], only_english: set[str]) -> Iterator[str]:
    for text in texts:
        if text in only_english - NAMES or SENTENCE.search(OBJECTS.sub("", text)):
            yield text
