"""Sets of completion indexes as a Job's status writes them: `1,3-5,7`, where three or more in a row become a range."""

from collections.abc import Iterable


def parse_indexes(text: str, completions: int) -> set[int]:
    """Those below `completions`: an elastic Job may have shrunk since. What is no number is skipped."""
    found: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        if first.isdecimal() and (last or first).isdecimal():
            found.update(range(int(first), min(int(last or first) + 1, completions)))
    return found


def format_indexes(indexes: Iterable[int]) -> str:
    return ",".join(_written(first, last) for first, last in _runs(sorted(indexes)))


def _runs(indexes: list[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for index in indexes:
        if runs and runs[-1][1] == index - 1:
            runs[-1] = (runs[-1][0], index)
        else:
            runs.append((index, index))
    return runs


def _written(first: int, last: int) -> str:
    if first == last:
        return str(first)
    return f"{first},{last}" if first + 1 == last else f"{first}-{last}"
