"""A script becomes the kind, the roles and the commands that its framework needs."""

import base64
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.apps.training.jobs.wheels import tiny_wheel
from windlass.apps.training.jobs.submit.framework_templates import FRAMEWORK_TEMPLATES, Size
from windlass.apps.training.jobs.submit.manifest import Install, RunRequest, manifests, name_for


def a_job(framework: str, *, workers: int = 1, ps: int = 0, gpus: int = 0, **told: Any) -> dict[str, Any]:
    request = RunRequest(name="demo", script="train.py", size=Size(workers=workers, ps=ps, gpus=gpus), **told)
    return manifests(FRAMEWORK_TEMPLATES[framework], request)[1]


def roles(job: dict[str, Any]) -> dict[str, int]:
    return {name: spec["replicas"] for name, spec in specs(job).items()}


def specs(job: dict[str, Any]) -> dict[str, Any]:
    return next(value for key, value in job["spec"].items() if key.endswith("ReplicaSpecs"))


def main(job: dict[str, Any], role: str) -> dict[str, Any]:
    (container,) = specs(job)[role]["template"]["spec"]["containers"]
    return container


@pytest.mark.parametrize(
    ("framework", "size", "kind", "expected"),
    [
        ("pytorch", {"workers": 4}, "PyTorchJob", {"Master": 1, "Worker": 3}),
        ("pytorch", {}, "PyTorchJob", {"Master": 1}),
        ("tensorflow", {"workers": 3}, "TFJob", {"Worker": 3}),
        ("tensorflow", {"workers": 4, "ps": 2}, "TFJob", {"Chief": 1, "PS": 2, "Worker": 4}),
        ("xgboost", {"workers": 3}, "XGBoostJob", {"Master": 1, "Worker": 2}),
        ("jax", {"workers": 2}, "JAXJob", {"Worker": 2}),
        ("paddle", {"workers": 2}, "PaddleJob", {"Worker": 2}),
        ("mpi", {"workers": 2}, "MPIJob", {"Launcher": 1, "Worker": 2}),
        ("mxnet", {"workers": 2}, "MXJob", {"Scheduler": 1, "Server": 1, "Worker": 2}),
        ("python", {"workers": 2}, "TFJob", {"Worker": 2}),
    ],
)
def test_each_framework_has_its_kind_and_roles(
    framework: str, size: dict[str, int], kind: str, expected: dict[str, int]
) -> None:
    job = a_job(framework, **size)

    assert job["kind"] == kind
    assert roles(job) == expected
    assert {spec["restartPolicy"] for spec in specs(job).values()} == {"Never"}


def test_several_torch_processes_are_started_by_torchrun_and_a_single_one_is_not() -> None:
    assert main(a_job("pytorch", args=("--lr", "1")), "Master")["command"] == ["python3", "train.py", "--lr", "1"]
    assert main(a_job("pytorch", workers=2), "Worker")["command"] == ["torchrun", "train.py"]
    assert main(a_job("pytorch", gpus=2), "Master")["command"] == ["torchrun", "train.py"]
    assert a_job("pytorch", gpus=2)["spec"]["nprocPerNode"] == "2"


def test_a_script_of_no_framework_is_told_who_and_how_many_by_fields_that_every_cluster_knows() -> None:
    rank, world, master, _ = main(a_job("python", workers=2), "Worker")["env"]

    assert rank["valueFrom"]["fieldRef"]["fieldPath"] == "metadata.labels['training.kubeflow.org/replica-index']"
    assert (world["value"], master["value"]) == ("2", "demo-worker-0")


def test_mpi_starts_one_rank_for_each_gpu_and_only_workers_have_them() -> None:
    job = a_job("mpi", workers=2, gpus=2)

    assert job["apiVersion"] == "kubeflow.org/v2beta1"
    assert main(job, "Launcher")["command"][:5] == ["mpirun", "--allow-run-as-root", "-np", "4", "python3"]
    assert "command" not in main(job, "Worker")
    assert "resources" not in main(job, "Launcher")
    assert main(job, "Worker")["resources"] == {"limits": {"nvidia.com/gpu": "2"}}


def test_replicas_that_never_end_by_themselves_are_removed_at_the_end_and_others_kept() -> None:
    assert a_job("tensorflow", ps=1)["spec"]["runPolicy"]["cleanPodPolicy"] == "Running"
    assert a_job("tensorflow")["spec"]["runPolicy"]["cleanPodPolicy"] == "None"
    assert a_job("tensorflow")["spec"]["successPolicy"] == "AllWorkers"
    assert a_job("mpi")["spec"]["runPolicy"] == {"cleanPodPolicy": "Running", "backoffLimit": 0}


def test_the_folder_is_a_config_map_that_an_init_container_unpacks_into_the_workspace() -> None:
    request = RunRequest(name="demo", script="a/train.py", size=Size(workers=1), archive=b"packed", namespace="team-a")
    files, job = manifests(FRAMEWORK_TEMPLATES["pytorch"], request)
    pod = specs(job)["Master"]["template"]["spec"]

    assert files["metadata"]["name"] == "demo-files"
    assert {one["metadata"]["namespace"] for one in (files, job)} == {"team-a"}
    assert base64.b64decode(files["binaryData"]["files.tar.gz"]) == b"packed"
    assert pod["initContainers"][0]["command"][-2:] == ["/windlass/files.tar.gz", "/workspace"]
    assert pod["initContainers"][0]["image"] == pod["containers"][0]["image"]
    assert pod["containers"][0]["workingDir"] == "/workspace"
    assert pod["volumes"][0]["configMap"] == {"name": "demo-files"}


def test_requirements_are_installed_before_the_script_and_its_arguments_stay_whole() -> None:
    job = a_job("pytorch", install=Install(file="my env.txt"), args=("a b",))
    sh, c, install, *words = main(job, "Master")["command"]

    assert (sh, c) == ("sh", "-c")
    assert "pip install" in install
    assert "-r 'my env.txt' && exec" in install
    assert words == ["python3", "train.py", "a b"]


INSTALLED = [
    (Install(absent=(("json", "nowhere"), ("tiny", "tiny"))), "Installing tiny\n3 ['a b']\n"),
    (Install(absent=(("json", "nowhere"), ("os.path", "tiny"))), "Installing tiny\n3 ['a b']\n"),
    (Install(requirements=("tiny>=1", "tiny<2; python_version > '3'")), "3 ['a b']\n"),
]


@pytest.mark.parametrize(("install", "printed"), INSTALLED)
def test_only_packages_whose_modules_are_absent_are_installed(tmp_path: Path, install: Install, printed: str) -> None:
    """Run as a pod would, with a folder for an index."""
    tiny_wheel(tmp_path)
    (tmp_path / "train.py").write_text("import sys, tiny; print(tiny.size, sys.argv[1:])")
    command = main(a_job("python", install=install, args=("a b",)), "Worker")["command"]
    pip = {"PIP_CONFIG_FILE": "/dev/null", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path)}
    target = {"PIP_TARGET": str(tmp_path / "there"), "PYTHONPATH": str(tmp_path / "there")}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, **pip, **target, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout == printed, done.stderr


def test_with_nothing_absent_pip_is_not_asked(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print('runs')")
    command = main(a_job("python", install=Install(absent=(("json", "nowhere"),))), "Worker")["command"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (done.stdout, done.returncode) == ("runs\n", 0), done.stderr


def test_a_package_that_cannot_be_installed_ends_the_replica_before_the_script(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("print('runs')")
    command = main(a_job("python", install=Install(absent=(("nowhere_a", "nowhere-a"),))), "Worker")["command"]
    pip = {"PIP_CONFIG_FILE": "/dev/null", "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, env={**os.environ, **pip}, capture_output=True, text=True, check=False)

    assert (done.stdout, done.returncode) == ("Installing nowhere-a\n", 1)
    assert "No matching distribution found for nowhere-a" in done.stderr


def test_an_mpi_worker_that_installs_requirements_still_runs_sshd() -> None:
    assert main(a_job("mpi", install=Install(file="r.txt")), "Worker")["command"][-2:] == ["/usr/sbin/sshd", "-De"]


def test_resources_and_images_are_those_asked_for() -> None:
    job = a_job("tensorflow", gpus=1, cpu="2", memory="4Gi")

    assert main(job, "Worker")["image"].endswith("-gpu")
    assert main(job, "Worker")["resources"]["limits"] == {"cpu": "2", "memory": "4Gi", "nvidia.com/gpu": "1"}
    assert main(a_job("tensorflow", gpus=1, image="mine:1"), "Worker")["image"] == "mine:1"


@pytest.mark.parametrize(
    ("script", "name"),
    [
        ("train_MNIST.py", "train-mnist"),
        ("src/2nd.py", "job-2nd"),
        ("___.py", "job"),
        ("a" * 80 + ".py", "a" * 40),
    ],
)
def test_a_script_names_its_job(script: str, name: str) -> None:
    assert name_for(script) == name
