"""How long a container that ended waits for its next run: 10 s, doubling to 5 min, and none after 10 good minutes.

It is read off the runs themselves, so that it goes on where it was when the agent is restarted. Where the oldest known
run is not the first, the pause that came after it tells how far the doubling had got.
"""

from collections.abc import Sequence

from windlass.node.lifecycle.runs import Run

FIRST, LONGEST = 10.0, 300.0
FORGIVEN_AFTER = 2 * LONGEST  # seconds that a run must last
STEPS = (0.0, 10.0, 20.0, 40.0, 80.0, 160.0, 300.0)


def delay(history: Sequence[Run]) -> float:
    """Seconds from the end of the newest run to the next one's start."""
    step = 0
    for index, run in enumerate(history):
        step = _seed(run, history[1] if len(history) > 1 else None) if index == 0 else min(step + 1, len(STEPS) - 1)
        if run.started_at and run.finished_at - run.started_at > FORGIVEN_AFTER:
            step = 0
    return STEPS[step]


def _seed(oldest: Run, following: Run | None) -> int:
    """The step after the oldest known run: at most what its number allows."""
    most = min(oldest.attempt, len(STEPS) - 1)
    if following is None or not (oldest.finished_at and following.started_at):
        return most
    pause = following.started_at - oldest.finished_at + 1.0  # times in a status are cut to the second
    return min(most, max(index for index, length in enumerate(STEPS) if length <= max(pause, 0.0)))
