"""`windlass queue` reads queues and groups rightly, and asks for what it was told."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from windlass.cli import job
from windlass.cli.main import cli
from windlass.cli.queue import AMOUNTS, command, is_done, manifest
from windlass.cli.queue_screen import legend, print_queue, table
from windlass.cli.queue_state import CLOSED_BY_PARENT, group_rows, queue_rows, resources_of

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def a_queue(name: str, parent: str = "", state: str = "Open", **more: Any) -> dict[str, Any]:
    spec = {"weight": 2, **({"parent": parent} if parent else {}), **more.pop("spec", {})}
    return {"metadata": {"name": name, "uid": f"uid-{name}"}, "spec": spec, "status": {"state": state, **more}}


def a_group(name: str, created: str = "2026-01-01T11:00:00Z", **more: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "n", "uid": name, "creationTimestamp": created}
    return {"metadata": metadata, "spec": {"minMember": 4, **more.get("spec", {})}, "status": more.get("status", {})}


def test_queues_stand_below_their_parents() -> None:
    queues = [
        a_queue("dev", "eng"),
        a_queue("default"),
        a_queue("eng", "root"),
        a_queue("root"),
        a_queue("lost", "gone"),
    ]

    rows = queue_rows(queues)

    assert [(row.depth, row.name) for row in rows] == [
        (0, "lost"),
        (0, "root"),
        (1, "default"),
        (1, "eng"),
        (2, "dev"),
    ]


def test_queues_that_are_each_others_parents_are_shown_all_the_same() -> None:
    assert {row.name for row in queue_rows([a_queue("a", "b"), a_queue("b", "a")])} == {"a", "b"}


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
        ({"capability": {"cpu": 8}}, "Resources: used/≤most that the queue may use (its capability)"),
        (
            {"deserved": {"cpu": 8}, "capability": {"memory": 2}},
            "Resources: used/deserved, used/≤most that the queue may use (its capability)",
        ),
    ],
)
def test_what_the_shares_of_a_queue_are_is_explained_below_the_table(spec: dict[str, Any], explained: str) -> None:
    assert legend(queue_rows([a_queue("eng", spec=spec, allocated={"cpu": "1"})])) == explained


def test_groups_are_in_the_order_in_which_they_are_served() -> None:
    classes = [
        {"metadata": {"name": "high"}, "value": 100},
        {"metadata": {"name": "usual"}, "value": 5, "globalDefault": True},
    ]
    waits = {"type": "Unschedulable", "status": "True", "reason": "NotEnoughResources", "message": "3/4 tasks"}
    groups = [
        a_group("young", "2026-01-01T11:30:00Z"),
        a_group("old", status={"phase": "Running", "running": 4}),
        a_group("first", "2026-01-01T11:50:00Z", spec={"priorityClassName": "high"}, status={"conditions": [waits]}),
    ]

    rows = group_rows(groups, classes, NOW)

    assert [(row.name, row.state, row.priority) for row in rows] == [
        ("first", "Pending", 100),
        ("old", "Running", 5),
        ("young", "Pending", 5),
    ]
    assert (rows[0].waits_for, rows[0].age, rows[1].waits_for) == ("3/4 tasks", 600, "")


def test_one_queue_is_shown_with_its_groups(capsys: pytest.CaptureFixture[str]) -> None:
    spec = {"guarantee": {"resource": {"cpu": 1}}, "capability": {"cpu": 4, "memory": "8Gi"}}
    [row] = queue_rows([a_queue("eng", "root", spec=spec)])

    print_queue(row, group_rows([a_group("g")], [], NOW))
    print_queue(row, [])

    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == [
        "eng  Open",
        "  weight 2, below root",
        "  guarantee  cpu 1",
        "  capability cpu 4, memory 8Gi",
    ]
    assert lines[5].split() == ["1", "n", "g", "Pending", "0", "4", "0", "60m", "-"]
    assert lines[-1] == "No pod groups are in it."


def test_options_become_a_queue() -> None:
    told = {"weight": 3, "capability": {"cpu": "4"}, "parent": "eng", "priority": None, "guarantee": {"cpu": "1"}}

    made = manifest("q", **told, no_reclaim=True)

    assert made["spec"] == {
        "weight": 3,
        "reclaimable": False,
        "capability": {"cpu": "4"},
        "parent": "eng",
        "guarantee": {"resource": {"cpu": "1"}},
        "deserved": {"cpu": "1"},
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("cpu", "'cpu': write RESOURCE=AMOUNT"),
        ("cpu=4,=1", "'=1': write RESOURCE=AMOUNT"),
        ("cpu=much", "'much' is no amount of cpu"),
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


@pytest.mark.parametrize(
    ("action", "state", "mark", "done"),
    [
        ("OpenQueue", "Open", "", True),
        ("OpenQueue", "Closed", "", False),
        ("CloseQueue", "Open", "", False),
        ("CloseQueue", "Closing", "", True),
        ("CloseQueue", "Closed", "", True),
        ("CloseQueue", "Closed", "true", False),
    ],
)
def test_when_a_command_has_taken_effect(action: str, state: str, mark: str, done: bool) -> None:
    queue = a_queue("q", state=state)
    queue["metadata"]["annotations"] = {CLOSED_BY_PARENT: mark} if mark else {}

    assert is_done(queue, action) == done


def test_a_command_names_just_this_queue() -> None:
    made = command("CloseQueue", a_queue("q"))

    assert made["action"] == "CloseQueue"
    assert made["target"] == {
        "apiVersion": "scheduling.volcano.sh/v1beta1",
        "kind": "Queue",
        "name": "q",
        "uid": "uid-q",
    }


def test_a_command_to_a_job_is_in_its_namespace_and_names_just_this_job() -> None:
    made = job.command("AbortJob", {"metadata": {"name": "j", "namespace": "n", "uid": "u"}})

    assert (made["action"], made["metadata"]["namespace"]) == ("AbortJob", "n")
    assert (made["target"]["kind"], made["target"]["name"], made["target"]["uid"]) == ("Job", "j", "u")


@pytest.mark.parametrize("words", [["queue", "list"], ["queue", "close", "q"], ["job", "suspend", "a"]])
def test_where_no_windlass_runs_that_is_said_with_the_way_to_start_one(words: list[str], tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, [*words, "--data-dir", str(tmp_path)])

    assert done.exit_code == 1
    assert "windlass up --detach" in done.stderr
