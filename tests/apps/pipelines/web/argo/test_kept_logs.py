"""Which lines of a kept log a request gets."""

import pytest

from windlass.apps.pipelines.web.argo.kept_logs import chosen
from windlass.apps.pipelines.web.argo.log_options import LogOptions

TEXT = "one\ntwo\n\nthree\n"


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        (LogOptions(), ["one", "two", "", "three"]),
        (LogOptions(tail=2), ["", "three"]),
        (LogOptions(tail=0), []),
        (LogOptions(tail=9), ["one", "two", "", "three"]),
        (LogOptions(pattern="^t"), ["two", "three"]),
    ],
)
def test_lines_are_chosen(options: LogOptions, lines: list[str]) -> None:
    assert chosen(TEXT, options) == lines


def test_an_empty_log_has_no_lines() -> None:
    assert chosen("", LogOptions()) == []
