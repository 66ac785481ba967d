"""Commands run as they are, but where Kubeflow's launcher would do more than start them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.apps.pipelines.executor.builders import a_context, a_dataset, inputs
from windlass.apps.pipelines.executor.command import COPY, PAUSES_PATH, Command, task_command
from windlass.apps.pipelines.executor.executor_input import scope
from windlass.node.environment import expand

LIGHTWEIGHT = ["sh", "-ec", 'write > ephemeral_component.py; python3 -m kfp.dsl.executor_main "$@"']


def of(**fields: Any) -> Command:
    context = a_context(**fields)
    return task_command(context, scope(context))


def test_placeholders_are_replaced_and_nothing_is_added() -> None:
    command = of(
        container={"command": ["sh", "-c", "echo $0 $(HOME)"], "args": ["{{$.inputs.parameters['x']}}"]},
        component=inputs(x="STRING"),
        parameters={"x": "$(HOME) $$"},
    )

    assert command.command == ["sh", "-c", "echo $0 $(HOME)"]
    assert expand(command.args, {"HOME": "/root"}) == ("$(HOME) $$",)
    assert not command.pauses


def test_a_lightweight_component_is_left_alone_unless_it_sets_paths() -> None:
    assert of(container={"command": [*LIGHTWEIGHT, "def f(x): ..."]}).command == [*LIGHTWEIGHT, "def f(x): ..."]
    wrapped = of(container={"command": [*LIGHTWEIGHT, "out.set_path('/tmp/x')"]}).command
    assert wrapped[:2] == ["sh", "-c"]
    assert wrapped[4:] == [*LIGHTWEIGHT, "out.set_path('/tmp/x')"]


def run_wrapped(tmp_path: Path, program: str) -> subprocess.CompletedProcess[str]:
    """Run a component that is in its image, so that its source is not in the command."""
    words = of(container={"command": [sys.executable, "-c", f"# kfp.dsl.executor_main\n{program}"]}).command
    words[3] = str(tmp_path / "output.json")
    words[2] = words[2].replace('"/minio/"', f'"{tmp_path}/minio/"')
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_artifacts_with_paths_of_their_own_are_copied(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a").write_text("1")
    (tmp_path / "file").write_text("2")
    entries = [
        {"uri": "minio://b/r/folder", "custom_path": f"{tmp_path}/folder"},
        {"uri": "minio://b/r/file?x=y", "custom_path": f"{tmp_path}/file"},
        {"uri": "minio://b/r/absent", "custom_path": f"{tmp_path}/absent"},
        {"uri": "https://elsewhere/x", "custom_path": f"{tmp_path}/file"},
        {"uri": "minio://b/r/plain"},
    ]
    output = {"artifacts": {"out": {"artifacts": entries}}}
    (tmp_path / "output.json").write_text(json.dumps(output))

    done = run_wrapped(tmp_path, "print('ran')")

    assert (done.returncode, done.stdout, done.stderr) == (0, "ran\n", "")
    assert (tmp_path / "minio/b/r/folder/a").read_text() == "1"
    assert (tmp_path / "minio/b/r/file").read_text() == "2"
    assert sorted(one.name for one in (tmp_path / "minio/b/r").iterdir()) == ["file", "folder"]


@pytest.mark.parametrize(
    "fields", [{"pipeline_root": "az://data/root"}, {"artifacts": {"in": [a_dataset(uri="az://data/in")]}}]
)
def test_a_python_component_finds_artifacts_in_azure_by_their_uri(tmp_path: Path, fields: dict[str, Any]) -> None:
    (tmp_path / "az" / "data").mkdir(parents=True)
    program = "# kfp.dsl.executor_main\nopen('az://data/out', 'w').write('1')"
    words = of(container={"command": [sys.executable, "-c", program]}, **fields).command
    words[2] = words[2].replace(" /az ", f" {tmp_path}/az ")
    words[3] = str(tmp_path / "output.json")
    (tmp_path / "output.json").write_text("{}")

    for _ in range(2):
        done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")

    assert (tmp_path / "az" / "data" / "out").read_text() == "1"


def test_another_command_finds_artifacts_in_azure_by_their_path_only() -> None:
    assert of(pipeline_root="az://data/root").command == ["python3"]


def test_the_exit_code_is_that_of_the_command(tmp_path: Path) -> None:
    assert run_wrapped(tmp_path, "raise SystemExit(3)").returncode == 3
    assert run_wrapped(tmp_path, "").returncode == 0


def test_the_program_that_copies_fits_between_single_quotes() -> None:
    assert "'" not in COPY
    assert "$" not in COPY


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "ARGO_DEBUG_PAUSE_BEFORE",
            [f"until [ -e {PAUSES_PATH}/before ]; do sleep 1; done", '"$@"', "code=$?", "exit $code"],
        ),
        (
            "ARGO_DEBUG_PAUSE_AFTER",
            ['"$@"', "code=$?", f"until [ -e {PAUSES_PATH}/after ]; do sleep 1; done", "exit $code"],
        ),
        (
            "ARGO_DEBUG_PAUSE_ON_ERROR",
            ['"$@"', "code=$?", f"[ $code = 0 ] || until [ -e {PAUSES_PATH}/after ]; do sleep 1; done", "exit $code"],
        ),
    ],
)
def test_a_debug_pause_waits_for_a_file(name: str, lines: list[str]) -> None:
    command = of(container={"env": [{"name": name, "value": "true"}]})

    assert command.command[2].split("\n") == lines
    assert command.pauses
