"""Pods of container sets, and the program that starts their containers in order."""

import subprocess
from pathlib import Path

import pytest

from tests.apps.pipelines.argo.simulation import End, Simulation
from tests.apps.pipelines.workflows import a_workflow
from windlass.apps.pipelines.argo.pods.container_sets import FOLDER, program
from windlass.kube.json import Object


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


def test_a_container_that_fails_is_started_again(tmp_path: Path) -> None:
    count = f"echo x >> {tmp_path}/tries; [ $(wc -l < {tmp_path}/tries) = 3 ]"
    text = program("a", (), 3, 0.01).replace(FOLDER, str(tmp_path))

    done = subprocess.run(["/bin/sh", "-c", text, "sh", "sh", "-c", count], timeout=10, check=False)

    assert done.returncode == 0
    assert (tmp_path / "a").read_text() == "0\n"
    assert len((tmp_path / "tries").read_text().splitlines()) == 3


def test_a_container_that_keeps_failing_ends_with_its_last_exit_code(tmp_path: Path) -> None:
    text = program("a", (), 2, 0).replace(FOLDER, str(tmp_path))
    words = ["/bin/sh", "-c", text, "sh", "sh", "-c", "echo x; exit 5"]

    done = subprocess.run(words, timeout=10, check=False, capture_output=True, text=True)

    assert (done.returncode, done.stdout) == (5, "x\n" * 3)


def test_a_container_that_has_to_end_is_not_started_again(tmp_path: Path) -> None:
    text = program("a", (), 9, 60).replace(FOLDER, str(tmp_path))
    words = ["/bin/sh", "-c", text, "sh", "sh", "-c", "trap 'exit 5' TERM; echo ready; while :; do sleep 0.05; done"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.terminate()
        process.communicate(timeout=10)

    assert process.returncode == 5


def test_a_signal_that_comes_while_the_container_starts_ends_it(tmp_path: Path) -> None:
    text = program("a", (), 9, 60).replace(FOLDER, str(tmp_path))
    command = "trap 'exit 5' TERM; kill -TERM $PPID; while :; do sleep 0.01; done"
    for _ in range(20):
        ended = subprocess.run(["/bin/sh", "-c", text, "sh", "sh", "-c", command], timeout=10, check=False)
        assert ended.returncode == 5


def test_the_retries_of_a_set_are_those_of_each_container() -> None:
    template = a_set(one("a"), one("b"))
    template["containerSet"]["retryStrategy"] = {"retries": "{{workflow.parameters.n}}", "duration": "2s"}
    workflow = a_workflow(template, arguments={"parameters": [{"name": "n", "value": 4}]})

    run = Simulation(workflow).run()

    texts = [container["command"][2] for container in run.pod_of("")["spec"]["containers"]]
    assert all("left=4" in text and "sleep 2 " in text for text in texts)


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
