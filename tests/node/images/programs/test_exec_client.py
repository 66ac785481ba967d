"""The exec client's command line, and its handling of answers. tests/e2e/training tests that it passes bytes."""

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from windlass.node.images.programs import exec_client
from windlass.node.images.programs.exec_client import Arguments, Problem, exit_code


@pytest.mark.parametrize(
    "words",
    [
        ["demo-worker-0", "--container", "mpi", "--", "/bin/sh", "-c", "orted -x"],
        ["--container=mpi", "pod/demo-worker-0", "--", "/bin/sh", "-c", "orted -x"],
        ["-c", "mpi", "demo-worker-0", "/bin/sh", "--", "-c", "orted -x"],
    ],
)
def test_a_command_line_is_read_as_kubectl_reads_it(words: list[str]) -> None:
    asked = Arguments(words)

    assert (asked.pod, asked.container, asked.namespace) == ("demo-worker-0", "mpi", "")
    assert asked.command == ["/bin/sh", "-c", "orted -x"]
    assert not asked.stdin


def test_input_is_passed_on_only_if_asked_for() -> None:
    assert Arguments(["-i", "-n", "team-a", "p", "--", "cat"]).stdin
    assert Arguments(["-i", "-n", "team-a", "p", "--", "cat"]).namespace == "team-a"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "pod name must be specified"),
        (["p"], "you must specify at least one command"),
        (["p", "-t", "--", "sh"], "unknown flag: -t"),
        (["p", "-c"], "flag needs an argument: -c"),
    ],
)
def test_what_cannot_be_done_is_refused_by_name(words: list[str], why: str) -> None:
    with pytest.raises(Problem, match=why):
        Arguments(words)


@pytest.mark.parametrize(
    ("status", "code"),
    [
        ({"status": "Success"}, 0),
        (
            {
                "status": "Failure",
                "reason": "NonZeroExitCode",
                "details": {"causes": [{"reason": "ExitCode", "message": "137"}]},
            },
            137,
        ),
    ],
)
def test_the_exit_code_is_the_commands_own(status: dict[str, Any], code: int) -> None:
    assert exit_code(status) == code


def test_a_command_that_could_not_start_has_none() -> None:
    with pytest.raises(Problem, match="executable file not found"):
        exit_code({"status": "Failure", "reason": "InternalError", "message": "executable file not found in $PATH"})


def test_other_verbs_go_to_another_kubectl(tmp_path: Path) -> None:
    other = tmp_path / "kubectl"
    other.write_text('#!/bin/sh\necho other "$@"\n')
    other.chmod(other.stat().st_mode | stat.S_IXUSR)

    assert _run("get", "pods", PATH=str(tmp_path)).stdout == "other get pods\n"
    alone = _run("get", "pods", PATH="/nowhere")
    assert (alone.returncode, alone.stdout) == (1, "")
    assert "get: only exec is supported here" in alone.stderr


def test_outside_of_a_pod_it_says_so() -> None:
    reported = _run("exec", "p", "--", "true", KUBERNETES_SERVICE_HOST="")

    assert reported.returncode == 1
    assert reported.stderr == "error: KUBERNETES_SERVICE_HOST is not set: this is not a pod\n"


def _run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-S", exec_client.__file__, *words],
        env={**os.environ, **environment}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
