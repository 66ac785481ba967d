from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.kube.cron import BadSchedule, parse

NEW_YORK = ZoneInfo("America/New_York")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("schedule", "after", "wanted"),
    [
        ("* * * * *", "2026-01-01 00:00:30", "2026-01-01 00:01"),
        ("*/15 * * * *", "2026-01-01 00:15", "2026-01-01 00:30"),
        ("5-20/10 * * * *", "2026-01-01 00:05", "2026-01-01 00:15"),
        ("0 9 * * mon-fri", "2026-01-02 09:00", "2026-01-05 09:00"),
        ("0 0 13 * 5", "2026-02-01 00:00", "2026-02-06 00:00"),  # the 13th, or a Friday
        ("0 0 */2 * 5", "2026-01-31 00:00", "2026-02-01 00:00"),  # a step restricts
        ("0 0 ? * 5", "2026-02-01 00:00", "2026-02-06 00:00"),
        ("0 0 29 2 *", "2026-01-01 00:00", "2028-02-29 00:00"),
        ("@yearly", "2026-01-01 00:00", "2027-01-01 00:00"),
        ("@monthly", "2026-01-01 00:00", "2026-02-01 00:00"),
        ("@weekly", "2026-01-01 00:00", "2026-01-04 00:00"),
        ("@midnight", "2026-01-01 00:00", "2026-01-02 00:00"),
        ("@hourly", "2026-01-01 00:00", "2026-01-01 01:00"),
        ("@every 1h30m", "2026-01-01 00:00", "2026-01-01 01:30"),
        ("@every 10ms", "2026-01-01 00:00", "2026-01-01 00:00:01"),
    ],
)
def test_the_next_moment(schedule: str, after: str, wanted: str) -> None:
    assert parse(schedule).after(at(after)) == at(wanted)


def test_a_day_that_never_comes_is_never() -> None:
    assert parse("0 0 30 2 *").after(at("2026-01-01 00:00")) is None


@pytest.mark.parametrize(
    ("schedule", "after", "wanted"),
    [
        ("30 9 * * *", "2026-01-01 00:00", "2026-01-01 14:30"),
        ("30 2 * * *", "2026-03-08 00:00", "2026-03-09 06:30"),  # 02:30 is skipped on the 8th
        ("30 1 * * *", "2026-11-01 05:30", "2026-11-01 06:30"),  # 01:30 comes twice
        ("0 0 * * *", "2026-03-08 05:00", "2026-03-09 04:00"),
    ],
)
def test_moments_are_those_of_the_wall_clock_in_a_zone(schedule: str, after: str, wanted: str) -> None:
    assert parse(schedule).after(at(after), NEW_YORK) == at(wanted)


def test_a_schedule_that_cannot_be_read_says_why() -> None:
    with pytest.raises(BadSchedule, match="expected exactly 5 fields, found 1"):
        parse("soon")


fields = st.tuples(
    st.sampled_from(["*", "0", "*/7", "3,41", "10-20"]),
    st.sampled_from(["*", "0", "*/5", "1-3", "2"]),
    st.sampled_from(["*", "1", "*/10", "31", "15-17"]),
    st.sampled_from(["*", "1", "2-4", "*/6"]),
    st.sampled_from(["*", "0", "mon-fri", "*/2"]),
)
moments = st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)).map(lambda moment: moment.replace(tzinfo=UTC))  # noqa: DTZ001 - bounds are naive


@given(fields, moments, st.sampled_from(["UTC", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kolkata"]))
def test_the_next_moment_is_later_and_nothing_lies_between(parts: tuple[str, ...], moment: datetime, zone: str) -> None:
    schedule = parse(" ".join(parts))

    found = schedule.after(moment, ZoneInfo(zone))

    if found is not None:
        assert found > moment
        assert schedule.after(found - timedelta(seconds=1), ZoneInfo(zone)) == found
        if found - moment > timedelta(minutes=2):
            assert schedule.after(moment + (found - moment) / 2, ZoneInfo(zone)) == found


def test_a_duration_or_a_number_that_is_too_long_is_refused() -> None:
    with pytest.raises(BadSchedule, match="invalid duration"):
        parse("@every 99999999999h")
    with pytest.raises(BadSchedule, match="value out of range"):
        parse(f"{'9' * 2000} * * * *")
