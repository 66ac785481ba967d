"""`windlass down` leaves no pod behind, however Windlass came to its end, unless it is asked to."""

from collections.abc import Iterator

import pytest

from tests.e2e.node_hard.platform import Object, Platform, arguments_of, platform, pod
from tests.support import eventually


@pytest.fixture
def started(who: str) -> Iterator[Platform]:
    with platform(who) as made:
        made.run(pod("lasting", "exec sleep infinity", restart="Always"))
        made.phase("lasting", "Running")
        yield made


def _processes(windlass: Platform) -> list[int]:
    facts: Object = windlass.facts_of(windlass.pod("lasting"))
    return [facts["pid"], *(run["pid"] for run in facts["containers"])]


def test_pods_of_a_killed_windlass_end_with_down(started: Platform) -> None:
    pids = _processes(started)
    started.kill("windlass")
    eventually(lambda: not started.pid_lives("node"), 60, "the agent notices that it is alone")
    assert all(map(arguments_of, pids))

    assert "Stopped 1 pod that was left running." in started.windlass("down").stdout
    assert not any(map(arguments_of, pids))


def test_kill_ends_pods_too(started: Platform) -> None:
    pids = _processes(started)
    assert "Stopped" in started.windlass("down", "--kill").stdout
    assert not any(map(arguments_of, pids))


def test_pods_that_are_to_be_kept_outlive_a_kill_and_are_found_again(started: Platform) -> None:
    before, pids = started.pod("lasting")["status"]["containerStatuses"], _processes(started)
    started.windlass("down", "--kill", "--keep-pods")
    assert all(map(arguments_of, pids))
    started.start()
    started.is_well()
    assert started.pod("lasting")["status"]["containerStatuses"] == before
