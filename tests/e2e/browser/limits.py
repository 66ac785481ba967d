"""Time limits of the acceptance stories, as tests measure them."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

SLACK = 3.0
"""A limit is for a machine that does nothing else; other tests run beside these."""
HOME_SECONDS, NOTEBOOK_SECONDS, NAMESPACE_SECONDS = 10, 30, 5
"""Of A1, A2 and A8."""


@contextmanager
def within(limit_seconds: float, story: str, *, already: float = 0.0) -> Iterator[None]:
    """Fail if the block takes longer than the limit of a story, with some slack; `already` has passed before it."""
    began = time.monotonic()
    yield
    took = already + time.monotonic() - began
    assert took <= limit_seconds * SLACK, f"{story} took {took:.1f} s; its limit is {limit_seconds} s, times {SLACK}"
