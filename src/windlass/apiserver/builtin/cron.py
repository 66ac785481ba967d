"""When is a cron schedule good: five fields, or one of the `@` descriptors, with the messages of Kubernetes' parser."""

import re

_DESCRIPTORS = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")
_MONTHS = {
    "jan": 1,
    "feb": 2,
    "mar": 3,
    "apr": 4,
    "may": 5,
    "jun": 6,
    "jul": 7,
    "aug": 8,
    "sep": 9,
    "oct": 10,
    "nov": 11,
    "dec": 12,
}
_DAYS = {"sun": 0, "mon": 1, "tue": 2, "wed": 3, "thu": 4, "fri": 5, "sat": 6}
_FIELDS: tuple[tuple[int, int, dict[str, int]], ...] = (
    (0, 59, {}),
    (0, 23, {}),
    (1, 31, {}),
    (1, 12, _MONTHS),
    (0, 6, _DAYS),
)
_duration = re.compile(r"([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h)").match


class _Bad(ValueError):
    pass


def schedule_problem(schedule: str) -> str:
    """What is wrong with the schedule; an empty string where nothing is."""
    if schedule.startswith("@"):
        return _descriptor_problem(schedule)
    parts = schedule.split()
    if len(parts) != 5:
        return f"expected exactly 5 fields, found {len(parts)}: [{' '.join(parts)}]"
    try:
        for part, (low, high, names) in zip(parts, _FIELDS, strict=True):
            for item in part.split(","):
                _check_range(item, low, high, names)
    except _Bad as bad:
        return str(bad)
    return ""


def _descriptor_problem(schedule: str) -> str:
    if schedule in _DESCRIPTORS:
        return ""
    every = "@every "
    if schedule.startswith(every):
        text = schedule.removeprefix(every)
        return "" if _is_duration(text) else f'failed to parse duration {schedule}: time: invalid duration "{text}"'
    return f"unrecognized descriptor: {schedule}"


def _is_duration(text: str) -> bool:
    at = 0
    while at < len(text):
        found = _duration(text, at)
        if not found:
            return False
        at = found.end()
    return bool(text)


def _check_range(item: str, low: int, high: int, names: dict[str, int]) -> None:
    span, *steps = item.split("/")
    if len(steps) > 1:
        raise _Bad(f"too many slashes: {item}")
    ends = span.split("-")
    if ends[0] in ("*", "?"):
        first, last = low, high
    elif len(ends) > 2:
        raise _Bad(f"too many hyphens: {item}")
    else:
        first = _number(ends[0], names)
        last = _number(ends[1], names) if len(ends) == 2 else (high if steps else first)
    step = _number(steps[0], {}) if steps else 1
    if first < low:
        raise _Bad(f"beginning of range ({first}) below minimum ({low}): {item}")
    if last > high:
        raise _Bad(f"end of range ({last}) above maximum ({high}): {item}")
    if first > last:
        raise _Bad(f"beginning of range ({first}) beyond end of range ({last}): {item}")
    if step == 0:
        raise _Bad(f"step of range should be a positive number: {item}")


def _number(text: str, names: dict[str, int]) -> int:
    named = names.get(text.lower())
    if named is not None:
        return named
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise _Bad(f'failed to parse int from {text}: strconv.Atoi: parsing "{text}": invalid syntax')
    number = int(text)
    if number < 0:
        raise _Bad(f"negative number ({number}) not allowed: {text}")
    return number
