import asyncio
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from windlass.kube.queue import Bucket, Line, Queue

KEYS = st.sampled_from("abcde")


class AnyOrderOfCalls(RuleBasedStateMachine):
    """A model beside the line: what was added since it was last taken must still come out."""

    def __init__(self) -> None:
        super().__init__()
        self.line: Line[str] = Line()
        self.owed: set[str] = set()
        self.held: list[str] = []

    @rule(key=KEYS)
    def add(self, key: str) -> None:
        self.line.add(key)
        self.owed.add(key)

    @precondition(lambda self: len(self.line) > 0)
    @rule()
    def take(self) -> None:
        key = self.line.take()
        assert key not in self.held, "two workers hold one key"
        assert key in self.owed, "nobody added it"
        self.owed.discard(key)
        self.held.append(key)

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def done(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(self.held))
        self.held.remove(key)
        self.line.done(key)

    @invariant()
    def what_is_owed_is_in_line_unless_a_worker_holds_it(self) -> None:
        assert len(self.line) == len(self.owed - set(self.held))

    def teardown(self) -> None:
        for key in list(self.held):
            self.line.done(key)
        out = [self.line.take() for _ in range(len(self.line))]
        assert len(out) == len(set(out)), "a key was in line twice"
        assert set(out) == self.owed, "a key was lost"


TestAnyOrderOfCalls = AnyOrderOfCalls.TestCase


@given(st.lists(KEYS), st.integers(1, 4))
async def test_every_key_is_worked_on_and_never_by_two_workers_at_once(keys: list[str], workers: int) -> None:
    queue: Queue[str] = Queue()
    worked: list[str] = []
    held: set[str] = set()

    async def worker() -> None:
        async for key in queue:
            assert key not in held
            held.add(key)
            await asyncio.sleep(0)
            held.discard(key)
            worked.append(key)
            queue.done(key)
            if not len(queue) and not held:
                queue.shut_down()

    running = [asyncio.create_task(worker()) for _ in range(workers)]
    for key in keys:
        queue.add(key)
    if not keys:
        queue.shut_down()
    await asyncio.gather(*running)

    assert set(worked) == set(keys)


async def first(queue: Queue[Any]) -> Any:
    async for key in queue:
        return key
    return None


async def test_a_key_added_while_it_is_worked_on_is_worked_on_again() -> None:
    queue: Queue[str] = Queue()
    queue.add("a")
    assert await first(queue) == "a"

    queue.add("a")
    assert len(queue) == 0
    queue.done("a")

    assert len(queue) == 1


async def test_failures_double_the_delay_up_to_the_limit_and_success_forgets_them() -> None:
    queue: Queue[str] = Queue(first_delay=1, longest_delay=6)

    assert [queue.retry("a") for _ in range(5)] == [1, 2, 4, 6, 6]
    queue.done("a")
    assert queue.retry("a") == 1
    assert queue.failures("a") == 1
    queue.shut_down()


async def test_delays_are_client_gos() -> None:
    queue: Queue[str] = Queue()

    delays = [queue.retry("a") for _ in range(30)]

    assert delays[0] == 0.005
    assert delays[-1] == 1000
    queue.shut_down()


async def test_of_two_delayed_adds_the_sooner_stands() -> None:
    queue: Queue[str] = Queue()

    queue.add_after("a", 3600)
    queue.add_after("a", 0.001)
    queue.add_after("a", 3600)

    assert await first(queue) == "a"
    queue.shut_down()


async def test_a_failed_key_comes_back() -> None:
    queue: Queue[str] = Queue()
    queue.add("a")
    queue.retry(await first(queue))

    assert await first(queue) == "a"


async def test_shutting_down_lets_every_waiting_worker_go_and_takes_nothing_more() -> None:
    queue: Queue[str] = Queue()
    workers = [asyncio.create_task(first(queue)) for _ in range(3)]
    await asyncio.sleep(0)

    queue.shut_down()
    queue.add("a")

    assert await asyncio.gather(*workers) == [None, None, None]
    assert len(queue) == 0


async def test_a_cancelled_worker_does_not_take_a_wake_up_with_it() -> None:
    queue: Queue[str] = Queue()
    cancelled, other = (asyncio.create_task(first(queue)) for _ in range(2))
    await asyncio.sleep(0)

    queue.add("a")  # wakes the first, which is cancelled before it runs
    cancelled.cancel()

    assert await other == "a"


def test_a_bucket_gives_its_burst_at_once_and_then_spaces_the_rest() -> None:
    now = 0.0
    bucket = Bucket(rate=10, burst=2, clock=lambda: now)

    assert [bucket.delay() for _ in range(4)] == [0, 0, 0.1, 0.2]
    now = 100.0
    assert bucket.delay() == 0
