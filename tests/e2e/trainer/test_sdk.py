"""Kubeflow's own client of Trainer, unmodified, drives training on Windlass. Its stories are told all at once."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.node.platforms import Platform
from tests.e2e.node.pods import PodShell, container, named, pod
from tests.e2e.trainer.runtimes import all_of_them
from tests.e2e.training.sdk_environment import run_story, sdk_python

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(600)]

SDK = ("kubeflow==0.5.0", "kubernetes==35.0.0")
STORIES = Path(__file__).with_name("sdk_stories.py")
HAS_MPI = all(shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin") for program in ("mpirun", "sshd"))
TOLD = (
    "a_whole_life",
    "runtimes",
    "packages",
    "an_image_and_a_patch",
    "with_data",
    *(["by_mpi"] if HAS_MPI else []),
    "rest_and_go_on",
    "too_long",
    "a_failure",
    "a_gang",
)
COMPLETE = [["Complete", "True", "AllJobsCompleted"]]
Facts = dict[str, Any]


@pytest.fixture(scope="module")
def told(platform: Platform, namespace: str, tmp_path_factory: pytest.TempPathFactory) -> Facts:
    """What every story found out."""
    shell = PodShell(platform, namespace, tmp_path_factory.mktemp("kubectl"))
    holder = container(resources={"limits": {"example.com/slot": 1}})
    queue = named("Queue", "research", "scheduling.volcano.sh/v1beta1", spec={"weight": 1})
    shell.apply(*all_of_them(), queue, pod("holder", holder))
    shell.phase("holder", "Running")
    return run_story(sdk_python(*SDK), STORIES, [str(platform.kubeconfig), namespace, *TOLD], within=400)


def test_a_function_trains_on_two_nodes_and_is_followed_and_deleted(told: Facts) -> None:
    found = told["a_whole_life"]

    assert found["conditions"] == COMPLETE, found
    assert (found["name"], found["status"], found["nodes"], found["runtime"]) == ("life", "Complete", 2, "pairs")
    assert found["steps"] == [["node-0", "Succeeded"], ["node-1", "Succeeded"]]
    assert found["logs"] == [[f"node {rank} of 2: together 41, cheerful"] for rank in range(2)]
    assert found["followed"] == found["logs"][0]
    assert ["life", "Complete"] in found["listed"]
    assert not found["elsewhere"]
    assert found["labels"] == {"team": "blue"}
    assert {"Pod", "JobSet"} <= set(found["events"])
    assert found["left"] == []


def test_runtimes_of_the_namespace_and_of_the_cluster_are_found(told: Facts) -> None:
    found = told["runtimes"]

    assert {"plain", "pairs", "torch-distributed", "jax-distributed", "torchtune-llama3.2-1b"} <= set(found["names"])
    assert found["kinds"] == ["ClusterTrainingRuntime", "TrainingRuntime"]
    assert found["frameworks"]["xgboost-distributed"] == "xgboost"
    assert found["commands"]["deepspeed-distributed"] == "mpirun"
    assert found["torch"] == "pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime"


def test_a_runtime_tells_its_packages(told: Facts) -> None:
    assert "Python: 3.11" in told["packages"]["said"]
    assert "\npip " in told["packages"]["said"]


def test_an_image_of_ones_own_runs_with_what_a_patch_adds(told: Facts) -> None:
    found = told["an_image_and_a_patch"]

    assert found["logs"] == [["calm 2 0 1 29500"], ["calm 2 1 1 29500"]]
    assert (found["labels"], found["tolerated"]) == (["blue", "blue"], [True, True])


def test_nodes_begin_when_their_data_is_there(told: Facts) -> None:
    found = told["with_data"]

    assert found["steps"] == ["dataset-initializer", "node-0"]
    assert found["logs"] == ["rows from hf://org/rows for somebody"]


@pytest.mark.skipif(not HAS_MPI, reason="there is no mpirun or no sshd on this machine")
def test_a_launcher_reaches_the_nodes_by_ssh(told: Facts) -> None:
    found = told["by_mpi"]

    assert found["logs"] == ["rank 0 of 2", "rank 1 of 2"]
    assert "node-0" in found["steps"]


def test_a_job_rests_and_goes_on(told: Facts) -> None:
    found = told["rest_and_go_on"]

    assert found["running"] == "Running"
    assert found["resting"] == [["Suspended", "True", "Suspended"]]
    assert found["again"] == [["Suspended", "False", "Resumed"]]
    assert found["new"]


def test_a_job_that_takes_too_long_fails_and_its_pods_go(told: Facts) -> None:
    assert told["too_long"]["conditions"] == [["Failed", "True", "DeadlineExceeded"]]


def test_waiting_for_a_job_that_fails_raises(told: Facts) -> None:
    found = told["a_failure"]

    assert f"TrainJob {found['name']} is Failed" in found["raised"]
    assert found["conditions"] == [["Failed", "True", "FailedJobs"]]


def test_a_gang_starts_whole_or_not_at_all(told: Facts) -> None:
    """Scenario S17, for the client of Trainer."""
    found = told["a_gang"]
    waiting = found["waiting"]

    assert waiting["phases"] == ["Pending", "Pending"]
    assert (waiting["nodes"], waiting["scheduler"], waiting["status"]) == ([None, None], ["volcano"], "Created")
    assert waiting["group"] == {
        "minMember": 2,
        "minResources": {"cpu": "100m", "example.com/slot": "2"},
        "queue": "research",
    }
    assert waiting["phase"] in ("Pending", "Inqueue")
    assert waiting["said"]
    assert found["conditions"] == COMPLETE, found
    assert found["logs"] == [["all of us are here"], ["all of us are here"]]
