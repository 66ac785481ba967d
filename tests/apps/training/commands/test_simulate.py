"""`windlass simulate` on the command line."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from windlass.apis.assumptions import Assumption
from windlass.apps.training.commands.simulate import POLICIES, TRACES
from windlass.apps.training.commands.simulate_cluster import as_json, forecast_lines, format_duration
from windlass.cli.main import cli
from windlass.scheduler.simulate import baselines, traces
from windlass.scheduler.simulate.forecast import Forecast

SMALL = """\
nodes: [{count: 2, resources: {cpu: 8, memory: 32Gi, nvidia.com/gpu: 4}}]
jobs:
- {name: a, count: 6, width: 4, requests: {nvidia.com/gpu: 1}, duration: 10m}
"""


def run(*arguments: str) -> tuple[int, str]:
    found = CliRunner().invoke(cli, ["simulate", *arguments])
    return found.exit_code, found.output


@pytest.fixture
def described(tmp_path: Path) -> str:
    (tmp_path / "d.yaml").write_text(SMALL)
    return str(tmp_path / "d.yaml")


def test_policies_are_compared_in_a_table(described: str) -> None:
    code, text = run(described)

    assert code == 0, text
    for words in ("strict FIFO gang", "Windlass", "utilisation", "gang violations", "p95 wait, 4–7 pods"):
        assert words in text


def test_the_answer_may_be_json_and_the_report_a_file(described: str, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    code, text = run(described, "-o", "json", "--policy", "windlass", "--report", str(report))

    assert code == 0, text
    assert [(one["policy"], one["done"], one["gang_violations"]) for one in json.loads(text)] == [("windlass", 6, 0)]
    assert report.read_text().startswith("<!doctype html>")


def test_the_users_own_configuration_is_tried_beside_them(described: str, tmp_path: Path) -> None:
    conf = tmp_path / "conf.yaml"
    conf.write_text('actions: "allocate"\ntiers:\n- plugins: [{name: gang}]\n')

    code, text = run(described, "-o", "json", "--policy", "fifo-gang", "--scheduler-conf", str(conf))

    assert code == 0, text
    assert [one["policy"] for one in json.loads(text)] == ["fifo-gang", "own"]


def test_a_trace_is_drawn_as_large_as_it_is_wanted() -> None:
    code, text = run("--trace", "philly", "--nodes", "6", "--jobs", "10", "--policy", "windlass", "-o", "json")

    assert code == 0, text
    assert json.loads(text)[0]["jobs"] == 10


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing to simulate"),
        (["{d}", "--trace", "pai"], "nothing to simulate"),
        (["{d}", "--jobs", "3"], "--jobs and --at-once require --trace"),
        (["{d}", "--add", "{d}"], "--from-cluster and --add FILE require each other"),
        (["--from-cluster"], "--from-cluster and --add FILE require each other"),
        (["{d}", "--scheduler-conf", "{d}"], "actions: none is named"),
        (["{d}", "--report", "/nowhere/r.html", "--policy", "windlass"], "the report cannot be written"),
    ],
)
def test_what_does_not_go_together_is_refused_by_name(described: str, arguments: list[str], message: str) -> None:
    code, text = run(*[one.format(d=described) for one in arguments])

    assert code == 1
    assert message in text


def test_a_bad_description_is_told_with_file_line_and_field(tmp_path: Path) -> None:
    (tmp_path / "d.yaml").write_text("jobs:\n- {duration: soon}\n")

    code, text = run(str(tmp_path / "d.yaml"))

    assert code == 1
    assert "d.yaml:2: jobs[0].duration: 'soon' is no length of time" in text


def test_the_names_on_the_command_line_are_those_that_there_are() -> None:
    assert tuple(policy.name for policy in baselines.POLICIES) == POLICIES
    assert traces.NAMES == TRACES


NOW = datetime(2027, 1, 15, 8, 0, tzinfo=UTC)


def test_it_is_told_in_words_when_a_job_would_start_and_what_was_assumed() -> None:
    found = Forecast("j", 4800.0, {"n1": 4, "n2": 1}, "", [Assumption("EndAtDeadline", 3)])

    assert forecast_lines(found, NOW) == [
        "j would start in 1 h 20 min, at 2027-01-15T09:20:00Z, on 2 nodes:",
        "  n1  4 pods",
        "  n2  1 pod",
        "Assumptions about running and waiting pods:",
        "  3 pods end at their activeDeadlineSeconds",
    ]
    assert as_json(found, NOW)["startsAt"] == "2027-01-15T09:20:00Z"


def test_it_is_told_why_a_job_would_not_start() -> None:
    assert forecast_lines(Forecast("j", None, {}, "no room", []), NOW) == [
        "j would not start, as far as is known: no room"
    ]


@pytest.mark.parametrize(
    ("seconds", "words"), [(5, "5 s"), (90, "1 min 30 s"), (7200, "2 h 0 min"), (180_000, "2 d 2 h")]
)
def test_lengths_of_time_are_told_in_two_units(seconds: float, words: str) -> None:
    assert format_duration(seconds) == words
