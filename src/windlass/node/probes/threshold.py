"""From single answers of a probe to its verdict: it changes when enough of the same follow each other."""

from msgspec import Struct


class Tally(Struct, frozen=True):
    """The verdict so far (None: none yet), the last answer, and how often it came in a row."""

    verdict: bool | None = None
    last: bool | None = None
    times: int = 0


def count(tally: Tally, answer: bool, *, successes: int = 1, failures: int = 3) -> Tally:
    times = tally.times + 1 if answer == tally.last else 1
    enough = times >= (successes if answer else failures)
    return Tally(answer if enough else tally.verdict, answer, times)
