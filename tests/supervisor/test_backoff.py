"""A component that crashes once is back at once; one that goes on crashing waits longer each time."""

from windlass.supervisor.backoff import MAX_DELAY_SECONDS, STABLE_AFTER_SECONDS, Backoff


def delays(*ran_for: float) -> list[float]:
    backoff, found = Backoff(), list[float]()
    for seconds in ran_for:
        backoff = backoff.after(seconds)
        found.append(backoff.delay)
    return found


def test_the_first_restart_is_at_once_and_later_ones_wait_longer() -> None:
    assert delays(1, 1, 1, 1) == [0.0, 0.2, 0.4, 0.8]
    assert delays(*[1] * 50)[-1] == MAX_DELAY_SECONDS


def test_a_crash_after_a_long_run_counts_as_the_first() -> None:
    assert delays(1, 1, STABLE_AFTER_SECONDS, 1) == [0.0, 0.2, 0.0, 0.2]
