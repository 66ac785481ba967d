"""Restart back-off: 10 s, doubling up to 5 min, and reset after a run of 10 minutes.

It is derived from the runs that the runtime remembers, so that it continues after a restart of the agent. Where the
oldest remembered run is not the first, the pause after it shows how far the doubling had advanced. Runs known only from
the status do not count, as in kubelet, which forgets them when it restarts.
"""

from collections.abc import Sequence

from windlass.node.lifecycle.runs import Run

INITIAL_DELAY, MAX_DELAY = 10.0, 300.0
RESET_AFTER = 2 * MAX_DELAY  # seconds that a run must last
STEPS = (0.0, 10.0, 20.0, 40.0, 80.0, 160.0, 300.0)


def delay(history: Sequence[Run]) -> float:
    """Return the seconds from the end of the newest run to the start of the next."""
    counted = [run for run in history if not run.from_status] or history[-1:]
    step = 0
    for index, run in enumerate(counted):
        step = _seed(counted) if index == 0 else min(step + 1, len(STEPS) - 1)
        if run.started_at and run.finished_at - run.started_at > RESET_AFTER:
            step = 0
    return STEPS[step]


def _seed(counted: Sequence[Run]) -> int:
    """Return the step after the oldest known run: limited by its number, and at most one if it is the only run."""
    oldest = counted[0]
    limit = min(oldest.attempt, len(STEPS) - 1)
    if len(counted) == 1:
        return min(limit, 1)
    following = counted[1]
    if not (oldest.finished_at and following.started_at):
        return limit
    pause = following.started_at - oldest.finished_at + 1.0  # times in a status are cut to the second
    return min(limit, max(index for index, length in enumerate(STEPS) if length <= max(pause, 0.0)))
