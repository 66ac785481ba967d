"""Decides whether the event loop waits for the disk itself: where that is faster than waking a thread and being woken.

On a slow disk the loop does not wait, since no other request is answered meanwhile. Nor does it if the CPUs are busy:
after each wait, however short, the scheduler runs the thread that has just computed last, and one that mostly sleeps
first (measured with ten busy processes on two CPUs: 150 instead of 480 writes per second).
"""

ACCEPTABLE_SECONDS = 0.0006  # a reader waits no longer than this for a writer, on average
WEIGHT = 1 / 32  # of one commit in the average
OUTLIER_SECONDS = 0.005  # the most that one commit counts for: every disk stalls now and then, in either mode
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0  # seconds


class Pace:
    """Measures commits on the loop. While they are slow on average, they run on a thread, except for a few."""

    def __init__(self) -> None:
        self._average = 0.0
        self._paused_until = 0.0
        self._pause = FIRST_PAUSE

    def is_quick(self, now: float) -> bool:
        return now >= self._paused_until

    def observe(self, seconds: float, now: float) -> None:
        """Record the duration of a commit that ended at `now`."""
        self._average += (min(seconds, OUTLIER_SECONDS) - self._average) * WEIGHT
        if self._average > ACCEPTABLE_SECONDS:
            self._paused_until = now + self._pause
            self._pause = min(self._pause * 2, LONGEST_PAUSE)
            self._average = ACCEPTABLE_SECONDS  # the next try decides
        elif now > self._paused_until + self._pause:
            self._pause = FIRST_PAUSE
