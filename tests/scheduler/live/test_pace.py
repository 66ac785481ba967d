"""Writes that nobody waits for are spread over time, and namespaces take turns."""

from windlass.kube.meta import Key
from windlass.scheduler.live.writers.pace import Pace


def keys(namespace: str, count: int) -> list[Key]:
    return [Key(namespace, f"p{number}") for number in range(count)]


def wait(pace: Pace, *waiting: Key) -> None:
    for key in waiting:
        pace.add(key)


def times(pace: Pace, now: float) -> dict[Key, float]:
    """When each write is made if all are made as soon as they may be."""
    made: dict[Key, float] = {}
    while pace:
        now += pace.delay(now)
        key = pace.take(now)
        if key is not None:
            made[key] = now
    return made


def test_a_burst_is_written_at_once_and_the_rest_at_the_rate() -> None:
    pace, many = Pace(rate=100, burst=1000), keys("a", 3000)
    wait(pace, *many)
    made = times(pace, 5.0)

    assert list(made) == many
    assert {made[key] for key in many[:1000]} == {5.0}
    assert round(made[many[1000]], 6) == 5.01
    assert round(made[many[-1]], 3) == 25


def test_a_write_of_another_namespace_does_not_wait_behind_60_000() -> None:
    pace = Pace(rate=100, burst=1000)
    wait(pace, *keys("a", 60_000))
    while pace.take(0.0):
        pass
    wait(pace, Key("b", "p"))
    soon = [pace.take(0.0 + tick / 100) for tick in range(1, 4)]

    assert Key("b", "p") in soon
    assert len(times(pace, 0.03)) == 60_000 - 1000 - 2


def test_namespaces_take_turns_and_each_keeps_its_order() -> None:
    pace = Pace(rate=100, burst=1000)
    wait(pace, *keys("a", 4), *keys("b", 2), *keys("c", 1))

    assert [f"{key.namespace}{key.name[1:]}" for key in times(pace, 0.0)] == ["a0", "b0", "c0", "a1", "b1", "a2", "a3"]


def test_a_write_that_waits_already_is_made_once() -> None:
    pace = Pace(rate=100, burst=1000)
    wait(pace, *keys("a", 2), *keys("a", 2))

    assert list(times(pace, 0.0)) == keys("a", 2)
    assert pace.take(1.0) is None


def test_after_a_pause_there_is_room_for_a_burst_again() -> None:
    pace = Pace(rate=10, burst=5)
    wait(pace, *keys("a", 20))
    assert [pace.take(0.0) is None for _ in range(7)] == [False] * 5 + [True] * 2
    assert [pace.take(60.0) is None for _ in range(7)] == [False] * 5 + [True] * 2
    assert round(pace.delay(60.0), 6) == 0.1
