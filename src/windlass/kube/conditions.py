"""Conditions of any kind's status: found and set so that `lastTransitionTime` moves only when `status` does."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, Protocol, TypeVar

import msgspec

from windlass.kube.json import timestamp


class ConditionLike(Protocol):
    @property
    def type(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def last_transition_time(self) -> str | None: ...


C = TypeVar("C", bound=ConditionLike)
"""One of the condition structs of `windlass.apis`."""


def find(conditions: Sequence[C], type: str) -> C | None:
    return next((condition for condition in conditions if condition.type == type), None)


def is_true(conditions: Sequence[ConditionLike], type: str) -> bool:
    found = find(conditions, type)
    return found is not None and found.status == "True"


def with_condition(conditions: Sequence[C], new: C, now: datetime) -> list[C]:
    """`conditions` with `new` in place of the one of its type, or at the end."""
    old = find(conditions, new.type)
    if old is None:
        return [*conditions, _at(new, timestamp(now))]
    kept = _at(new, (old.last_transition_time if old.status == new.status else None) or timestamp(now))
    return [kept if condition.type == new.type else condition for condition in conditions]


def without_condition(conditions: Sequence[C], type: str) -> list[C]:
    return [condition for condition in conditions if condition.type != type]


def status_of(truth: bool) -> Literal["True", "False"]:
    return "True" if truth else "False"


def _at(condition: C, moment: str) -> C:
    assert isinstance(condition, msgspec.Struct)
    return msgspec.structs.replace(condition, last_transition_time=moment)
