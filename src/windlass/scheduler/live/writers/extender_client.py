"""Questions to a server while the scheduler runs: on threads of their own, so that a slow answer holds up nobody.

Who asks waits for a moment of each cycle, and not at all while an earlier question is still open. What is not answered
by then counts as not answered yet, and another cycle is asked for when it is.
"""

import asyncio
import threading
import time
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import msgspec

from windlass.kube.queue import Queue
from windlass.scheduler.extender_http import Ask, over_http
from windlass.scheduler.plugins.extender.client import CallbackFailed, ExtenderClient, NotYet, Unreachable

MAX_WAIT_SECONDS = 0.1  # seconds of a cycle that are waited for answers, all in all
AT_ONCE = 32  # questions that may be open
KEEP = 30.0  # seconds for which an answer stands while others have yet to come
LATE_ANSWER = "answered"
"""The only key of the queue."""
REST = 5.0  # seconds for which a server that was not reached, or was too slow, is asked nothing


@dataclass(eq=False, slots=True)
class _Question:
    """One that was put, and what came of it."""

    answered: threading.Event = field(default_factory=threading.Event)
    is_late: bool = False
    answer: Any = None
    failure: CallbackFailed | None = None
    stands_until: float = 0.0


class BackgroundClient:
    """Puts each question once a cycle; `arrived` is called, on another thread, for each answer that came late.

    Answers stand for the next cycle only if that one asks again because some had not come.
    """

    def __init__(
        self,
        ask: Ask,
        arrived: Callable[[], None],
        *,
        clock: Callable[[], float] = time.monotonic,
        max_wait: float = MAX_WAIT_SECONDS,
    ) -> None:
        self._ask, self._arrived, self._clock, self._max_wait = ask, arrived, clock, max_wait
        self._lock = threading.Lock()
        """Whether an answer is late is decided once."""
        self._put: dict[Hashable, _Question] = {}
        self._open: list[_Question] = []
        self._left, self._some_are_missing = max_wait, False
        self._rests_until, self._why_it_rests = 0.0, ""

    def begin(self) -> None:
        """A cycle begins."""
        now, keep = self._clock(), self._some_are_missing
        self._put = {
            about: question
            for about, question in self._put.items()
            if not question.answered.is_set() or (keep and now < question.stands_until)
        }
        self._left, self._some_are_missing = self._max_wait, False

    def __call__(self, verb: str, body: Any, about: Hashable = None) -> Any:
        """The answer; raises CallbackFailed, or NotYet. `about` is what makes it the same question as before."""
        key = (verb, msgspec.json.encode(body) if about is None else about)
        question = self._put.get(key) or self._begin(key, verb, body)
        if question is None or not question.answered.is_set():
            self._some_are_missing = True
            raise NotYet(f"{verb}: it has not answered yet")
        if question.failure is not None:
            raise question.failure
        return question.answer

    def _begin(self, key: Hashable, verb: str, body: Any) -> _Question | None:
        """Put it, and wait for a moment if there is reason to hope; None: too many are open."""
        if self._clock() < self._rests_until:
            raise CallbackFailed(self._why_it_rests)
        self._open = [one for one in self._open if not one.answered.is_set()]
        if len(self._open) >= AT_ONCE:
            return None
        question = self._put[key] = _Question()
        threading.Thread(target=self._run, args=(question, verb, body), daemon=True).start()
        if not self._open and self._left > 0:
            began = time.monotonic()
            question.answered.wait(self._left)
            self._left -= time.monotonic() - began
        with self._lock:
            question.is_late = not question.answered.is_set()
        if question.is_late:
            self._open.append(question)
        return question

    def _run(self, question: _Question, verb: str, body: Any) -> None:
        lasting = KEEP
        try:
            question.answer = self._ask(verb, body)
        except CallbackFailed as failure:
            question.failure, lasting = failure, REST
            if isinstance(failure, Unreachable):
                self._why_it_rests, self._rests_until = str(failure), self._clock() + REST
        question.stands_until = self._clock() + lasting
        with self._lock:
            question.answered.set()
        if question.is_late:
            self._arrived()


class ExtenderClients:
    """Connects plugins to their servers, without holding up the running event loop; late answers go into a queue."""

    def __init__(self, answers: Queue[str]) -> None:
        self._loop, self._answers = asyncio.get_running_loop(), answers

    def connect(self, url: str, timeout: float) -> ExtenderClient:
        return BackgroundClient(over_http(url, timeout), self._answered)

    def _answered(self) -> None:
        """Called on the thread that has asked."""
        with suppress(RuntimeError):  # the loop has ended meanwhile
            self._loop.call_soon_threadsafe(self._answers.add, LATE_ANSWER)
