"""Termination messages taken from the log (FallbackToLogsOnError)."""

from collections.abc import Callable

from msgspec.structs import replace

from windlass.kube.json import Object, dig_list
from windlass.node.runtimes.base import ContainerFacts, PodFacts
from windlass.node.streams.logfile import Reader, parse, tail

LINES, BYTES = 80, 2048

LogFile = Callable[[str, str, int], str]
"""Returns the path of the log of a uid, container and attempt."""


class TerminationMessages:
    """Reads the end of each failed run's log once."""

    def __init__(self, log_file: LogFile) -> None:
        self._log_file = log_file
        self._read: dict[tuple[str, int], str] = {}

    def of(self, pod: Object, facts: PodFacts) -> PodFacts:
        """Return the facts, with messages taken from logs."""
        kinds = ("initContainers", "containers")
        listed = [each for kind in kinds for each in dig_list(pod, "spec", kind)]
        wanted = {each["name"] for each in listed if each.get("terminationMessagePolicy") == "FallbackToLogsOnError"}
        if not wanted:
            return facts
        runs = (self._worded(facts.uid, run) if run.name in wanted else run for run in facts.containers)
        return replace(facts, containers=tuple(runs))

    def _worded(self, uid: str, run: ContainerFacts) -> ContainerFacts:
        if run.state != "exited" or run.message or run.exit_code == 0:
            return run
        key = (run.name, run.attempt)
        if key not in self._read:
            self._read[key] = last_lines(self._log_file(uid, run.name, run.attempt))
        return replace(run, message=self._read[key])


def last_lines(path: str) -> str:
    """Return the end of a log: at most 80 lines and 2048 bytes."""
    start = tail(path, LINES)
    if start is None:
        return ""
    reader = Reader(path, start)
    said = b""
    try:
        while (pieces := reader.read()) is not None:
            for line in filter(None, map(parse, pieces)):
                said += line.text + (b"" if line.partial else b"\n")
    finally:
        reader.close()
    return said[-BYTES:].decode(errors="replace")
