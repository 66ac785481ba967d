"""`windlass queue` reads queues and groups rightly, and asks for what it was told."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from tests.apps.training.jobs.builders import a_group, a_queue
from windlass.apps.volcano.commands.queue import AMOUNTS
from windlass.apps.volcano.commands.queue_screen import legend, print_queue, table
from windlass.apps.volcano.queues.queue_state import group_rows, queue_rows, resources_of
from windlass.cli.main import cli

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_a_table_shows_shares_of_the_resources_that_queues_have() -> None:
    spec = {"deserved": {"cpu": 8}, "capability": {"nvidia.com/gpu": 2, "example.com/fast": 1}}
    used = {"cpu": "3500m", "memory": "1Gi", "pods": "7"}
    rows = queue_rows([a_queue("root"), a_queue("eng", "root", spec=spec, allocated=used, running=3, pending=1)])

    assert resources_of(rows) == ["cpu", "memory", "nvidia.com/gpu", "example.com/fast"]
    head, _, eng = table(rows)
    assert head.split()[:4] == ["NAME", "PARENT", "STATE", "WEIGHT"]
    assert head.split()[4:] == ["CPU", "MEMORY", "GPU", "EXAMPLE.COM/FAST", "RUNNING", "INQUEUE", "PENDING"]
    assert click.unstyle(eng).split() == [
        "eng", "root", "Open", "2", "3500m/8", "1Gi", "0/≤2", "0/≤1", "3", "0", "1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "explained"),
    [
        ({}, ""),
        ({"deserved": {"cpu": 8}}, "Resources: used/deserved"),
        ({"capability": {"cpu": 8}}, "Resources: used/≤capability (the queue's limit)"),
        (
            {"deserved": {"cpu": 8}, "capability": {"memory": 2}},
            "Resources: used/deserved, used/≤capability (the queue's limit)",
        ),
    ],
)
def test_what_the_shares_of_a_queue_are_is_explained_below_the_table(spec: dict[str, Any], explained: str) -> None:
    assert legend(queue_rows([a_queue("eng", spec=spec, allocated={"cpu": "1"})])) == explained


def test_one_queue_is_shown_with_its_groups(capsys: pytest.CaptureFixture[str]) -> None:
    spec = {"guarantee": {"resource": {"cpu": 1}}, "capability": {"cpu": 4, "memory": "8Gi"}}
    [row] = queue_rows([a_queue("eng", "root", spec=spec)])

    print_queue(row, group_rows([a_group("g")], [], NOW))
    print_queue(row, [])

    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == [
        "eng  Open",
        "  weight 2, parent root",
        "  guarantee  cpu 1",
        "  capability cpu 4, memory 8Gi",
    ]
    assert lines[5].split() == ["1", "n", "g", "Pending", "0", "4", "0", "60m", "-"]
    assert lines[-1] == "It has no pod groups."


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("cpu", "'cpu': write RESOURCE=AMOUNT"),
        ("cpu=4,=1", "'=1': write RESOURCE=AMOUNT"),
        ("cpu=much", "'much' is not a quantity of cpu"),
    ],
)
def test_amounts_that_cannot_be_read_are_named(text: str, says: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["queue", "create", "q", "--capability", text, "--data-dir", str(tmp_path)])

    assert done.exit_code == 2
    assert says in " ".join(done.stderr.split())


def test_amounts_are_resources_by_name() -> None:
    assert AMOUNTS.convert("cpu=4, memory=8Gi,nvidia.com/gpu=1", None, None) == {
        "cpu": "4",
        "memory": "8Gi",
        "nvidia.com/gpu": "1",
    }


@pytest.mark.parametrize("words", [["queue", "list"], ["queue", "close", "q"], ["job", "suspend", "a"]])
def test_where_no_windlass_runs_that_is_said_with_the_way_to_start_one(words: list[str], tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, [*words, "--data-dir", str(tmp_path)])

    assert done.exit_code == 1
    assert "windlass up --detach" in done.stderr
