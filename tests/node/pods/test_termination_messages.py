"""The end of a log as termination message."""

from pathlib import Path

from windlass.kube.json import Object
from windlass.node.pods.termination_messages import TerminationMessages, last_lines
from windlass.node.runtimes.base import ContainerFacts, PodFacts


def log_of(folder: Path, *lines: str) -> str:
    path = folder / "log"
    path.write_text("".join(f"2026-11-16T00:00:00.000000000Z stdout F {line}\n" for line in lines))
    return str(path)


def pod(policy: str) -> Object:
    return {"spec": {"containers": [{"name": "main", "terminationMessagePolicy": policy}]}}


def ended(exit_code: int, message: str = "") -> PodFacts:
    run = ContainerFacts("main", 0, "id", "exited", exit_code=exit_code, message=message)
    return PodFacts("uid", 1, True, 0.0, (run,))


def worded(folder: Path, manifest: Object, facts: PodFacts) -> str:
    path = log_of(folder, "first", "last")
    return TerminationMessages(lambda uid, name, attempt: path).of(manifest, facts).containers[0].message


def test_a_failed_container_that_left_no_message_speaks_by_its_log(tmp_path: Path) -> None:
    assert worded(tmp_path, pod("FallbackToLogsOnError"), ended(1)) == "first\nlast\n"


def test_one_that_left_a_message_or_succeeded_or_has_another_policy_does_not(tmp_path: Path) -> None:
    assert worded(tmp_path, pod("FallbackToLogsOnError"), ended(1, "its own")) == "its own"
    assert worded(tmp_path, pod("FallbackToLogsOnError"), ended(0)) == ""
    assert worded(tmp_path, pod("File"), ended(1)) == ""


def test_no_more_than_eighty_lines_and_two_thousand_bytes_are_reported(tmp_path: Path) -> None:
    assert last_lines(log_of(tmp_path, *map(str, range(200)))).split() == [str(n) for n in range(120, 200)]
    assert len(last_lines(log_of(tmp_path, *["x" * 100] * 100))) == 2048


def test_a_run_without_a_log_said_nothing(tmp_path: Path) -> None:
    assert last_lines(str(tmp_path / "none")) == ""
