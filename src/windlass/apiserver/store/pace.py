"""Whether the event loop waits for the disk itself: where that takes less time than waking a thread and being woken.

On a slow disk it does not, for nobody else is answered meanwhile. Nor does it where the processors are taken: after
each wait, however short, the thread that has just computed comes last in the line for one, and one that mostly sleeps
first (measured with ten busy processes on two processors: 150 instead of 480 writes in a second).
"""

ACCEPTABLE_SECONDS = 0.0006  # a reader waits no longer than this for a writer, on average
WEIGHT = 1 / 32  # of one commit in the average
OUTLIER_SECONDS = 0.005  # the most that one commit counts for: every disk stalls now and then, whoever waits for it
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0  # seconds


class Pace:
    """Measures commits on the loop. While they are slow on average there are none, except for a try now and then."""

    def __init__(self) -> None:
        self._average = 0.0
        self._paused_until = 0.0
        self._pause = FIRST_PAUSE

    def is_quick(self, now: float) -> bool:
        return now >= self._paused_until

    def observe(self, seconds: float, now: float) -> None:
        """A commit took so long, and is over `now`."""
        self._average += (min(seconds, OUTLIER_SECONDS) - self._average) * WEIGHT
        if self._average > ACCEPTABLE_SECONDS:
            self._paused_until = now + self._pause
            self._pause = min(self._pause * 2, LONGEST_PAUSE)
            self._average = ACCEPTABLE_SECONDS  # the next try decides
        elif now > self._paused_until + self._pause:
            self._pause = FIRST_PAUSE
