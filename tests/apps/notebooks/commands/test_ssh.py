"""A shell in a notebook ends as its command did, and says why there is none."""

from typing import Any

import msgspec
import pytest

from windlass.apps.notebooks.commands.ssh import exec_path, exit_code, why_no_gateway, why_not_running, why_refused
from windlass.apps.notebooks.kinds import Notebook
from windlass.cli.failure import Failure
from windlass.kube.json import encode


def a_notebook(status: dict[str, Any], **annotations: str) -> Notebook:
    return msgspec.convert({"metadata": {"name": "lab", "annotations": annotations}, "status": status}, Notebook)


@pytest.mark.parametrize(
    ("status", "code"),
    [
        ({"status": "Success"}, 0),
        ({"status": "Failure", "details": {"causes": [{"reason": "ExitCode", "message": "3"}]}}, 3),
    ],
)
def test_the_exit_code_is_that_of_the_command(status: dict[str, Any], code: int) -> None:
    assert exit_code(encode(status)) == code


def test_a_command_that_cannot_be_run_is_a_failure() -> None:
    with pytest.raises(Failure, match="no such file"):
        exit_code(encode({"status": "Failure", "message": "no such file"}))


def test_a_notebook_that_runs_has_a_shell() -> None:
    assert why_not_running(a_notebook({"readyReplicas": 1})) == ""


@pytest.mark.parametrize(
    ("notebook", "said"),
    [
        (
            a_notebook({"readyReplicas": 1}, **{"kubeflow-resource-stopped": "x"}),
            "annotate notebook lab kubeflow-resource-stopped-",
        ),
        (
            a_notebook({"containerState": {"waiting": {"reason": "ErrImagePull", "message": "install it"}}}),
            "ErrImagePull install it",
        ),
        (a_notebook({}), "its pod is not ready"),
    ],
)
def test_another_says_why_not(notebook: Notebook, said: str) -> None:
    assert said in why_not_running(notebook)


@pytest.mark.parametrize(
    ("url", "token", "said"),
    [
        ("", "", ""),
        ("https://gateway.example.com", "wlp_x", ""),
        ("gateway.example.com", "wlp_x", "--url: 'gateway.example.com' is no address"),
        ("https://gateway.example.com", "", "WINDLASS_TOKEN"),
        ("", "wlp_x", "WINDLASS_URL"),
    ],
)
def test_a_gateway_needs_an_address_and_a_token(url: str, token: str, said: str) -> None:
    problem = why_no_gateway(url, token)

    assert said in problem
    assert bool(said) == bool(problem)


def test_who_may_not_run_commands_learns_which_right_is_missing() -> None:
    assert "create pods/exec" in why_refused(403, "ml/lab")
    assert "HTTP 502" in why_refused(502, "ml/lab")


def test_a_command_is_passed_word_by_word() -> None:
    path = exec_path("ml", "lab-0", "lab", ["sh", "-c", "echo a&b=c d"], has_terminal=False)

    assert path == (
        "/api/v1/namespaces/ml/pods/lab-0/exec?container=lab&stdin=true&stdout=true&stderr=true"
        "&command=sh&command=-c&command=echo+a%26b%3Dc+d"
    )


def test_a_terminal_has_one_stream() -> None:
    path = exec_path("ml", "lab-0", "lab", ["sh"], has_terminal=True)

    assert "tty=true" in path
    assert "stderr" not in path
