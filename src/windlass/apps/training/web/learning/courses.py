"""The newest values of many jobs at once, for a table: one list of pods, few logs, answers that last some seconds."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import timedelta

from windlass.apis.core_v1 import Pod
from windlass.apps.training.web.learning.curve_reader import CurveReader
from windlass.apps.training.web.learning.curve_rows import sparkline
from windlass.apps.training.web.structs.curves import CoursesView, JobCourse
from windlass.apps.training.web.views.pods_of_jobs import label_of
from windlass.gateway.request import Identity
from windlass.gateway.views.reading import labels_of, name_of
from windlass.kube.client import Client
from windlass.kube.errors import ApiError
from windlass.kube.json import Object
from windlass.kube.kind import KINDS, Kind

MAX_JOBS = 40
"""Of one request."""
MAX_KEPT = 1000
COURSE_AGE = timedelta(seconds=8)
READ_TIMEOUT = timedelta(seconds=5)
PARALLEL_READS = 4
PODS = KINDS.of(Pod)

Key = tuple[str, tuple[str, ...], str, str, str]
"""User, groups, kind, namespace, name: what one user may read is never shown to another."""


class CourseReader:
    def __init__(self, reader: CurveReader, clock: Callable[[], float] = time.monotonic) -> None:
        self._reader, self._clock = reader, clock
        self._kept: dict[Key, tuple[float, JobCourse]] = {}

    async def read(
        self, identity: Identity, client: Client, namespace: str, wanted: Sequence[tuple[Kind, str]]
    ) -> CoursesView:
        """The jobs of these names. Those that do not exist, or that the user may not get, are left out."""
        now = self._clock()
        self._kept = {key: kept for key, kept in self._kept.items() if kept[0] > now}
        keys = {
            (kind, name): (identity.user, identity.rbac_groups, kind.name, namespace, name) for kind, name in wanted
        }
        missing = [one for one, key in keys.items() if key not in self._kept]
        for (kind, name), course in (await self._read_missing(client, namespace, missing)).items():
            if len(self._kept) < MAX_KEPT:
                self._kept[keys[kind, name]] = (now + COURSE_AGE.total_seconds(), course)
        return CoursesView(courses=tuple(self._kept[key][1] for key in keys.values() if key in self._kept))

    async def _read_missing(
        self, client: Client, namespace: str, wanted: Sequence[tuple[Kind, str]]
    ) -> dict[tuple[Kind, str], JobCourse]:
        turn = asyncio.Semaphore(PARALLEL_READS)
        found = await asyncio.gather(*(_job(client, kind, name, namespace, turn) for kind, name in wanted))
        jobs = {one: job for one, job in zip(wanted, found, strict=True) if job is not None}
        pods = await _pods(client, namespace, list(jobs.values()))
        courses = await asyncio.gather(
            *(self._course(client, job, pods.get((label_of(job), name_of(job)), ()), turn) for job in jobs.values())
        )
        return dict(zip(jobs, courses, strict=True))

    async def _course(self, client: Client, job: Object, pods: Sequence[Object], turn: asyncio.Semaphore) -> JobCourse:
        """What takes too long comes next time: what was read of a log is kept."""
        metric, values = "", ()
        async with turn:
            try:
                async with asyncio.timeout(READ_TIMEOUT.total_seconds()):
                    metric, values = sparkline(await self._reader.read_log_course(client, job, pods))
            except (ApiError, TimeoutError):
                pass
        return JobCourse(kind=str(job["kind"]), name=name_of(job), metric=metric, values=values)


async def _job(client: Client, kind: Kind, name: str, namespace: str, turn: asyncio.Semaphore) -> Object | None:
    async with turn:
        try:
            job = await client.get(kind, name, namespace)
        except ApiError:
            return None
    return {"apiVersion": kind.api_version, "kind": kind.name, **job}


async def _pods(client: Client, namespace: str, jobs: Sequence[Object]) -> dict[tuple[str, str], list[Object]]:
    """The pods of all jobs, by the label that names the job and its value: one list for each such label."""
    names: defaultdict[str, list[str]] = defaultdict(list)
    for job in jobs:
        names[label_of(job)].append(name_of(job))
    pods: defaultdict[tuple[str, str], list[Object]] = defaultdict(list)
    for label, of_label in names.items():
        selector = f"{label} in ({','.join(sorted(set(of_label)))})"
        try:
            listed = (await client.list(PODS, namespace, labels=selector)).items
        except ApiError:
            continue
        for pod in listed:
            pods[label, str(labels_of(pod).get(label))].append(pod)
    return dict(pods)
