"""Series of points that a job reports (`/api/jobs/{kind}/{ns}/{name}/curves`)."""

from typing import Literal

from windlass.gateway.views.parts import Time, View


class Series(View):
    """One metric of one replica or of one TensorBoard run."""

    name: str
    """`loss`, `accuracy`, `train/loss`."""
    replica: str
    """`worker-0`; empty for event files."""
    run: str
    """The directory of the event file below the claim, as TensorBoard calls runs; empty for logs."""
    source: Literal["log", "tensorboard"]
    x: Literal["step", "epoch", "line"]
    """What `steps` counts: the reported step or epoch, or lines of the log where neither rises with the points."""
    steps: tuple[float, ...]
    values: tuple[float, ...]
    times: tuple[float, ...]
    """Seconds since 1970; empty where the lines have no time."""
    total: int
    """Points before they were thinned out."""


class JobCourse(View):
    """The newest values of a job's loss, or of the metric that it reports first."""

    kind: str
    name: str
    metric: str
    """Empty if it reports none."""
    values: tuple[float, ...]
    """At most 60, the oldest first."""


class CoursesView(View):
    """Answer of `GET /api/jobs/{ns}/courses`, for a table of jobs."""

    courses: tuple[JobCourse, ...]
    """Of those that were asked for, exist and whose logs the user may read."""


class CurvesView(View):
    """Answer of the route."""

    series: tuple[Series, ...]
    """Losses first, then by name."""
    notes: tuple[str, ...]
    """What could not be read, and why."""
    cursor: str
    """For `since`: an answer to it has no series while nothing is new."""
    read_at: Time
