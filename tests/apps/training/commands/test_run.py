"""What `windlass run` would submit, seen with --dry-run, and what it refuses."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from windlass.cli.main import cli


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A working folder with a script, which one is in."""
    before = Path.cwd()
    (tmp_path / "train.py").write_text("import torch\n")
    os.chdir(tmp_path)
    yield tmp_path
    os.chdir(before)


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, ["run", *words])


def test_a_dry_run_prints_a_config_map_and_a_job_without_anchors_and_says_why(folder: Path) -> None:
    done = run("--dry-run", "--workers", "2", "train.py", "--", "--lr", "0.1")
    files, job = yaml.safe_load_all(done.stdout)

    assert done.exit_code == 0, done.output
    assert "train.py imports torch, so it becomes a PyTorchJob." in done.stderr
    assert (files["kind"], job["kind"], job["metadata"]["name"]) == ("ConfigMap", "PyTorchJob", "train")
    container = job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]
    assert container["command"] == ["torchrun", "train.py", "--lr", "0.1"]
    assert "&id" not in done.stdout


def test_json_is_one_list(folder: Path) -> None:
    printed = json.loads(run("--dry-run", "-o", "json", "--name", "mine", "-n", "team-a", "train.py").stdout)

    assert [one["kind"] for one in printed["items"]] == ["ConfigMap", "PyTorchJob"]
    assert {one["metadata"]["namespace"] for one in printed["items"]} == {"team-a"}


def test_the_same_folder_gives_the_same_manifests(folder: Path) -> None:
    assert run("--dry-run", "train.py").stdout == run("--dry-run", "train.py").stdout


def test_a_script_of_no_framework_is_run_all_the_same_and_that_is_said(folder: Path) -> None:
    (folder / "count.py").write_text("print(1)")
    done = run("--dry-run", "count.py")

    assert "count.py imports no training framework, so it runs as plain Python" in done.stderr
    assert "image: python:3.11" in done.stdout


def test_what_was_told_wins_over_what_is_guessed(folder: Path) -> None:
    done = run("--dry-run", "--framework", "mpi", "train.py")

    assert "train.py becomes an MPIJob." in done.stderr
    assert "kind: MPIJob" in done.stdout


def test_a_script_elsewhere_is_shipped_with_its_own_folder(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other") / "far.py"
    other.write_text("import jax")
    _, job = yaml.safe_load_all(run("--dry-run", str(other)).stdout)

    command = job["spec"]["jaxReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]["command"]
    assert command == ["python3", "far.py"]


def test_from_a_folder_that_is_too_large_only_the_scripts_own_is_shipped_and_that_is_said(folder: Path) -> None:
    (folder / "large.bin").write_bytes(os.urandom(1_000_000))
    (folder / "sub").mkdir()
    (folder / "sub" / "train.py").write_text("import jax")
    done = run("--dry-run", "sub/train.py")
    _, job = yaml.safe_load_all(done.stdout)

    assert "Only sub goes into the pods" in done.stderr
    assert job["spec"]["jaxReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]["command"][-1] == "train.py"
    assert run("--dry-run", "train.py").exit_code == 1


def test_an_ignored_script_is_refused_with_the_way_out(folder: Path) -> None:
    (folder / ".gitignore").write_text("*.py\n")
    done = run("--dry-run", "train.py")

    assert done.exit_code == 1
    assert "train.py is left out" in done.stderr
    (folder / ".windlassignore").write_text("!/train.py\n")
    assert run("--dry-run", "train.py").exit_code == 0


def test_requirements_outside_of_the_folder_are_refused(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "requirements.txt"
    outside.write_text("six\n")

    assert "is outside" in run("--dry-run", "--env", str(outside), "train.py").stderr


def test_parameter_servers_are_only_for_those_who_have_them(folder: Path) -> None:
    assert (
        "--ps: only TensorFlow and MXNet have parameter servers. train.py imports torch"
        in run("--dry-run", "--ps", "1", "train.py").stderr
    )
    assert "replicas: 3" in run("--dry-run", "--ps", "3", "--framework", "tensorflow", "train.py").stdout


def test_without_a_windlass_it_says_how_to_start_one(folder: Path) -> None:
    done = run("--data-dir", str(folder / "none"), "train.py")

    assert done.exit_code == 1
    assert "windlass up --detach" in done.stderr


def test_detaching_and_following_are_mutually_exclusive(folder: Path) -> None:
    assert "mutually exclusive" in run("--detach", "--follow", "train.py").stderr
    assert "Windlass is not running on" in run("--detach", "--data-dir", str(folder / "none"), "train.py").stderr


def test_a_reader_that_has_seen_enough_is_no_fault(folder: Path) -> None:
    (folder / "long.txt").write_bytes(os.urandom(600_000))
    pipe = f"{sys.executable} -P -m windlass run --dry-run train.py | head -n 1"
    done = subprocess.run(["bash", "-c", pipe], capture_output=True, text=True, check=True, timeout=60)

    assert done.stdout == "apiVersion: v1\n"
    assert "fault" not in done.stderr


def installed(*words: str) -> str:
    """What the first replica's command does before the script."""
    _, job = yaml.safe_load_all(run("--dry-run", *words).stdout)
    specs = next(value for key, value in job["spec"].items() if key.endswith("ReplicaSpecs"))
    command = next(iter(specs.values()))["template"]["spec"]["containers"][0]["command"]
    return command[2] if command[0] == "sh" else ""


def test_what_a_script_imports_is_installed_and_that_is_said(folder: Path) -> None:
    (folder / "train.py").write_text("import os, torch, numpy, helper")
    (folder / "helper.py").write_text("import yaml, cv2")
    message = run("--dry-run", "train.py").stderr

    assert (
        "It imports cv2, numpy and yaml: each replica installs opencv-python-headless, numpy and pyyaml, unless "
        in message
    )
    assert "cv2=opencv-python-headless numpy=numpy yaml=pyyaml)" in installed("train.py")
    assert "torch=torch" in installed("--image", "python:3.12", "train.py")
    assert installed("--no-install", "train.py") == ""


def test_a_script_that_needs_nothing_has_its_plain_command(folder: Path) -> None:
    assert installed("train.py") == ""


def test_what_is_declared_wins_over_imports(folder: Path) -> None:
    """The script's own metadata, then requirements.txt, then pyproject.toml; and --env before all of them."""
    (folder / "train.py").write_text("import numpy")
    (folder / "pyproject.toml").write_text('[project]\nname = "a"\ndependencies = ["numpy>=2", "rich"]\n')
    assert "pip-version-check 'numpy>=2' rich && exec" in installed("train.py")
    assert "Each replica installs what pyproject.toml lists: numpy>=2 and rich." in run("--dry-run", "train.py").stderr

    (folder / "requirements.txt").write_text("numpy\n")
    assert "pip-version-check -r requirements.txt && exec" in installed("train.py")
    assert "Each replica installs what requirements.txt lists." in run("--dry-run", "train.py").stderr

    (folder / "train.py").write_text('# /// script\n# dependencies = ["numpy<3"]\n# ///\nimport numpy')
    assert "pip-version-check 'numpy<3' && exec" in installed("train.py")
    assert "installs what the metadata in train.py lists: numpy<3." in run("--dry-run", "train.py").stderr

    (folder / "more.txt").write_text("numpy\n")
    assert "pip-version-check -r more.txt && exec" in installed("--env", "more.txt", "train.py")


def test_metadata_that_cannot_be_read_is_refused_with_a_way_out(folder: Path) -> None:
    (folder / "train.py").write_text("# /// script\n# dependencies = [\n# ///")
    done = run("--dry-run", "train.py")

    assert done.exit_code == 1
    assert "error: the script's metadata cannot be read" in done.stderr
    assert "--no-install" in done.stderr


def test_packages_that_the_index_does_not_have_are_named_before_the_job_starts(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"CONFIG_FILE": "/dev/null", "NO_INDEX": "1", "FIND_LINKS": str(folder)}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    (folder / "train.py").write_text("import nowhere_a")
    done = run("--data-dir", str(folder / "data"), "train.py")

    assert done.exit_code == 1
    assert "error: train.py imports nowhere_a, which is neither a file in its folder nor a package" in done.stderr


def test_an_index_that_cannot_be_reached_is_a_warning(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"CONFIG_FILE": "/dev/null", "INDEX_URL": "http://127.0.0.1:1/simple"}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    (folder / "train.py").write_text("import nowhere_a")
    done = run("--data-dir", str(folder / "data"), "train.py")

    assert "warning: the package index cannot be reached from here" in done.stderr
    assert "their image lacks nowhere_a, the job will fail" in done.stderr
