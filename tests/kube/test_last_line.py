"""The line of a failed container's log that messages quote."""

import pytest

from windlass.kube.last_line import MAX_CHARACTERS, last_line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", ""),
        ("\n \n\t\n", ""),
        ("too bad", "too bad"),
        ('Traceback (most recent call last):\n  File "x.py", line 1\nValueError: no rows\n\n', "ValueError: no rows"),
        ("10 %\r50 %\rfailed\r\n", "failed"),
        ("\x1b[1;31mERROR\x1b[0m: \x1b]0;title\x07no disk\x1b[K", "ERROR: no disk"),
        ("a\x00b\tc\x7f\u202ed\u0085", "a b c d"),
        ("good\n\x00\x01\n", "good"),
        ("naïve 数据", "naïve 数据"),
    ],
)
def test_the_last_line_that_says_anything_is_quoted_without_control_characters(text: str, line: str) -> None:
    assert last_line(text) == line


def test_a_long_line_is_cut() -> None:
    assert last_line("x" * 5000) == "x" * (MAX_CHARACTERS - 1) + "…"
