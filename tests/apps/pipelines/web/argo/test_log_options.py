"""Which log lines a request asks for."""

from datetime import UTC, datetime

import pytest

from windlass.apps.pipelines.web.argo.log_options import LogOptions, log_options
from windlass.kube.errors import BadRequest

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ({}, LogOptions()),
        ({"podName": "p", "selector": "a=b"}, LogOptions(pod="p", selector="a=b")),
        (
            {"logOptions.container": "side", "logOptions.follow": "true", "logOptions.tailLines": "5"},
            LogOptions(container="side", is_followed=True, tail=5),
        ),
        (
            {"logOptions.sinceSeconds": "65", "logOptions.timestamps": "True", "logOptions.previous": ""},
            LogOptions(since="2026-01-02T03:03:00Z", has_timestamps=True),
        ),
    ],
)
def test_the_query_is_read(query: dict[str, str], options: LogOptions) -> None:
    assert log_options(query, "", NOW) == options


def test_the_pod_of_the_path_counts() -> None:
    assert log_options({"podName": "other"}, "p", NOW).pod == "p"


def test_lines_match_a_regular_expression() -> None:
    options = log_options({"grep": "^err(or)?:"}, "", NOW)

    assert [line for line in ("error: x", "err: y", "no error:") if options.has(line)] == ["error: x", "err: y"]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"logOptions.tailLines": "-1"}, "logOptions.tailLines"),
        ({"logOptions.tailLines": "9" * 30}, "logOptions.tailLines"),
        ({"logOptions.sinceSeconds": "1.5"}, "logOptions.sinceSeconds"),
        ({"logOptions.follow": "yes"}, "logOptions.follow"),
        ({"logOptions.previous": "true"}, "logOptions.previous"),
        ({"grep": "("}, "grep"),
    ],
)
def test_what_cannot_be_answered_is_refused_by_name(query: dict[str, str], field: str) -> None:
    with pytest.raises(BadRequest, match=f"^{field}: "):
        log_options(query, "", NOW)
