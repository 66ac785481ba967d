"""The programs of Argo's example images: what they print, write and return."""

import subprocess
from pathlib import Path

import pytest

from windlass.node.images.programs import cowsay
from windlass.node.images.shipped import FOLDER

ARGOSAY = FOLDER / "argo" / "argosay"


def argosay(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", ARGOSAY, *words], capture_output=True, text=True, timeout=10, check=False)


@pytest.mark.parametrize(
    ("words", "code", "output"),
    [
        ((), 0, "hello argo\n"),
        (("echo",), 0, "hello argo\n"),
        (("echo", "a  b"), 0, "a  b\n"),
        (("sleep", "0h0m0.01s1ms"), 0, ""),
        (("exit",), 0, ""),
        (("exit", "7"), 7, ""),
        (("dance",), 2, ""),
        (("sleep",), 2, ""),
    ],
)
def test_argosay_does_what_it_is_told(words: tuple[str, ...], code: int, output: str) -> None:
    done = argosay(*words)

    assert (done.returncode, done.stdout) == (code, output)


def test_argosay_writes_and_reads_files(tmp_path: Path) -> None:
    note = tmp_path / "deep" / "note"
    argosay("echo", "noted", str(note))

    assert note.read_text() == "noted"
    assert argosay("cat", str(note), str(note)).stdout == "notednoted"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["hello", "world"], ["hello", "world"]), (["-f", "tux", "hi"], ["hi"]), (["-b", "hi"], ["hi"]), (["-"], ["-"])],
)
def test_cowsay_ignores_options(arguments: list[str], words: list[str]) -> None:
    assert cowsay.words_of(arguments) == words


def test_cowsay_frames_a_text() -> None:
    assert cowsay.bubble("hello") == " _______\n< hello >\n -------"
    assert cowsay.bubble("a\nb\n\nc").splitlines()[1:-1] == ["/ a \\", "| b |", "|   |", "\\ c /"]
    assert max(len(line) for line in cowsay.bubble("word " * 30).splitlines()) <= cowsay.WIDTH + 4
