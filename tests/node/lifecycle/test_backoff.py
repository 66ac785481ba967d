"""How long a container waits before its next run."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from windlass.node.lifecycle.backoff import MAX_DELAY, STEPS, delay
from windlass.node.lifecycle.runs import Run


def lives(*seconds: float, first: int = 0) -> list[Run]:
    """Runs of these lengths, each after the pause that it had to wait."""
    history: list[Run] = []
    now = 1_800_000_000.0
    for number, length in enumerate(seconds):
        run = Run(number, running=False, here=True, started_at=now, finished_at=now + length, exit_code=1)
        history.append(run)
        now += length + delay(history)
    return history[first:]


def test_it_doubles_from_ten_seconds_to_five_minutes() -> None:
    assert [delay(lives(*[1.0] * number)) for number in range(1, 10)] == [0, 10, 20, 40, 80, 160, 300, 300, 300]


def test_nothing_is_waited_after_ten_good_minutes_and_then_it_begins_anew() -> None:
    assert delay(lives(1, 1, 1, 601)) == 0
    assert delay(lives(1, 1, 1, 599)) == 40
    assert delay(lives(1, 1, 1, 601, 1)) == 10
    assert delay(lives(1, 1, 1, 601, 1, 1)) == 20


def test_a_run_that_never_started_is_not_a_good_one() -> None:
    failed = Run(1, running=False, here=True, finished_at=1_800_000_000.0, exit_code=128)

    assert delay([*lives(1), failed]) == 10


def test_where_the_oldest_runs_are_forgotten_the_pauses_tell() -> None:
    for number in range(2, 8):
        whole = lives(*[1.0] * 9)
        assert delay(whole[:number]) == delay(whole[number - 2 : number])


def test_one_run_that_is_not_the_first_tells_nothing_of_those_before_it() -> None:
    assert delay(lives(*[1.0] * 9, first=8)) == 10
    assert delay(lives(1)) == 0


def test_runs_that_only_the_status_knows_do_not_count_beside_others() -> None:
    history = lives(1, 1, 1)
    told = [replace(run, from_status=True) for run in history]

    assert delay([told[0], told[1], history[2]]) == 10
    assert delay(told) == delay(told[-1:]) == 10
    assert delay(told[:1]) == 0


@given(st.lists(st.floats(0.1, 1000), min_size=1, max_size=12))
def test_it_is_always_one_of_the_steps_and_never_more_than_one_further(lengths: list[float]) -> None:
    before = 0.0
    for number in range(1, len(lengths) + 1):
        now = delay(lives(*lengths[:number]))
        assert now in STEPS
        assert now <= max(2 * before, STEPS[1], 0) or now == MAX_DELAY
        before = now
