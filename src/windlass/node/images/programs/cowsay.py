"""A text in a bubble, as `cowsay` of the image docker/whalesay prints it; options choose a figure, and are ignored.

The text is that of the arguments, else of the standard input.
"""

import sys
import textwrap

WIDTH = 39
FIGURE = r"""
    \
     \      .
          ":"
        ___:____     |"\/"|
      ,'        `.    \  /
      |  O        \___/  |
    ~^~^~^~^~^~^~^~^~^~^~^~^~
"""
WITH_VALUE = ("-e", "-f", "-T", "-W")


def words_of(arguments: list[str]) -> list[str]:
    """Drop the options, and the values of those that have one."""
    words = list(arguments)
    while words and words[0].startswith("-") and len(words[0]) > 1:
        del words[: 2 if words[0] in WITH_VALUE else 1]
    return words


def bubble(text: str) -> str:
    """Draw a frame round the text, which is wrapped."""
    lines = [line for part in text.splitlines() for line in textwrap.wrap(part, WIDTH) or [""]] or [""]
    width = max(len(line) for line in lines)
    marks = ["<>"] if len(lines) == 1 else ["/\\", *["||"] * (len(lines) - 2), "\\/"]
    rows = [f"{mark[0]} {line.ljust(width)} {mark[1]}" for mark, line in zip(marks, lines, strict=True)]
    return "\n".join([f" {'_' * (width + 2)}", *rows, f" {'-' * (width + 2)}"])


def main(arguments: list[str]) -> int:
    words = words_of(arguments)
    text = " ".join(words) if words else sys.stdin.read()
    sys.stdout.write(f"{bubble(text)}{FIGURE}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
