"""`kubectl logs`: selects the run and its lines, and formats them."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime
from typing import NamedTuple

from aiohttp import web

from windlass.kube.errors import BadRequest, Invalid, NotFound, invalid
from windlass.kube.json import Object, dig, dig_list
from windlass.node.runtimes.base import ContainerFacts
from windlass.node.streams import archive, http, inotify, logfile
from windlass.node.streams.pods import Pods, RunningPod

_SOON = 0.05
Write = Callable[[bytes], Awaitable[None]]


class Options(NamedTuple):
    """Options of a log request; `since` is RFC 3339 in UTC and compares as text."""

    follow: bool = False
    previous: bool = False
    timestamps: bool = False
    since: str = ""
    tail: int | None = None
    limit: int | None = None
    stream: str = ""

    @classmethod
    def of(cls, request: web.Request, now: float) -> "Options":
        """Parse the options. Raises Invalid for bad values."""
        tail, limit = _number(request, "tailLines", 0), _number(request, "limitBytes", 1)
        seconds, since = _number(request, "sinceSeconds", 1), http.first(request, "sinceTime")
        if seconds is not None and since:
            raise _wrong("sinceSeconds", seconds, "at most one of `sinceTime` or `sinceSeconds` may be specified")
        stream = http.first(request, "stream").lower()
        if stream not in ("", "all", "stdout", "stderr"):
            raise _wrong("stream", http.first(request, "stream"), "must be one of All, Stdout, Stderr")
        return cls(
            follow=http.flag(request, "follow"),
            previous=http.flag(request, "previous"),
            timestamps=http.flag(request, "timestamps"),
            since=_moment(now - seconds) if seconds is not None else _since(since),
            tail=tail,
            limit=limit,
            stream="" if stream == "all" else stream,
        )


def _number(request: web.Request, name: str, least: int) -> int | None:
    text = http.first(request, name)
    if not text:
        return None
    try:
        number = int(text)
    except ValueError as error:
        raise _wrong(name, text, "must be an integer") from error
    if number < least:
        raise _wrong(
            name, number, f"must be greater than or equal to {least}" if least == 0 else "must be greater than 0"
        )
    return number


def _wrong(field: str, value: object, why: str) -> Invalid:
    return Invalid(
        f"PodLogOptions is invalid: {field}: {why}", kind="PodLogOptions", causes=[invalid(field, value, why)]
    )


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")


def _since(text: str) -> str:
    if not text:
        return ""
    try:
        return datetime.fromisoformat(text).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")
    except ValueError as error:
        raise _wrong("sinceTime", text, "must be a time in RFC 3339") from error


def run_of(pod: RunningPod, container: str, previous: bool) -> ContainerFacts:
    """Return the run whose log is requested. Raises NotFound or BadRequest with kubelet's messages."""
    kinds = ("containers", "initContainers", "ephemeralContainers")
    if container not in [c.get("name") for kind in kinds for c in dig_list(pod.pod, "spec", kind)]:
        raise NotFound(f'container "{container}" not found in pod "{pod.name}"', kind="pods", name=pod.name)
    runs = list(pod.attempts.get(container) or ())
    waiting = dig(_status(pod.pod, container), "state", "waiting")
    if previous:
        ended = runs if runs and waiting and runs[-1].state == "exited" else runs[:-1]
        if not ended:
            raise BadRequest(f'previous terminated container "{container}" in pod "{pod.name}" not found')
        return ended[-1]
    if runs:
        return runs[-1]
    raise BadRequest(f'container "{container}" in pod "{pod.name}" {_why_not(waiting)}')


def _why_not(waiting: Object | None) -> str:
    reason = str(dig(waiting, "reason") or "ContainerCreating")
    words = {"ErrImagePull": "image can't be pulled", "ImagePullBackOff": "trying and failing to pull image"}
    return f"is waiting to start: {words.get(reason, reason)}"


def _status(pod: Object, container: str) -> Object:
    kinds = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")
    listed = [status for kind in kinds for status in dig_list(pod, "status", kind)]
    return next((status for status in listed if dig(status, "name") == container), {})


class LogFormatter:
    """Converts lines of the file to the client's format."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._left = options.limit
        self._open = {"stdout": False, "stderr": False}
        self.done = False

    def matches(self, line: logfile.Line) -> bool:
        return not self._options.stream or line.stream == self._options.stream

    def format(self, lines: Iterable[bytes]) -> bytes:
        options, said = self._options, list[bytes]()
        for raw in lines:
            line = logfile.parse(raw)
            if line is None or not self.matches(line) or (options.since and line.time.rstrip("Z") < options.since):
                continue
            if options.timestamps and not self._open[line.stream]:
                said.append(line.time.encode() + b" ")
            said.append(line.text)
            if not line.partial:
                said.append(b"\n")
            self._open[line.stream] = line.partial
        data = b"".join(said)
        if self._left is not None:
            data = data[: self._left]
            self._left -= len(data)
            self.done = self._left <= 0
        return data


async def write_log(
    pods: Pods, watches: inotify.Inotify, pod: RunningPod, run: ContainerFacts, options: Options, write: Write
) -> None:
    """Write the log to the client; with `follow`, until the run has ended and all of it is written."""
    path, formatter = _path(pods, pod, run), LogFormatter(options)
    until = None if options.follow else logfile.end(path)
    start = logfile.first(path)
    if options.tail is not None:
        start = logfile.tail(path, options.tail, formatter.matches, until)
    while start is None:
        if not options.follow or not _runs(pods, pod, run):
            return
        await asyncio.wait([pods.changed(pod.uid)], timeout=_SOON)  # it has just started: its file is about to be there
        start = logfile.first(path)
    reader = logfile.Reader(path, start, until)
    try:
        await _drain(reader, formatter, write)
        while options.follow and not formatter.done:
            if not await _follow(pods, watches, pod, run, reader, formatter, write):
                return
    finally:
        reader.close()


async def _follow(
    pods: Pods, watches: inotify.Inotify, pod: RunningPod, run: ContainerFacts,
    reader: logfile.Reader, formatter: LogFormatter, write: Write,
) -> bool:  # fmt: skip
    """Write new lines until the file is rotated or the run ends; whether there may be more."""
    with watches.watch(_path(pods, pod, run)) as event:
        while not formatter.done:
            if event is not None:
                event.clear()
            changed = pods.changed(pod.uid)
            try:
                runs = _runs(pods, pod, run)
                rotated = await _drain(reader, formatter, write)
                if not runs:
                    return False
                if rotated:
                    return True  # the watch is on the old file
                looking = asyncio.ensure_future(inotify.changed(event))
                try:
                    await asyncio.wait([looking, changed], return_when=asyncio.FIRST_COMPLETED)
                finally:
                    looking.cancel()
            finally:
                changed.cancel()
    return False


async def _drain(reader: logfile.Reader, formatter: LogFormatter, write: Write) -> bool:
    """Write all available lines; whether a file was finished."""
    before = reader.file_number
    while not formatter.done and (lines := reader.read()) is not None:
        await write(formatter.format(lines))
        await asyncio.sleep(0)
    return reader.file_number != before


def _path(pods: Pods, pod: RunningPod, run: ContainerFacts) -> str:
    if pod.archive:
        return archive.log_in(pod.archive, run.name, run.attempt)
    return pods.runtime.log_file(pod.uid, run.name, run.attempt)


def _runs(pods: Pods, pod: RunningPod, run: ContainerFacts) -> bool:
    now = pods.find(pod.namespace, pod.name, pod.uid)
    found = [one for one in (now.attempts.get(run.name) or ()) if one.attempt == run.attempt] if now else []
    return any(one.state == "running" for one in found)


async def serve(
    pods: Pods, watches: inotify.Inotify, request: web.Request, pod: RunningPod, container: str
) -> web.StreamResponse:
    """Serve a log request; errors are raised before the response begins."""
    options = Options.of(request, time.time())
    run = run_of(pod, container, options.previous)
    response = web.StreamResponse(headers={"Content-Type": "text/plain"})
    response.enable_chunked_encoding()
    await response.prepare(request)
    await write_log(pods, watches, pod, run, options, response.write)
    await response.write_eof()
    return response
