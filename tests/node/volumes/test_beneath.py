"""A subPath never leads out of its volume."""

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windlass.node.volumes.beneath import Escapes, resolve


def test_missing_folders_are_made_with_the_mode_given(tmp_path: Path) -> None:
    assert resolve(tmp_path, "a/b", make=0o2775) == tmp_path / "a" / "b"
    assert (tmp_path / "a" / "b").stat().st_mode & 0o7777 == 0o2775


def test_links_inside_are_followed(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "key").write_text("x")
    (tmp_path / "..data").symlink_to("data")
    (tmp_path / "key").symlink_to("..data/key")
    assert resolve(tmp_path, "key") == tmp_path / "data" / "key"


@pytest.mark.parametrize("target", ["/etc", "..", "../..", "in/../../x", "a"])
def test_links_that_lead_out_or_round_are_refused(tmp_path: Path, target: str) -> None:
    top = tmp_path / "top"
    (top / "in").mkdir(parents=True)
    (top / "a").symlink_to(target)
    with pytest.raises(Escapes):
        resolve(top, "a/passwd", make=0o755)


steps = st.sampled_from(["a", "b", "c", "..", ".", "", "d"])
targets = st.lists(st.sampled_from(["a", "b", "c", "..", "/", "/etc", "d"]), min_size=1, max_size=4).map("/".join)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.sampled_from(["a", "b", "c", "d/a", "d/b"]), targets), st.lists(steps, max_size=6))
def test_whatever_links_there_are_the_answer_is_inside(links: dict[str, str], path: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder).resolve() / "top"
        (top / "d").mkdir(parents=True)
        for name, target in links.items():
            (top / name).symlink_to(target)
        try:
            found = resolve(top, "/".join(path), make=0o755)
        except (Escapes, OSError):
            return
        assert found.is_relative_to(top)
        assert Path(os.path.realpath(found)) == found
