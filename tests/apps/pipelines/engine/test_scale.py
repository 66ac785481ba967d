"""Large loops: what the engine does grows with what changes, not with the size of the run."""

import sys
from types import FrameType
from typing import Any

from tests.apps.pipelines.engine.world import World
from tests.apps.pipelines.specs import PLAIN, dag, loop, pipeline, task
from windlass.apps.pipelines.model import RunState


class CountingWorld(World):
    """Counts the calls of functions inside the engine's turns."""

    calls = 0

    def turn(self, *happened: Any) -> None:
        def count(frame: FrameType, event: str, _: Any) -> None:
            if event == "call" and "windlass" in frame.f_code.co_filename:
                self.calls += 1

        engine_turn = self.engine.turn

        def counted(*arguments: Any) -> Any:
            sys.setprofile(count)
            try:
                return engine_turn(*arguments)
            finally:
                sys.setprofile(None)

        self.engine.turn = counted  # type: ignore[method-assign]
        try:
            super().turn(*happened)
        finally:
            self.engine.turn = engine_turn  # type: ignore[method-assign]


def calls_of_loop(count: int) -> int:
    spec = pipeline(
        dag({"each": loop("each", list(range(count)), limit=20)}),
        each=dag({"a": task("plain"), "b": task("plain", after=("a",))}, inputs={"item": "NUMBER_INTEGER"}),
        plain=PLAIN,
    )
    world = CountingWorld(spec)
    world.run_to_end()
    assert world.run.state is RunState.SUCCEEDED
    assert len(world.started) == 2 * count
    assert world.changed < 15 * count, "each task is saved a few times, not in each turn"
    return world.calls


def test_a_thousand_iterations_cost_ten_times_a_hundred() -> None:
    small, large = calls_of_loop(100), calls_of_loop(1000)

    assert large < 11 * small


def test_a_long_chain_of_skipped_tasks_needs_no_recursion() -> None:
    tasks = {"t0": task("plain", condition="1 == 2")}
    tasks |= {f"t{n}": task("plain", after=(f"t{n - 1}",)) for n in range(1, 3000)}
    world = World(pipeline(dag(tasks), plain=PLAIN))

    world.turn()

    assert world.run.state is RunState.SUCCEEDED
