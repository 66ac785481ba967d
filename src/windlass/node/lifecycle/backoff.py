"""How long a container that ended waits for its next run: 10 s, doubling to 5 min, and none after 10 good minutes.

It is read off the runs that the runtime remembers, so that it goes on where it was when the agent is restarted. Where
the oldest of them is not the first, the pause that came after it tells how far the doubling had got. Runs that only the
status knows do not count, as in kubelet, which forgets them with itself.
"""

from collections.abc import Sequence

from windlass.node.lifecycle.runs import Run

FIRST, LONGEST = 10.0, 300.0
FORGIVEN_AFTER = 2 * LONGEST  # seconds that a run must last
STEPS = (0.0, 10.0, 20.0, 40.0, 80.0, 160.0, 300.0)


def delay(history: Sequence[Run]) -> float:
    """Seconds from the end of the newest run to the next one's start."""
    counted = [run for run in history if not run.told] or history[-1:]
    step = 0
    for index, run in enumerate(counted):
        step = _seed(counted) if index == 0 else min(step + 1, len(STEPS) - 1)
        if run.started_at and run.finished_at - run.started_at > FORGIVEN_AFTER:
            step = 0
    return STEPS[step]


def _seed(counted: Sequence[Run]) -> int:
    """The step after the oldest known run: at most what its number allows, and no more than one where it is alone."""
    oldest = counted[0]
    most = min(oldest.attempt, len(STEPS) - 1)
    if len(counted) == 1:
        return min(most, 1)
    following = counted[1]
    if not (oldest.finished_at and following.started_at):
        return most
    pause = following.started_at - oldest.finished_at + 1.0  # times in a status are cut to the second
    return min(most, max(index for index, length in enumerate(STEPS) if length <= max(pause, 0.0)))
