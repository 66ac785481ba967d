"""Logs of deleted pods: kept for a day, within a size limit, so that they can be read after a clean-up.

    FOLDER/<namespace>/<name>/<uid>/pod.json                           the last version of the object
    FOLDER/<namespace>/<name>/<uid>/<container>/<attempt>/output.log   and its rotated files

Only the newest pod of a name is kept. All calls are made on the agent's event loop; files are moved, not copied.
"""

import contextlib
import logging
import shutil
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from windlass.kube.json import BadJson, Object, encode, is_object, parse
from windlass.kube.meta import Key
from windlass.kube.objects import key_of, uid_of
from windlass.node.runtimes.base import ContainerFacts
from windlass.node.streams import logfile
from windlass.node.streams.pods import RunningPod

KEPT_FOR = 24 * 3600.0  # seconds
LARGEST = 256 << 20  # bytes, of all together
MAX_PODS = 1000
RUNS = 2
"""Runs of a container whose logs are kept: the last, and the one before it for `--previous`."""
POD = "pod.json"

LogFile = Callable[[str, str, int], str]
"""Returns the path of the log of a uid, container and attempt."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _ArchivedPod:
    folder: Path
    at: float
    size: int


class Archive:
    """Knows the contents of `folder`, including those from before a restart."""

    def __init__(
        self,
        folder: Path,
        *,
        largest: int = LARGEST,
        max_pods: int = MAX_PODS,
        kept_for: float = KEPT_FOR,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._folder, self._clock = folder, clock
        self._largest, self._most_pods, self._kept_for = largest, max_pods, kept_for
        self._kept: dict[Key, _ArchivedPod] = {}  # the oldest first
        self._size = 0
        self._read()

    def keep(self, pod: Object, runs: Iterable[tuple[str, int]], log_file: LogFile) -> None:
        """Take over the logs of a pod that is gone, best effort."""
        try:
            self._keep(pod, runs, log_file)
        except OSError as error:
            log.warning("cannot archive the logs of a pod pod=%s error=%s", key_of(pod), error)

    def find(self, namespace: str, name: str) -> RunningPod | None:
        """Return the newest deleted pod of that name whose logs are kept."""
        kept = self._kept.get(Key(namespace, name))
        if kept is None or self._clock() - kept.at > self._kept_for:
            return None
        pod = _read_pod(kept.folder)
        return None if pod is None else RunningPod(uid_of(pod), pod, _runs_in(kept.folder), archive=str(kept.folder))

    # keeping

    def _keep(self, pod: Object, runs: Iterable[tuple[str, int]], log_file: LogFile) -> None:
        key, uid = key_of(pod), uid_of(pod)
        folder = self._folder / key.namespace / key.name / uid
        size = 0
        for container, attempt in _last(runs):
            path, target = log_file(uid, container, attempt), Path(log_in(str(folder), container, attempt))
            for source in logfile.files(path):
                target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                size += Path(source).stat().st_size
                Path(source).replace(f"{target}{source.removeprefix(path)}")
        if not folder.exists():
            return  # it never ran
        body = encode(pod)
        (folder / POD).write_bytes(body)
        self._forget(key)
        self._file(key, _ArchivedPod(folder, self._clock(), size + len(body)))
        self._prune()

    def _file(self, key: Key, kept: _ArchivedPod) -> None:
        self._kept[key] = kept
        self._size += kept.size

    def _forget(self, key: Key) -> None:
        kept = self._kept.pop(key, None)
        if kept is None:
            return
        self._size -= kept.size
        shutil.rmtree(kept.folder, ignore_errors=True)
        for empty in (kept.folder.parent, kept.folder.parent.parent):
            with contextlib.suppress(OSError):  # another pod's are in it
                empty.rmdir()

    def _prune(self) -> None:
        oldest = self._clock() - self._kept_for
        for key, kept in list(self._kept.items()):
            if kept.at >= oldest and self._size <= self._largest and len(self._kept) <= self._most_pods:
                return
            self._forget(key)

    # what is there

    def _read(self) -> None:
        """Load the archive; a folder without pod.json was left by an interrupted agent and is removed."""
        found: list[tuple[float, Key, _ArchivedPod]] = []
        for folder in self._folder.glob("*/*/*"):
            try:
                at = (folder / POD).stat().st_mtime
            except OSError:
                shutil.rmtree(folder, ignore_errors=True)
                continue
            size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
            found.append((at, Key(folder.parent.parent.name, folder.parent.name), _ArchivedPod(folder, at, size)))
        for _, key, kept in sorted(found, key=lambda each: each[0]):
            self._forget(key)  # an older one of the same name
            self._file(key, kept)
        self._prune()


def _last(runs: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    attempts: defaultdict[str, set[int]] = defaultdict(set)
    for container, attempt in runs:
        attempts[container].add(attempt)
    return [(container, attempt) for container, all_of in attempts.items() for attempt in sorted(all_of)[-RUNS:]]


def _read_pod(folder: Path) -> Object | None:
    try:
        pod = parse((folder / POD).read_bytes())
    except (OSError, BadJson):
        return None
    return pod if is_object(pod) else None


def _runs_in(folder: Path) -> dict[str, list[ContainerFacts]]:
    return {
        container.name: [
            ContainerFacts(container.name, attempt, "", "exited")
            for attempt in sorted(int(each.name) for each in container.iterdir() if each.name.isdigit())
        ]
        for container in folder.iterdir()
        if container.is_dir()
    }


def log_in(archive: str, container: str, attempt: int) -> str:
    return f"{archive}/{container}/{attempt}/output.log"
