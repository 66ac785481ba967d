"""Seconds of each test file: the slowest ones at the end of a run, and progress and failures while it goes on."""

import time
from collections import Counter, defaultdict
from collections.abc import Mapping

import pytest

SLOWEST_FILES = 40
PROGRESS_INTERVAL_SECONDS = 60.0


class Durations:
    """Seconds by file, with the set-up and teardown of its tests, as the process that reports knows them."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._began = self._printed = time.monotonic()
        self._outcomes: Counter[str] = Counter()
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid.partition("::")[0]] += report.duration
        if report.failed:
            self._print(f"FAILED {report.nodeid} ({report.when})")
        if report.when == "call" or report.outcome != "passed":
            self._outcomes[report.outcome] += 1
        if time.monotonic() - self._printed > PROGRESS_INTERVAL_SECONDS:
            self._print(f"{progress(self._outcomes, time.monotonic() - self._began)}; last: {report.nodeid}")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section(f"slowest {SLOWEST_FILES} of {len(self.seconds)} files")
        for line in slowest(self.seconds):
            terminalreporter.write_line(line)
        terminalreporter.write_line(progress(self._outcomes, time.monotonic() - self._began))

    def _print(self, line: str) -> None:
        self._printed = time.monotonic()
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            reporter.ensure_newline()
            reporter.write_line(line)


def progress(outcomes: Counter[str], seconds: float) -> str:
    """The tests that have ended, by outcome: `12 min 5 s: 5211 passed, 3 skipped`."""
    minutes, rest = divmod(round(seconds), 60)
    ended = ", ".join(
        f"{outcomes[outcome]} {outcome}" for outcome in ("passed", "failed", "skipped") if outcomes[outcome]
    )
    return f"{minutes} min {rest} s: {ended or 'no test'}"


def slowest(seconds: Mapping[str, float]) -> list[str]:
    """A line for each of the slowest files, and the sum of all."""
    total = sum(seconds.values())
    files = sorted(seconds, key=lambda file: seconds[file], reverse=True)
    lines = [f"{seconds[file]:8.1f} s  {file}" for file in files[:SLOWEST_FILES]]
    return [*lines, f"{total:8.1f} s  all files"]
