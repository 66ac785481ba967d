"""Pods of container sets, and the program that starts their containers in order."""

import subprocess
from pathlib import Path

import pytest

from tests.apis.pipelines.workflows import a_workflow
from tests.pipelines.argo.simulation import End, Simulation
from windlass.kube.json import Object
from windlass.pipelines.argo.container_sets import FOLDER, program


def a_set(*containers: Object, **fields: object) -> Object:
    return {"name": "s", "containerSet": {"containers": list(containers)}, **fields}


def one(name: str, *needs: str, command: str = "true") -> Object:
    return {"name": name, "image": "i", "command": [command], **({"dependencies": list(needs)} if needs else {})}


def start(folder: Path, name: str, *needs: str, code: int = 0) -> "subprocess.Popen[str]":
    text = program(name, needs).replace(FOLDER, str(folder))
    words = ["/bin/sh", "-c", text, "sh", "sh", "-c", f"echo {name}; exit {code}"]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_container_starts_when_those_before_it_have_succeeded(tmp_path: Path) -> None:
    last = start(tmp_path, "c", "a", "b")
    first = start(tmp_path, "a")
    first.communicate(timeout=10)
    assert last.poll() is None
    second = start(tmp_path, "b")
    second.communicate(timeout=10)

    assert last.communicate(timeout=10)[0] == "c\n"
    assert (first.returncode, second.returncode, last.returncode) == (0, 0, 0)


def test_a_container_does_not_run_after_one_that_failed(tmp_path: Path) -> None:
    start(tmp_path, "a", code=3).communicate(timeout=10)
    last = start(tmp_path, "b", "a")

    assert last.communicate(timeout=10) == ("", "container a failed\n")
    assert last.returncode == 64


def test_the_pod_has_all_containers_and_main_has_the_files() -> None:
    outputs = {"parameters": [{"name": "o", "valueFrom": {"path": "/o"}}]}
    run = Simulation(a_workflow(a_set(one("first"), one("main", "first"), outputs=outputs)), lambda pod: End(
        parameters={"o": "v"}
    )).run()  # fmt: skip

    first, main = run.pod_of("")["spec"]["containers"]
    assert [mount["name"] for mount in first["volumeMounts"]] == ["argo-set"]
    assert [mount["name"] for mount in main["volumeMounts"]] == ["argo-artifacts", "argo-set"]
    assert "dependencies" not in main
    assert main["command"][:2] == ["/bin/sh", "-c"]
    assert main["command"][4:6] == ["/bin/sh", "-c"]
    assert run.outputs("") == {"o": "v"}


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        (a_set({"name": "a", "image": "i"}), "containerSet.containers[0].command"),
        (a_set(one("a"), outputs={"artifacts": [{"name": "o", "path": "/o"}]}), "one named main is required"),
    ],
)
def test_a_set_that_cannot_run_is_an_error(template: Object, problem: str) -> None:
    run = Simulation(a_workflow(template)).run()

    assert run.phase == "Error"
    assert problem in run.status["message"]
