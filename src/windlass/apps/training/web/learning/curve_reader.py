"""Reads the curves of jobs: new lines of the pods' logs, and new records of event files. Remembers what was read.

Logs are read with the rights of the user, each time: who may not read them gets none of what others have read. Event
files are read where the folders of volumes are on this machine, and only of claims that the user may get.
"""

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import islice
from pathlib import Path

from windlass.apis.core_v1 import PersistentVolume, PersistentVolumeClaim
from windlass.apis.local_volumes import DRIVERS, folder_name_error
from windlass.apps.training.jobs.state.job_state import pod_names, replica_name, short_name
from windlass.apps.training.jobs.state.progress import main_container, stream_of
from windlass.apps.training.web.learning.curve_rows import log_series, ordered
from windlass.apps.training.web.learning.event_files import VolumeCurves
from windlass.apps.training.web.learning.log_metrics import LogMetrics
from windlass.apps.training.web.structs.curves import CurvesView, Series
from windlass.apps.training.web.views.job_details import mounted_claims
from windlass.gateway.views.reading import name_of, namespace_of, text, time_of
from windlass.kube.client import Client
from windlass.kube.errors import ApiError, Forbidden, NotFound
from windlass.kube.json import Object, dig, dig_object, timestamp
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key

MAX_PODS = 64
"""Logs that are remembered, of all jobs together."""
MAX_VOLUMES = 16
"""Volumes whose points are remembered."""
MAX_JOB_PODS = 8
"""Replicas of a job whose logs are read."""
MAX_TAIL = 200_000
MAX_LOG_BYTES = 16 << 20
MAX_DELETED_PODS = 1000
"""Names of pods that are gone; a job's spec may ask for any number."""
READ_TIMEOUT = timedelta(seconds=10)
CLOCK_SLACK_SECONDS = 60.0
"""A file may be older than its job by so much: clocks differ."""


@dataclass
class _PodLog:
    metrics: LogMetrics = field(default_factory=LogMetrics)
    last: str = ""
    """The time of the last line that was read, see `_sortable`."""
    at_last: int = 0
    """How many lines had that time."""


class CurveReader:
    """`volumes`: the folder with the volumes of the embedded node; None where volumes are elsewhere."""

    def __init__(self, client: Client, volumes: Path | None) -> None:
        self._client, self._volumes = client, volumes
        self._logs: OrderedDict[tuple[str, int], _PodLog] = OrderedDict()
        self._files: OrderedDict[Path, VolumeCurves] = OrderedDict()
        self._locks: dict[str, asyncio.Lock] = {}
        self.known: OrderedDict[str, tuple[Series, ...]] = OrderedDict()
        """What was read last of a job, by its uid."""

    async def read_log_course(self, user: Client, job: Object, pods: Sequence[Object]) -> tuple[Series, ...]:
        """The series of the first replica whose log has any, with the rights of `user`. Event files are not read."""
        async with self._lock_of(job):
            logs, _ = await self._read_logs(user, job, pods, is_first_enough=True)
        return ordered(logs)

    @asynccontextmanager
    async def _lock_of(self, job: Object) -> AsyncGenerator[None]:
        """One reader of a job at a time: each continues where the last one stopped."""
        uid = text(dig(job, "metadata", "uid"))
        lock = self._locks.setdefault(uid, asyncio.Lock())
        try:
            async with lock:
                yield
        finally:
            if not lock.locked():
                self._locks.pop(uid, None)

    async def read(self, user: Client, job: Object, pods: Sequence[Object], since: str = "") -> CurvesView:
        """With the rights of `user`. `pods` are the job's. Raises Forbidden where no log may be read."""
        uid = text(dig(job, "metadata", "uid"))
        async with self._lock_of(job):
            logs, notes = await self._read_logs(user, job, pods)
            files, more = await self._read_files(user, job, pods)
        series = ordered([*logs, *files])
        self._remember(uid, series)
        cursor = hashlib.sha256(repr([(one.name, one.total, one.values[-1]) for one in series]).encode()).hexdigest()[
            :16
        ]
        return CurvesView(
            series=() if since == cursor else series,
            notes=tuple(dict.fromkeys([*notes, *more])),
            cursor=cursor,
            read_at=timestamp(),
        )

    def _remember(self, uid: str, series: tuple[Series, ...]) -> None:
        self.known[uid] = series
        self.known.move_to_end(uid)
        while len(self.known) > MAX_PODS:
            self.known.popitem(last=False)

    # --- logs

    async def _read_logs(
        self, user: Client, job: Object, pods: Sequence[Object], *, is_first_enough: bool = False
    ) -> tuple[list[Series], list[str]]:
        series: list[Series] = []
        notes: list[str] = []
        kind = text(job.get("kind"))
        living = {name_of(pod) for pod in pods}
        streams = [
            (name_of(pod), replica_name(pod), main_container(pod, kind), stream)
            for pod in sorted(pods, key=replica_name)
            if (stream := stream_of(pod, kind)) is not None
        ]
        deleted = islice((name for name in _names(job) if name not in living), MAX_DELETED_PODS)
        streams += [
            (name, short_name(name, name_of(job)), "", (f"{text(dig(job, 'metadata', 'uid'))}/{name}", 0))
            for name in deleted
        ]
        if len(streams) > MAX_JOB_PODS:
            notes.append(f"Only the logs of {MAX_JOB_PODS} of {len(streams)} replicas are read")
        for pod, replica, container, key in streams[:MAX_JOB_PODS]:
            try:
                log = await self._read_log(user, Key(namespace_of(job), pod), container, key)
            except NotFound:
                continue  # never started, or its log is kept no longer
            except Forbidden as error:
                notes.append(f"The logs are not read: {error.message}")
                break
            except (ApiError, TimeoutError, OSError) as error:
                notes.append(f"The log of {replica} could not be read: {error}")
                continue
            series += log_series(replica, log.metrics)
            if is_first_enough and series:
                break
        return series, notes

    async def _read_log(self, user: Client, pod: Key, container: str, key: tuple[str, int]) -> _PodLog:
        """Read what is new. Lines of the second of the last one are sent again, and skipped."""
        log = self._logs.setdefault(key, _PodLog())
        self._logs.move_to_end(key)
        while len(self._logs) > MAX_PODS:
            self._logs.popitem(last=False)
        skip, size = log.at_last, 0
        since, tail = (log.last, None) if log.last else ("", MAX_TAIL)
        async with asyncio.timeout(READ_TIMEOUT.total_seconds()):
            async for line in user.logs(pod, container=container, tail=tail, timestamps=True, since=since):
                stamp, _, rest = line.decode(errors="replace").partition(" ")
                at = _sortable(stamp)
                if since and at < since:
                    continue
                if since and at == since and skip > 0:
                    skip -= 1
                    continue
                log.at_last = log.at_last + 1 if at == log.last else 1
                log.last = at
                moment = time_of(at[:19] + "Z")
                log.metrics.feed(rest, moment.timestamp() if moment is not None else 0.0)
                size += len(line)
                if size > MAX_LOG_BYTES:
                    break
                if log.metrics.lines % 2000 == 0:
                    await asyncio.sleep(0)  # parsing a long log must not hold up other requests
        return log

    # --- event files

    async def _read_files(self, user: Client, job: Object, pods: Sequence[Object]) -> tuple[list[Series], list[str]]:
        all_series: list[Series] = []
        notes: list[str] = []
        created = time_of(dig(job, "metadata", "creationTimestamp"))
        since = (created.timestamp() if created is not None else 0.0) - CLOCK_SLACK_SECONDS
        for claim in sorted(mounted_claims(job, pods)):
            try:
                bound = await user.get(KINDS.of(PersistentVolumeClaim), claim, namespace_of(job))
                folder = await self._folder(bound)
            except (ApiError, _NotHere) as error:
                notes.append(f"Event files of volume {claim} are not read: {error}")
                continue
            if folder is None:
                continue
            curves = self._files.setdefault(folder, VolumeCurves(folder))
            self._files.move_to_end(folder)
            while len(self._files) > MAX_VOLUMES:
                self._files.popitem(last=False)
            series, more = await asyncio.to_thread(curves.series, since)
            all_series += series
            notes += [f"Volume {claim}: {note}" for note in more]
        return all_series, notes

    async def _folder(self, claim: Object) -> Path | None:
        """The folder of a claim's volume on this machine; None while it has none."""
        volume = text(dig(claim, "spec", "volumeName"))
        if not volume:
            return None
        if self._volumes is None:
            raise _NotHere("volumes of a cluster are not on the gateway's machine. Open a TensorBoard over the volume")
        volume_object = await self._client.get(KINDS.of(PersistentVolume), volume)
        if text(dig(volume_object, "spec", "csi", "driver")) in DRIVERS:
            handle = text(dig(volume_object, "spec", "csi", "volumeHandle"))
            if folder_name_error(handle):
                raise _NotHere("the volume names no folder")
            return self._volumes / handle
        path = text(dig(volume_object, "spec", "hostPath", "path")) or text(dig(volume_object, "spec", "local", "path"))
        if not path:
            raise _NotHere("the volume is not a folder of this machine. Open a TensorBoard over it")
        return Path(path)


def _sortable(stamp: str) -> str:
    """A time of a log with nine digits after the point, so that times compare as texts."""
    seconds, _, fraction = stamp.removesuffix("Z").partition(".")
    return f"{seconds}.{fraction:0<9}Z"


class _NotHere(Exception):
    """A volume whose files cannot be read here; the text says why."""


def _names(job: Object) -> Iterable[str]:
    """Names that pods of the job have or had; none for kinds whose names are random."""
    has_roles = any(key.endswith("ReplicaSpecs") for key in dig_object(job, "spec"))
    return pod_names(job) if has_roles or job.get("kind") == "ChainerJob" else ()
