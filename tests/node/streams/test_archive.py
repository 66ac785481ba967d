"""Logs of pods that are gone: what is kept, for how long, and how much of it."""

from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis.strategies import integers, lists, sampled_from, tuples

from windlass.kube.json import Object
from windlass.node.streams.archive import Archive, log_in


class Node:
    """A folder of pods with logs, a clock, and an archive."""

    def __init__(self, folder: Path, **limits: Any) -> None:
        self.pods, self.folder, self.limits, self.now = folder / "pods", folder / "logs", limits, 1_000_000.0
        self.archive = self.again()

    def again(self) -> Archive:
        self.archive = Archive(self.folder, clock=lambda: self.now, **self.limits)
        return self.archive

    def log_file(self, uid: str, container: str, attempt: int) -> str:
        return str(self.pods / uid / container / str(attempt) / "output.log")

    def ends(self, name: str, uid: str, *texts: str, rotated: str = "") -> None:
        """A pod whose container `main` ran once for each text."""
        for attempt, text in enumerate(texts):
            path = Path(self.log_file(uid, "main", attempt))
            path.parent.mkdir(parents=True)
            path.write_text(text)
            if rotated:
                path.with_name("output.log.1").write_text(rotated)
        pod: Object = {"metadata": {"name": name, "namespace": "ns", "uid": uid}}
        self.archive.keep(pod, [("main", attempt) for attempt in range(len(texts))], self.log_file)

    def says(self, name: str, attempt: int = 0) -> str | None:
        found = self.archive.find("ns", name)
        return None if found is None else Path(log_in(found.archive, "main", attempt)).read_text()

    def size(self) -> int:
        return sum(path.stat().st_size for path in self.folder.rglob("*.log*"))


def test_the_logs_of_a_pod_that_is_gone_are_kept_with_those_that_were_rotated_away(tmp_path: Path) -> None:
    node = Node(tmp_path)
    node.ends("p", "1", "hello", rotated="before")

    found = node.archive.find("ns", "p")

    assert node.says("p") == "hello"
    assert found is not None
    assert (found.uid, found.name, found.attempts["main"][0].state) == ("1", "p", "exited")
    assert Path(found.archive, "main", "0", "output.log.1").read_text() == "before"
    assert node.archive.find("other", "p") is None
    assert node.archive.find("ns", "q") is None


def test_of_pods_of_one_name_the_newest_counts_and_the_others_go(tmp_path: Path) -> None:
    node = Node(tmp_path)
    node.ends("p", "1", "first")
    node.ends("p", "2", "second")

    assert node.says("p") == "second"
    assert [path.name for path in (node.folder / "ns" / "p").iterdir()] == ["2"]


def test_the_last_two_runs_of_a_container_are_kept(tmp_path: Path) -> None:
    node = Node(tmp_path)
    node.ends("p", "1", "a", "b", "c")

    found = node.archive.find("ns", "p")

    assert found is not None
    assert [run.attempt for run in found.attempts["main"]] == [1, 2]
    assert (node.says("p", 1), node.says("p", 2)) == ("b", "c")


def test_a_pod_that_never_ran_leaves_nothing(tmp_path: Path) -> None:
    node = Node(tmp_path)
    node.ends("p", "1")

    assert node.archive.find("ns", "p") is None
    assert not node.folder.exists()


def test_a_new_agent_knows_what_an_old_one_kept_and_clears_away_what_was_left_half_way(tmp_path: Path) -> None:
    node = Node(tmp_path)
    node.ends("p", "1", "hello")
    node.now = (node.folder / "ns" / "p" / "1" / "pod.json").stat().st_mtime
    half = node.folder / "ns" / "q" / "2" / "main" / "0"
    half.mkdir(parents=True)

    node.again()

    assert node.says("p") == "hello"
    assert not half.exists()


def test_after_a_day_they_are_gone(tmp_path: Path) -> None:
    node = Node(tmp_path, kept_for=3600.0)
    node.ends("p", "1", "hello")

    node.now += 3601
    assert node.says("p") is None

    node.ends("q", "2", "later")
    assert not (node.folder / "ns" / "p").exists()


def test_a_log_that_cannot_be_kept_harms_nobody(tmp_path: Path) -> None:
    node = Node(tmp_path)
    node.folder.write_text("not a folder")

    node.ends("p", "1", "hello")

    assert node.archive.find("ns", "p") is None


@settings(max_examples=40, deadline=None)
@given(lists(tuples(sampled_from("abcdef"), integers(0, 400), integers(0, 50)), max_size=30))
def test_whatever_comes_and_goes_it_stays_within_its_limits(ends: list[tuple[str, int, int]]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        node = Node(Path(folder), largest=1000, max_pods=4, kept_for=100.0)
        for number, (name, size, passed) in enumerate(ends):
            node.now += passed
            node.ends(name, str(number), "x" * size)

            assert node.size() <= 1000
            assert len(list(node.folder.glob("*/*/*"))) <= 4
            assert node.says(name) == "x" * size
