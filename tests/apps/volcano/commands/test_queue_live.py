"""Commands about queues and jobs against a server where nobody follows commands."""

import json
import uuid

import pytest
from click.testing import CliRunner, Result

from tests.kube.live import bare_server
from tests.support import Windlass
from windlass.cli.main import cli

__all__ = ["bare_server"]
JOBS = "/apis/batch.volcano.sh/v1alpha1/namespaces/default/jobs"
COMMANDS = "/apis/bus.volcano.sh/v1alpha1/namespaces/default/commands"


@pytest.fixture
def name() -> str:
    return f"q-{uuid.uuid4().hex[:8]}"


def windlass(server: Windlass, *words: str) -> Result:
    return CliRunner().invoke(cli, [*words, "--data-dir", str(server.data_dir)])


def test_a_queue_is_made_and_shown(bare_server: Windlass, name: str) -> None:
    made = windlass(bare_server, "queue", "create", name, "--deserved", "cpu=2", "-o", "json")
    shown = windlass(bare_server, "queue", "show", name, "-o", "json")
    listed = windlass(bare_server, "queue", "list")

    assert json.loads(made.stdout)["deserved"] == {"cpu": "2"}, made.stderr
    assert json.loads(shown.stdout)["groups"] == []
    assert name in listed.stdout


def test_a_queue_that_is_there_already_is_refused_in_the_servers_words(bare_server: Windlass, name: str) -> None:
    windlass(bare_server, "queue", "create", name)

    again = windlass(bare_server, "queue", "create", name)

    assert again.exit_code == 1
    assert f'"{name}" already exists' in again.stderr


def test_a_queue_that_is_open_needs_no_command(bare_server: Windlass, name: str) -> None:
    windlass(bare_server, "queue", "create", name)

    done = windlass(bare_server, "queue", "open", name, "--timeout", "0")

    assert (done.exit_code, done.stdout) == (0, f"queue {name} is Open.\n")


def test_a_command_that_nobody_follows_is_taken_back(bare_server: Windlass, name: str) -> None:
    windlass(bare_server, "queue", "create", name)

    done = windlass(bare_server, "queue", "close", name, "--timeout", "0.2")

    assert done.exit_code == 1
    assert "no controller handled the command CloseQueue within 0.2 s" in done.stderr
    left = [one["target"]["name"] for one in bare_server.get(COMMANDS)["items"]]
    assert name not in left


def a_job(server: Windlass, name: str, phase: str) -> None:
    pods = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}
    spec = {"tasks": [{"name": "t", "replicas": 1, "template": pods}]}
    made = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": name}, "spec": spec}
    server.create(JOBS, made)
    done = server.request(
        "PATCH",
        f"{JOBS}/{name}/status",
        {"status": {"state": {"phase": phase}}},
        headers={"Content-Type": "application/merge-patch+json"},
    )
    assert done.status == 200, done.body


def test_a_job_that_nobody_suspends_is_left_as_it_was(bare_server: Windlass, name: str) -> None:
    a_job(bare_server, name, "Running")

    done = windlass(bare_server, "job", "suspend", name, "--timeout", "0.2")

    assert f"vcjob/{name} was not suspended within 0.2 s" in done.stderr
    assert name not in [one["target"]["name"] for one in bare_server.get(COMMANDS)["items"]]


@pytest.mark.parametrize(
    ("verb", "phase", "code", "says"),
    [
        ("suspend", "Aborted", 0, "is Aborted."),
        ("resume", "Running", 0, "is Running."),
        ("suspend", "Completed", 1, "is Completed: there is nothing to suspend or to resume"),
    ],
)
def test_what_is_so_already_or_is_over_needs_no_command(
    bare_server: Windlass, name: str, verb: str, phase: str, code: int, says: str
) -> None:
    a_job(bare_server, name, phase)

    done = windlass(bare_server, "job", verb, f"vcjob/{name}", "--timeout", "0")

    assert done.exit_code == code
    assert f"vcjob/{name} {says}" in done.output


def test_a_job_is_restarted_when_it_has_ended_or_is_forced(bare_server: Windlass, name: str) -> None:
    a_job(bare_server, name, "Running")
    before = bare_server.get(f"{JOBS}/{name}")["metadata"]["uid"]
    refused = windlass(bare_server, "job", "restart", f"vcjob/{name}")
    assert refused.exit_code == 1
    assert f"vcjob/{name} is Running: it restarts only if that is forced" in refused.stderr

    done = windlass(bare_server, "job", "restart", f"vcjob/{name}", "--force")
    assert (done.exit_code, done.stdout) == (0, f"vcjob/{name} was restarted.\n")
    assert bare_server.get(f"{JOBS}/{name}")["metadata"]["uid"] != before


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["queue", "show", "none"], "queue 'none' not found. List all: windlass queue list"),
        (["queue", "close", "root"], "the root queue cannot be closed"),
        (["job", "suspend", "none"], "job 'none' not found in namespace default"),
        (["job", "suspend", "none", "-n", "elsewhere"], "namespace elsewhere not found"),
        (["job", "restart", "none"], "job 'none' not found in namespace default"),
        (["job", "resume", "pod/x"], "'pod' is not a kind that can be suspended. Kinds that can: vcjob, "),
    ],
)
def test_what_cannot_be_is_said_with_what_to_do(bare_server: Windlass, words: list[str], says: str) -> None:
    done = windlass(bare_server, *words)

    assert done.exit_code == 1
    assert says in done.stderr
