"""The newest values of many jobs at once: few requests, kept for some seconds, and never those of another user."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.gateway.browser import Person, signed_in
from tests.gateway.platform import Platform
from tests.gateway.shared_platforms import OWN, SECRET
from tests.gateway.views.builders import AT, a_job, a_pod
from windlass.apps.training.web.learning.courses import COURSE_AGE, MAX_JOBS, CourseReader
from windlass.apps.training.web.learning.curve_reader import CurveReader
from windlass.gateway.request import Identity
from windlass.kube.client import Listing
from windlass.kube.errors import Forbidden, NotFound
from windlass.kube.kind import Kind
from windlass.kube.meta import Key

JOBS = Kind(group="kubeflow.org", version="v1", name="PyTorchJob", plural="pytorchjobs")
ADA, BOB = (Identity(user=name, groups=(), proof="session") for name in ("ada", "bob"))


class FakeApi:
    """Twenty jobs of two pods each; the log of a worker has a loss."""

    def __init__(self, *, may_read_logs: bool = True) -> None:
        self.asked: list[str] = []
        self._may_read_logs = may_read_logs

    async def get(self, kind: Kind, name: str, namespace: str = "") -> Any:
        self.asked.append(f"get {name}")
        if name == "gone":
            raise NotFound("it is gone")
        return a_job(name, namespace)

    async def list(self, kind: Kind, namespace: str = "", *, labels: str = "") -> Listing[Any]:
        self.asked.append(f"list {labels}")
        names = labels.partition("(")[2].rstrip(")").split(",")
        statuses = [{"name": "pytorch", "state": {"running": {"startedAt": AT}}, "restartCount": 0}]
        pods = [
            a_pod(f"{name}-{role}-0", namespace, job=name, phase="Running", containerStatuses=statuses)
            for name in names
            for role in ("master", "worker")
        ]
        return Listing(pods, "1")

    async def logs(self, pod: Key, **_: Any) -> AsyncIterator[bytes]:
        self.asked.append(f"log {pod.name}")
        if not self._may_read_logs:
            raise Forbidden("you may not read logs")
        value = 0.5 if "worker" in pod.name else None
        yield b"2026-01-01T10:00:00.000000001Z " + (f"loss={value} step=1" if value else "hello").encode()


def courses_of(api: FakeApi, clock: list[float]) -> CourseReader:
    return CourseReader(CurveReader(api, Path("/nowhere")), clock=lambda: clock[0])  # pyright: ignore[reportArgumentType] - stands for a client


async def test_many_jobs_are_one_list_and_the_logs_that_are_needed() -> None:
    api, clock = FakeApi(), [0.0]
    reader, wanted = courses_of(api, clock), [(JOBS, f"job-{number}") for number in range(20)]

    view = await reader.read(ADA, api, "ml", [*wanted, (JOBS, "gone")])  # pyright: ignore[reportArgumentType] - as above

    assert [(one.name, one.metric, one.values) for one in view.courses] == [
        (name, "loss", (0.5,)) for _, name in wanted
    ]
    assert sum(one.startswith("list") for one in api.asked) == 1
    assert sum(one.startswith("log") for one in api.asked) == 40, "masters say nothing, so workers are read too"


async def test_answers_last_some_seconds_for_the_one_who_asked() -> None:
    api, clock = FakeApi(), [0.0]
    reader = courses_of(api, clock)
    await reader.read(ADA, api, "ml", [(JOBS, "bert")])  # pyright: ignore[reportArgumentType] - as above
    asked = len(api.asked)

    await reader.read(ADA, api, "ml", [(JOBS, "bert")])  # pyright: ignore[reportArgumentType] - as above
    assert len(api.asked) == asked
    refused = FakeApi(may_read_logs=False)
    view = await reader.read(BOB, refused, "ml", [(JOBS, "bert")])  # pyright: ignore[reportArgumentType] - as above
    assert [(one.metric, one.values) for one in view.courses] == [("", ())]
    clock[0] = COURSE_AGE.total_seconds() + 1
    await reader.read(ADA, api, "ml", [(JOBS, "bert")])  # pyright: ignore[reportArgumentType] - as above
    assert len(api.asked) > asked


def test_the_route_answers_for_own_jobs_alone(platform: Platform, owner: Person) -> None:
    browser = signed_in(platform, owner)

    own = browser.get(f"/api/jobs/{OWN}/courses?jobs=PyTorchJob/{OWN}-job,PyTorchJob/nothing")
    assert (own.status_code, [one["name"] for one in own.json()["courses"]]) == (200, [f"{OWN}-job"]), own.text
    assert browser.get(f"/api/jobs/{SECRET}/courses?jobs=PyTorchJob/{SECRET}-job").json() == {"courses": []}


@pytest.mark.parametrize(
    ("query", "code"),
    [("jobs=Deployment/x", 404), ("jobs=PyTorchJob/A_B", 400), ("jobs=PyTorchJob", 400), ("jobs=" + "a/b," * 41, 400)],
)
def test_a_question_that_makes_no_sense_is_refused(platform: Platform, owner: Person, query: str, code: int) -> None:
    answer = signed_in(platform, owner).get(f"/api/jobs/{OWN}/courses?{query}")

    assert (answer.status_code, bool(answer.json()["error"])) == (code, True), answer.text
    assert MAX_JOBS == 40
