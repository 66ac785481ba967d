"""`windlass server` with a clock at each step of a create: `python -m benchmarks.api.traced FILE server [flags]`.

Takes the same flags as `windlass`. When the server stops, FILE holds how many creates were timed and the median
nanoseconds of each step. The steps of one create follow one another, so the figures mean something only while a single
client waits for each answer; reading the clock fourteen times costs about 3 µs.
"""

import functools
import json
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter_ns
from typing import Any, NamedTuple

from windlass.apiserver import connection, http
from windlass.apiserver.store import journal, store
from windlass.apiserver.verbs import create, prototypes, write
from windlass.cli.main import main as windlass

SKIPPED = 200  # creates that fill caches, before the first that counts


class Step(NamedTuple):
    """A function, and the steps that end when it is called and when it returns ("" for none)."""

    owner: Any
    name: str
    until_call: str = ""
    until_return: str = ""


STEPS = (
    Step(http.Http, "handle", "HTTP: parse the request"),
    Step(prototypes, "likeness_of", "authenticate, authorize, find the resource", "find the series that it is of"),
    Step(prototypes, "copied", "", "decode a copy with defaults and managed fields"),
    Step(write, "admit_new_at_once", "", "admission and validation"),
    Step(write, "store_object", "find a free name", "encode, accept"),
    Step(journal.Journal, "prepare", "gather the batch", "encode the record"),
    Step(journal.Journal, "write", "hand over", "commit: write and sync the record"),
    Step(store.Store, "committed", "back to the store", "publish in memory"),
    Step(create, "object_answer", "go on with the request"),
    Step(connection.Connection, "_write", "build the response", "TLS: encrypt and send"),
)


class Trace:
    """The steps of the create under way, and of all that are over."""

    def __init__(self) -> None:
        self._last = 0
        self._steps: dict[str, int] = {}
        self._creates: list[dict[str, int]] = []

    def begin(self) -> None:
        self._steps = {}
        self._last = perf_counter_ns()

    def end(self, step: str) -> None:
        if step:
            now = perf_counter_ns()
            self._steps[step] = now - self._last
            self._last = now

    def finish(self) -> None:
        if len(self._steps) == len(NAMES):
            self._creates.append(self._steps)
        self._steps = {}

    def save(self, path: Path) -> None:
        counted = self._creates[SKIPPED:] or self._creates
        medians = {name: statistics.median(steps[name] for steps in counted) for name in NAMES} if counted else {}
        total = statistics.median(sum(steps.values()) for steps in counted) if counted else 0
        path.write_text(json.dumps({"creates": len(counted), "total": total, "steps": medians}))


NAMES = tuple(name for step in STEPS for name in (step.until_call, step.until_return) if name)


def install(trace: Trace) -> None:
    """Put the clock into the server's functions; before the server is made."""
    for step in STEPS:
        setattr(step.owner, step.name, _timed(getattr(step.owner, step.name), step, trace))
    received: Any = connection.Connection.buffer_updated
    answered: Any = connection.Connection._write  # pyright: ignore[reportPrivateUsage] - where an answer is complete

    def buffer_updated(self: connection.Connection, nbytes: int) -> None:
        trace.begin()
        received(self, nbytes)

    def write_answer(self: connection.Connection, *answer: Any) -> None:
        answered(self, *answer)
        trace.finish()

    setattr(connection.Connection, "buffer_updated", buffer_updated)  # noqa: B010 - as above, and so for the types
    setattr(connection.Connection, "_write", write_answer)  # noqa: B010


def _timed(function: Callable[..., Any], step: Step, trace: Trace) -> Callable[..., Any]:
    @functools.wraps(function)
    def timed(*args: Any, **kwargs: Any) -> Any:
        trace.end(step.until_call)
        result = function(*args, **kwargs)
        trace.end(step.until_return)
        return result

    return timed


def main() -> None:
    where, sys.argv = Path(sys.argv[1]), ["windlass", *sys.argv[2:]]
    trace = Trace()
    install(trace)
    try:
        windlass()
    finally:
        trace.save(where)


if __name__ == "__main__":
    main()
