"""Writes that nobody waits for are spread over time."""

from windlass.scheduler.live.writers.pace import Pace


def test_a_burst_is_written_at_once_and_the_rest_at_the_rate() -> None:
    pace = Pace(rate=100, burst=1000)
    delays = [pace.delay(5.0) for _ in range(60_000)]

    assert max(delays[:1000]) == 0
    assert round(delays[1000], 6) == 0.01
    assert round(delays[-1], 3) == 590
    assert delays == sorted(delays)


def test_after_a_pause_there_is_room_for_a_burst_again() -> None:
    pace = Pace(rate=10, burst=5)
    for _ in range(20):
        pace.delay(0.0)

    assert pace.delay(0.0) > 1
    assert [round(pace.delay(60.0), 6) for _ in range(5)] == [0] * 5
    assert pace.delay(60.0) > 0
