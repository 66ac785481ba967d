"""Applies a probe's thresholds: its result changes after enough equal answers in a row."""

from msgspec import Struct


class Tally(Struct, frozen=True):
    """The result so far (None: none yet), the last answer, and how often it came in a row."""

    verdict: bool | None = None
    last: bool | None = None
    times: int = 0


def count(tally: Tally, answer: bool, *, successes: int = 1, failures: int = 3) -> Tally:
    times = tally.times + 1 if answer == tally.last else 1
    enough = times >= (successes if answer else failures)
    return Tally(answer if enough else tally.verdict, answer, times)
