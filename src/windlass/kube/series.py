"""Objects come in series: a Job makes many pods of one spec, and what is found out about one holds for all of them.

A `Series` remembers answers by the bytes that they were found for, so it is right by construction; it is bounded, and
starts over when it is full.
"""

from typing import Generic, TypeVar

T = TypeVar("T")

_MAX_ENTRIES = 512
_LARGEST = 16 * 1024


class Series(Generic[T]):
    """Answers by the exact bytes of what was asked about."""

    __slots__ = ("_answers",)

    def __init__(self) -> None:
        self._answers: dict[bytes, T] = {}

    def get(self, key: bytes) -> T | None:
        return self._answers.get(key)

    def put(self, key: bytes, answer: T) -> None:
        if len(key) > _LARGEST:
            return
        if len(self._answers) >= _MAX_ENTRIES:
            self._answers.clear()
        self._answers[key] = answer
