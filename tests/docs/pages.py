"""The documentation as data: its pages, and the commands in their fenced blocks.

A `bash` block is commands. In a `console` block the lines that start with `$ ` are, and what follows
each is what it prints; a command goes on over a line that ends in a backslash, and to the end of its here-document.
`<!-- not run: why -->` on the line before a block keeps it out of the tests.
"""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(
    r"^(?:<!-- not run: (?P<why>.+?) -->\n)?```(?P<language>console|bash)\n(?P<text>.*?)^```$", re.M | re.S
)


@dataclass(frozen=True)
class Step:
    command: str
    prints: tuple[str, ...]


@dataclass(frozen=True)
class Block:
    line: int
    steps: tuple[Step, ...]
    not_run: str


def blocks(page: Path) -> list[Block]:
    text = page.read_text()
    return [
        Block(
            line=text.count("\n", 0, match.start("text")) + 1,
            steps=tuple(_steps(match["language"], match["text"])),
            not_run=match["why"] or "",
        )
        for match in FENCE.finditer(text)
    ]


def _steps(language: str, text: str) -> list[Step]:
    if language == "bash":
        return [Step(text, ())]
    steps: list[Step] = []
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        lines = part.splitlines()
        length = _length(lines)
        steps.append(Step("\n".join(lines[:length]), tuple(line for line in lines[length:] if line.strip())))
    return steps


def _length(lines: list[str]) -> int:
    """How many of the lines are the command."""
    length = next(at for at, line in enumerate(lines, 1) if not line.endswith("\\"))
    here = re.search(r"<<'?(\w+)'?", lines[length - 1])
    return length if here is None else lines.index(here[1]) + 1
