"""Training from the command line: a script becomes a job that can be seen, followed and stopped from there."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.apps.training.jobs.wheels import tiny_wheel
from tests.e2e.node.platforms import Platform
from tests.e2e.training.jobs import JobShell
from tests.e2e.training.terminal import CTRL_C, WINDLASS, Desk
from tests.support import eventually

TORCH = "pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime"
COUNT = """
import os, sys, helper
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
print(f"rank {rank} of {world} in {os.getcwd()}: {helper.word} {sys.argv[1:]}", flush=True)
sys.exit(int(sys.argv[1]) if len(sys.argv) > 1 and rank == 0 else 0)
"""
TICK = """
import os, time
number = 0
while not os.path.exists("/tmp/enough"):
    print(f"tick {number}", flush=True)
    number += 1
    time.sleep(0.1)
print("enough", flush=True)
"""
REDUCE = """
import torch, torch.distributed as dist
dist.init_process_group("gloo")
ones = torch.ones(1)
dist.all_reduce(ones)
print(f"rank {dist.get_rank()} of {dist.get_world_size()}: {ones.item():.0f}", flush=True)
dist.destroy_process_group()
"""


@pytest.fixture
def desk(platform: Platform, kubectl: JobShell, tmp_path: Path) -> Desk:
    """A folder with two scripts, on the Windlass that all stories share."""
    folder = tmp_path / "work"
    folder.mkdir()
    desk = Desk(folder, platform.data_dir, kubectl.namespace)
    desk.write("count.py", COUNT)
    desk.write("helper.py", "word = 'shipped'\n")
    desk.write("tick.py", TICK)
    return desk


def test_a_script_runs_in_every_replica_with_its_folder_and_its_arguments(desk: Desk, kubectl: JobShell) -> None:
    done = desk("run", "--name", "count", "--workers", "2", "count.py", "--", "0", "two words")

    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(done.stdout.splitlines()) == [
        "worker-0 | rank 0 of 2 in /workspace: shipped ['0', 'two words']",
        "worker-1 | rank 1 of 2 in /workspace: shipped ['0', 'two words']",
    ]
    assert f"succeeded: TFJob {desk.namespace}/count successfully completed." in done.stderr
    assert re.search(r"TFJob +count +Succeeded +2/2 +- +\S+ +\S+", desk("jobs").stdout)
    assert kubectl.get("configmaps/count-files")["metadata"]["ownerReferences"][0]["name"] == "count"


def test_it_exits_with_the_code_of_the_replica_that_failed(desk: Desk) -> None:
    done = desk("run", "--workers", "2", "count.py", "--", "7")

    assert done.returncode == 7, done.stdout + done.stderr
    assert "failed: " in done.stderr


def test_what_a_failing_script_writes_stands_between_its_start_and_its_end(desk: Desk) -> None:
    desk.write("raises.py", "raise SystemError('on purpose')\n")
    terminal = desk.terminal("run", "raises.py")

    assert terminal.end() == 1
    places = [
        terminal.shown.index(text) for text in ("* running", "Traceback", "SystemError: on purpose", "* failed: ")
    ]
    assert places == sorted(places), terminal.shown


def test_a_namespace_that_is_not_there_is_named(desk: Desk, platform: Platform) -> None:
    done = Desk(desk.folder, platform.data_dir, "nowhere")("run", "count.py")

    assert done.returncode == 1
    assert 'namespaces "nowhere" not found' in done.stderr


def test_the_files_go_when_the_job_does(desk: Desk, kubectl: JobShell) -> None:
    assert desk("run", "--name", "gone", "count.py").returncode == 0
    kubectl("delete tfjob gone")

    eventually(lambda: not kubectl.get("configmaps/gone-files"), 60, "the files are removed")


@pytest.mark.kubectl
def test_the_manifest_of_a_dry_run_trains_with_kubectl_alone(desk: Desk, kubectl: JobShell) -> None:
    printed = desk("run", "--dry-run", "--workers", "2", "count.py").stdout
    kubectl("apply -f -", printed)
    kubectl.succeeds("tfjobs/count")

    assert "rank 1 of 2 in /workspace: shipped []" in kubectl("logs count-worker-1")


def test_requirements_are_installed_before_the_script_runs(desk: Desk) -> None:
    tiny_wheel(desk.folder)
    desk.write("requirements.txt", "./tiny-1.0-py3-none-any.whl\n")
    desk.write("uses.py", "import tiny\nprint('size', tiny.size)\n")
    done = desk("run", "uses.py")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "worker-0 | size 3" in done.stdout


def test_ctrl_c_asks_and_who_detaches_can_follow_again(desk: Desk, kubectl: JobShell) -> None:
    terminal = desk.terminal("run", "--name", "ticker", "tick.py")
    terminal.until("tick 2")
    terminal.press(CTRL_C)
    terminal.until("continue (c)?")
    terminal.press("c\n")
    terminal.until("tick")
    terminal.press(CTRL_C)
    terminal.until("continue (c)?")
    terminal.press("d\n")

    assert terminal.end() == 0
    assert "logs job/ticker -f" in terminal.shown
    eventually(lambda: re.search(r"ticker +Running +1/1", desk("jobs").stdout), 60, "the job is known to run")
    again = desk.terminal("logs", "job/ticker", "-f")
    again.until("tick")
    kubectl("exec ticker-worker-0 -c tensorflow -- touch /tmp/enough")
    again.until("enough")
    assert again.end() == 0


def test_ctrl_c_can_stop_the_job(desk: Desk, kubectl: JobShell) -> None:
    terminal = desk.terminal("run", "--name", "ticker", "tick.py")
    terminal.until("tick 2")
    terminal.press(CTRL_C)
    terminal.until("continue (c)?")
    terminal.press("s\n")

    assert terminal.end() == 130
    eventually(lambda: not kubectl.get("tfjobs/ticker"), 60, "the job is deleted")


def test_logs_are_those_of_one_replica_or_all_and_outlive_the_pods(desk: Desk, kubectl: JobShell) -> None:
    assert desk("run", "--name", "count", "--workers", "2", "count.py").returncode == 0
    kubectl("delete pod count-worker-1 --now")
    eventually(lambda: not kubectl.get("pods/count-worker-1"), 60, "the pod is gone")

    everything, one = desk("logs", "job/count"), desk("logs", "tfjob/count", "--replica", "worker-1")
    assert "worker-0 | rank 0 of 2" in everything.stdout
    assert "worker-1 | rank 1 of 2" in everything.stdout, everything.stderr
    assert one.stdout.startswith("worker-1 | rank 1 of 2")
    assert "worker-0" not in one.stdout
    assert "It has worker-0, worker-1" in desk("logs", "job/count", "--replica", "worker-5").stderr
    assert "training job 'nobody' not found" in desk("logs", "job/nobody").stderr


def test_jobs_of_all_kinds_and_namespaces_are_in_one_table(desk: Desk, kubectl: JobShell) -> None:
    for framework in ("tensorflow", "jax"):
        words = ("--framework", framework, "--name", framework, "--image", "python:3.11", "--detach", "helper.py")
        assert desk("run", *words).returncode == 0
    for path in ("tfjobs/tensorflow", "jaxjobs/jax"):
        kubectl.succeeds(path)
    rows = [row for row in json.loads(desk("jobs", "-A", "-o", "json").stdout) if row["namespace"] == desk.namespace]

    shown = {(row["kind"], row["name"], row["state"], row["ready"], row["total"]) for row in rows}
    assert shown == {("TFJob", "tensorflow", "Succeeded", 1, 1), ("JAXJob", "jax", "Succeeded", 1, 1)}
    assert len(rows) == 2
    assert desk("jobs", "-A").stdout.startswith("NAMESPACE ")


def test_with_a_kubeconfig_it_works_on_whatever_cluster_that_names(desk: Desk, platform: Platform) -> None:
    config = yaml.safe_load(platform.kubeconfig.read_text())
    config["contexts"][0]["context"]["namespace"] = desk.namespace
    (desk.folder.parent / "cluster").write_text(yaml.safe_dump(config))
    there = ("--kubeconfig", str(desk.folder.parent / "cluster"))
    run = [*WINDLASS, "run", "--name", "far", *there, "count.py"]
    done = subprocess.run(run, cwd=desk.folder, capture_output=True, text=True, check=False, timeout=200)
    jobs = subprocess.run([*WINDLASS, "jobs", *there], capture_output=True, text=True, check=True, timeout=120)

    assert done.returncode == 0, done.stderr
    assert re.search(r"TFJob +far +Succeeded", jobs.stdout)


def test_watching_shows_what_changes(desk: Desk, kubectl: JobShell) -> None:
    terminal = desk.terminal("jobs", "--watch")
    terminal.until("KIND")
    assert desk("run", "--name", "seen", "--detach", "count.py").returncode == 0
    terminal.until("Succeeded")
    kubectl("delete tfjob seen")
    terminal.until("deleted")
    terminal.press(CTRL_C)

    assert terminal.end() == 1


def test_two_of_the_same_name_are_told_apart(desk: Desk) -> None:
    assert desk("run", "--name", "twin", "count.py").returncode == 0
    again = desk("run", "--name", "twin", "count.py")

    assert again.returncode == 1
    assert "Choose another --name" in again.stderr


def test_parts_of_windlass_have_logs_too_and_the_guide_knows_the_last_job(desk: Desk, platform: Platform) -> None:
    assert desk("run", "--name", "known", "count.py").returncode == 0
    guide = subprocess.run(
        [*WINDLASS, "get-started", "--data-dir", str(platform.data_dir)], capture_output=True, text=True, check=True
    )

    assert f"logs job/known -n {desk.namespace}" in guide.stdout
    assert desk("logs", "node").returncode == 0


@pytest.mark.timeout(900)
def test_a_torch_script_becomes_a_job_that_torchrun_starts(desk: Desk, pulled: Callable[[str], None]) -> None:
    pulled(TORCH)
    desk.write("reduce.py", REDUCE)
    done = desk("run", "--workers", "3", "reduce.py", within=300)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "reduce.py imports torch, so it becomes a PyTorchJob." in done.stderr
    assert sorted(re.findall(r"rank (\d) of 3: 3$", done.stdout, re.M)) == ["0", "1", "2"]


@pytest.mark.timeout(900)
def test_the_demo_trains_with_tensorflow(images_dir: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [*WINDLASS, "demo", "--framework", "tensorflow", "--images-dir", str(images_dir)],
        cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=850,
    )  # fmt: skip
    if "cannot be installed here" in done.stdout:
        pytest.skip("TensorFlow cannot be installed here")

    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"TFJob +digits +Succeeded +2/2", done.stdout)
    accuracy = re.search(r"^([\d.]+)% of unseen digits", done.stdout, re.M)
    assert accuracy, done.stdout
    assert float(accuracy[1]) > 90
