"""Which slots of a recurring run's trigger are due, and when the next one is. Pure.

A slot is a time at which the trigger asks for a run. Slots follow one another from a base: the last slot that was
triggered, or else the trigger's start, or else the creation of the recurring run. A trigger with neither cron nor
interval has a single slot, its base.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import TypeAlias

from windlass.apps.pipelines.model import NOT_YET, Trigger
from windlass.apps.pipelines.schedules.cron import MAX_TIME, latest_until, next_after, parse

MIN_CONCURRENCY, MAX_CONCURRENCY = 1, 10

Following: TypeAlias = Callable[[float], float | None]
"""The slot after another, or after the base."""


@dataclass(frozen=True, slots=True)
class Due:
    """`slots` are to be started now, in this order.

    `next_at` is the slot after them: in the future, or, where it waits for a run to finish, in the past.
    """

    slots: tuple[float, ...] = ()
    next_at: float | None = None


def due(
    trigger: Trigger,
    *,
    created_at: float,
    last_trigger: float | None,
    now: float,
    is_enabled: bool,
    max_concurrency: int,
    active: int,
    no_catchup: bool,
    zone: tzinfo = UTC,
) -> Due:
    """Decide what to start while `active` runs are in progress. Raises ValueError where `check` does."""
    check(trigger, zone)
    if not is_enabled:
        return Due()
    following = _following(trigger, zone)
    if is_once(trigger):
        slot = max(created_at, trigger.start_time) if last_trigger is None else None
        slot = None if slot is None or _is_over(trigger, slot) else slot
    else:
        base = _base(trigger, created_at, last_trigger)
        slot = following(base)
        if slot is not None and slot <= now and no_catchup:
            slot = _latest(trigger, zone, base, slot, now)
    free = clamped(max_concurrency) - active
    slots: list[float] = []
    while slot is not None and slot <= now and len(slots) < free:
        slots.append(slot)
        slot = following(slot)
    return Due(tuple(slots), slot)


def check(trigger: Trigger, zone: tzinfo = UTC) -> None:
    """Raise ValueError, naming the field, if the trigger cannot be followed."""
    if trigger.cron and trigger.interval_seconds:
        raise ValueError("cron and interval exclude each other")
    if trigger.interval_seconds < 0:
        raise ValueError(f"interval: {trigger.interval_seconds} is less than one second")
    if trigger.cron:
        try:
            parse(trigger.cron, zone)
        except ValueError as bad:
            raise ValueError(f"cron: {bad}") from None


def is_once(trigger: Trigger) -> bool:
    return not trigger.cron and not trigger.interval_seconds


def clamped(max_concurrency: int) -> int:
    return max(MIN_CONCURRENCY, min(max_concurrency, MAX_CONCURRENCY))


def _base(trigger: Trigger, created_at: float, last_trigger: float | None) -> float:
    if last_trigger is not None:
        return max(last_trigger, trigger.start_time)  # the start may have been moved since
    return created_at if trigger.start_time == NOT_YET else trigger.start_time


def _following(trigger: Trigger, zone: tzinfo) -> Following:
    def following(slot: float) -> float | None:
        if is_once(trigger):
            return None
        found = next_after(parse(trigger.cron, zone), slot) if trigger.cron else slot + trigger.interval_seconds
        return None if found is None or _is_over(trigger, found) else found

    return following


def _is_over(trigger: Trigger, slot: float) -> bool:
    return slot > (MAX_TIME if trigger.end_time == NOT_YET else trigger.end_time)


def _latest(trigger: Trigger, zone: tzinfo, base: float, first: float, now: float) -> float:
    """The one slot that stands for all missed ones: the latest by cron; now, by interval.

    An interval of which only one slot was missed keeps to that slot.
    """
    until = now if trigger.end_time == NOT_YET else min(now, trigger.end_time)
    if trigger.cron:
        return latest_until(parse(trigger.cron, zone), base, until) or first
    return first if first + trigger.interval_seconds > until else float(int(until))
