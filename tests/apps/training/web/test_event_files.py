"""Event files below a volume: nothing outside of it is ever read."""

import os
from pathlib import Path

import pytest

from tests.formats.event_files import event, simple
from windlass.apps.training.web.learning import event_files
from windlass.apps.training.web.learning.curve_rows import event_series, ordered
from windlass.apps.training.web.learning.event_files import VolumeCurves
from windlass.formats.volume_files import open_file

NAME = "events.out.tfevents.1.host"


def points(curves: VolumeCurves, *, since: float = 0.0) -> dict[str, tuple[float, ...]]:
    curves.read(since)
    series = ordered(event_series({key: found.points for key, found in curves.files.items()}))
    return {f"{one.run}:{one.name}": one.values for one in series}


def test_files_of_a_run_are_read_and_then_only_what_is_new(tmp_path: Path) -> None:
    run = tmp_path / "logs" / "train"
    run.mkdir(parents=True)
    file = run / NAME
    file.write_bytes(event(1, 1.0, simple("loss", 0.5)))
    curves = VolumeCurves(tmp_path)
    assert points(curves) == {"logs/train:loss": (0.5,)}
    offset = next(iter(curves.files.values())).offset

    with file.open("ab") as more:
        more.write(event(2, 2.0, simple("loss", 0.25)))

    assert points(curves) == {"logs/train:loss": (0.5, 0.25)}
    assert next(iter(curves.files.values())).offset == 2 * offset


def test_a_file_that_was_written_again_is_read_from_its_start(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(event(1, 1.0, simple("loss", 0.5)) + event(2, 1.0, simple("loss", 0.4)))
    curves = VolumeCurves(tmp_path)
    points(curves)

    (tmp_path / NAME).write_bytes(event(7, 1.0, simple("loss", 0.25)))

    assert points(curves) == {".:loss": (0.25,)}


def test_links_and_what_is_no_file_are_left_out(tmp_path: Path) -> None:
    outside, volume = tmp_path / "outside", tmp_path / "volume"
    outside.mkdir()
    volume.mkdir()
    (outside / NAME).write_bytes(event(1, 1.0, simple("secret", 0.5)))
    (volume / f"link.{NAME}").symlink_to(outside / NAME)
    (volume / "folder").symlink_to(outside)
    os.mkfifo(volume / f"pipe.{NAME}")

    assert points(VolumeCurves(volume)) == {}
    assert open_file(volume, f"folder/{NAME}") is None
    assert open_file(volume, f"../outside/{NAME}") is None
    assert open_file(volume, f"./../outside/{NAME}") is None
    assert open_file(volume, f"pipe.{NAME}") is None


def test_files_from_before_the_job_are_left_out(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(event(1, 1.0, simple("loss", 0.5)))
    os.utime(tmp_path / NAME, (1000, 1000))

    assert points(VolumeCurves(tmp_path), since=2000) == {}


def test_a_damaged_file_is_read_up_to_the_damage(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(event(1, 1.0, simple("loss", 0.5)) + b"\xff" * 100)
    curves = VolumeCurves(tmp_path)

    assert points(curves) == {".:loss": (0.5,)}
    assert points(curves) == {".:loss": (0.5,)}


def test_a_large_file_is_read_in_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = event(1, 1.0, simple("loss", 0.5))
    monkeypatch.setattr(event_files, "MAX_READ", 10 * len(one))
    (tmp_path / NAME).write_bytes(b"".join(event(step, 1.0, simple("loss", 0.5)) for step in range(1, 26)))
    curves = VolumeCurves(tmp_path)

    passes = [len(points(curves)[".:loss"]) for _ in range(4)]

    assert passes == [10, 20, 25, 25]


def test_points_of_a_volume_are_bounded_over_all_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_files, "MAX_KEPT_POINTS", 12)
    for name in "abc":
        content = b"".join(event(step, 1.0, simple("loss", 0.5)) for step in range(1, 11))
        (tmp_path / f"{name}.{NAME}").write_bytes(content)
    curves = VolumeCurves(tmp_path)

    _, notes = curves.series(0.0)

    assert sum(len(one.points) for one in curves.files.values()) == 12
    assert any("12 points" in note for note in notes)


def test_a_volume_that_is_gone_has_no_curves(tmp_path: Path) -> None:
    assert points(VolumeCurves(tmp_path / "gone")) == {}
