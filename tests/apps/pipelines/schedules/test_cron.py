from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.apps.pipelines.schedules.cron import MAX_TIME, latest_until, next_after, parse, time_zone

BASE = "2026-01-01 00:00:00"
ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/St_Johns", "Asia/Kolkata"]


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("expression", "after", "expected"),
    [
        ("* * * * * *", BASE, "2026-01-01 00:00:01"),
        ("*/2 * * * * *", BASE, "2026-01-01 00:00:02"),
        ("*/2 * * * *", BASE, "2026-01-01 00:00:02"),  # five fields: the first is still the second
        ("0 30 9 * *", BASE, "2026-01-01 09:30:00"),
        ("0 0 9 ? * 2-6", BASE, "2026-01-01 09:00:00"),
        ("0 0 9 ? * 2-6", "2026-01-03 09:00:00", "2026-01-06 09:00:00"),
        ("0 0 9 ? * MON-FRI", "2026-01-02 09:00:00", "2026-01-05 09:00:00"),
        ("0 0 0 1 feb,Nov ?", BASE, "2026-02-01 00:00:00"),
        ("10-30/10 5 * * * ?", "2026-01-01 00:05:10", "2026-01-01 00:05:20"),
        ("50/5 * * * * *", BASE, "2026-01-01 00:00:50"),
        ("59 59 23 31 12 ?", BASE, "2026-12-31 23:59:59"),
        ("0 0 0 29 2 ?", BASE, "2028-02-29 00:00:00"),
        ("0 0 0 13 * 5", "2026-02-01 00:00:00", "2026-02-06 00:00:00"),  # the 13th, or a Friday
        ("0 0 0 */2 * 5", "2026-01-30 00:00:00", "2026-02-13 00:00:00"),  # a Friday on an odd day
        ("@yearly", BASE, "2027-01-01 00:00:00"),
        ("@monthly", BASE, "2026-02-01 00:00:00"),
        ("@weekly", BASE, "2026-01-04 00:00:00"),
        ("@daily", BASE, "2026-01-02 00:00:00"),
        ("@hourly", BASE, "2026-01-01 01:00:00"),
        ("@every 1h30m10s", BASE, "2026-01-01 01:30:10"),
        ("@every 10ms", BASE, "2026-01-01 00:00:01"),
    ],
)
def test_the_next_moment_of_an_expression(expression: str, after: str, expected: str) -> None:
    assert next_after(parse(expression), at(after)) == at(expected)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("", "expected 5 or 6 fields"),
        ("* * * *", "found 4"),
        ("* * * * * * *", "found 7"),
        ("60 * * * * *", "second: end of range"),
        ("0 61 * * * *", "minute: end of range"),
        ("0 0 24 * * *", "hour: end of range"),
        ("0 0 0 0 * *", "day: beginning of range"),
        ("0 0 0 1 13 *", "month: end of range"),
        ("0 0 0 ? * 7", "weekday: end of range"),
        ("0 0 0 ? * someday", "weekday: failed to parse int from someday"),
        ("*/0 * * * * *", "second: step of range should be a positive number"),
        ("5-1 * * * * *", "second: beginning of range"),
        ("1-2-3 * * * * *", "second: too many hyphens"),
        ("1/2/3 * * * * *", "second: too many slashes"),
        ("-1 * * * * *", "second"),
        (f"{'9' * 2000} * * * * *", "value out of range"),
        ("@fortnightly", "unrecognized descriptor"),
        ("@every soon", "invalid duration"),
        ("@every -5s", "invalid duration"),
        ("@every 99999999999h", "invalid duration"),
    ],
)
def test_an_expression_that_cannot_be_read_is_refused_by_the_field(expression: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse(expression)


@given(st.text(st.sampled_from("0123456789*/-,? @ABCeverydaily"), max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        schedule = parse(text)
    except ValueError:
        return
    following = next_after(schedule, at(BASE))
    assert following is None or following > at(BASE)


@pytest.mark.parametrize(
    ("expression", "after", "expected"),
    [
        ("0 30 9 * * ?", "2026-01-01 00:00:00", "2026-01-01 14:30:00"),
        ("15 30 2 * * ?", "2026-03-08 00:00:00", "2026-03-09 06:30:15"),  # 02:30 is skipped on the 8th
        ("0 30 1 * * ?", "2026-11-01 05:30:00", "2026-11-01 06:30:00"),  # 01:30 comes twice
    ],
)
def test_fields_are_those_of_the_clock_in_the_zone(expression: str, after: str, expected: str) -> None:
    assert next_after(parse(expression, ZoneInfo("America/New_York")), at(after)) == at(expected)


def test_a_clock_that_is_set_within_an_hour_skips_nothing() -> None:
    schedule = parse("0 30 1 * * ?", ZoneInfo("America/St_Johns"))  # 00:01 became 01:01 on 11 March 2007

    assert next_after(schedule, at("2007-03-11 03:30:00")) == at("2007-03-11 04:00:00")


@pytest.mark.parametrize("name", ["Mars/Olympus", "../../etc/passwd", "Europe", "/etc/passwd", "a\0b"])
def test_a_time_zone_that_does_not_exist_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="unknown time zone"):
        time_zone(name)


def test_time_zones_are_found_by_name() -> None:
    assert time_zone("") is UTC
    assert time_zone("Europe/Berlin") == ZoneInfo("Europe/Berlin")


def test_a_day_that_never_comes_and_the_end_of_the_calendar_have_no_moment() -> None:
    assert next_after(parse("0 0 0 30 2 ?"), at(BASE)) is None
    assert next_after(parse("* * * * * *"), MAX_TIME) is None
    assert next_after(parse("* * * * * *"), 1e300) is None
    assert next_after(parse("* * * * * *"), -1e300) == 1.0


def values(low: int, high: int) -> st.SearchStrategy[tuple[str, set[int]]]:
    """A field, and the values that it names, worked out apart from the parser."""
    number = st.integers(low, high)
    single = number.map(lambda n: (str(n), {n}))
    ranges = st.tuples(number, number).map(sorted)
    stretch = ranges.map(lambda ends: (f"{ends[0]}-{ends[1]}", set(range(ends[0], ends[1] + 1))))
    steps = st.integers(1, high).map(lambda step: (f"*/{step}", set(range(low, high + 1, step))))
    every = st.sampled_from(["*", "?"]).map(lambda star: (star, set(range(low, high + 1))))
    item = st.one_of(every, every, single, stretch, steps)
    return st.lists(item, min_size=1, max_size=2).map(
        lambda items: (",".join(text for text, _ in items), set().union(*(numbers for _, numbers in items)))
    )


Fields = tuple[tuple[str, set[int]], ...]
fields = st.tuples(values(0, 59), values(0, 59), values(0, 23), values(1, 31), values(1, 12), values(0, 6))
moments = st.integers(int(at("2005-01-01")), int(at("2035-01-01"))).map(float)


def matches(parts: Fields, moment: float, zone: str) -> bool:
    local = datetime.fromtimestamp(moment, ZoneInfo(zone))
    second, minute, hour, day, month, weekday = (numbers for _, numbers in parts)
    has_star = ["*" in parts[n][0] or "?" in parts[n][0] for n in (3, 5)]
    by_day, by_weekday = local.day in day, local.isoweekday() % 7 in weekday
    on_day = by_day and by_weekday if any(has_star) else by_day or by_weekday
    return local.second in second and local.minute in minute and local.hour in hour and local.month in month and on_day


@given(fields, moments, st.sampled_from(ZONES), st.data())
def test_the_next_moment_is_later_matches_and_is_the_first(
    parts: Fields, moment: float, zone: str, data: st.DataObject
) -> None:
    schedule = parse(" ".join(text for text, _ in parts), ZoneInfo(zone))

    following = next_after(schedule, moment)

    assert following is not None or "30" in parts[3][0] or "31" in parts[3][0] or "29" in parts[3][0]
    if following is None:
        return
    assert following > moment
    assert matches(parts, following, zone)
    between = range(int(moment) + 1, int(following))
    for second in between if len(between) < 200 else data.draw(st.lists(st.sampled_from(between), max_size=50)):
        assert not matches(parts, second, zone)


@given(fields, moments, st.integers(0, 100_000), st.sampled_from(ZONES))
def test_the_latest_moment_is_not_too_late_and_none_follows_in_time(
    parts: Fields, base: float, passed: int, zone: str
) -> None:
    schedule, until = parse(" ".join(text for text, _ in parts), ZoneInfo(zone)), base + passed

    latest = latest_until(schedule, base, until)

    following = next_after(schedule, base if latest is None else latest)
    assert following is None or following > until
    if latest is not None:
        assert base < latest <= until
        assert matches(parts, latest, zone)


@given(st.integers(1, 5000), moments, st.integers(0, 100_000))
def test_the_latest_moment_of_an_interval_is_counted_from_the_base(period: int, base: float, passed: int) -> None:
    latest = latest_until(parse(f"@every {period}s"), base, base + passed)

    assert latest == (base + passed // period * period if passed >= period else None)
