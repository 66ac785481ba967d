"""Jobs on a terminal: an aligned table, and a prefix for each replica."""

from datetime import UTC, datetime

from tests.apps.training.jobs.builders import a_job, a_running_pod
from windlass.apps.training.commands.job_screen import Prefixes, table
from windlass.apps.training.jobs.state.job_state import RelatedObjects, row

NOW = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)


def test_the_table_is_aligned_and_says_namespaces_when_asked() -> None:
    rows = [row(a_job("Running"), RelatedObjects(), NOW)]

    assert [line.split() for line in table(rows, namespaces=False)] == [
        ["KIND", "NAME", "STATE", "REPLICAS", "GANG", "AGE", "DURATION"],
        ["PyTorchJob", "demo", "\x1b[36mRunning\x1b[0m", "0/3", "-", "60m", "-"],
    ]
    assert table(rows, namespaces=True)[1].startswith("team-a      PyTorchJob   demo")


def test_prefixes_are_as_wide_as_the_widest_and_keep_their_colour() -> None:
    prefix = Prefixes(["worker-10", "ps-0"])

    assert "ps-0      | " in prefix("ps-0")
    assert prefix("ps-0") != prefix("worker-10").replace("worker-10", "ps-0     ")
    assert prefix("ps-0") == prefix("ps-0")


def test_the_table_says_how_many_replicas_of_an_ended_job_still_run() -> None:
    pods = [a_running_pod("demo"), a_running_pod("demo")]
    counts = {"replicaStatuses": {"Master": {"succeeded": 1}, "Worker": {"succeeded": 2}}}
    ended = row(a_job("Succeeded", status=counts), RelatedObjects(running_pods=pods), NOW)

    assert "   1/3 (2 still running)   " in table([ended], namespaces=False)[1]
