"""Kubeflow's own Python client, unmodified, drives training on Windlass."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.node.platforms import USER, Platform, Platforms, new_namespace
from tests.e2e.training.sdk_environment import Sdk

pytestmark = pytest.mark.timeout(900)

PODS = {
    "TFJob": ["life-chief-0", "life-ps-0", "life-worker-0"],
    "PyTorchJob": ["life-master-0", "life-worker-0"],
    "XGBoostJob": ["life-master-0", "life-worker-0"],
    "MPIJob": ["life-launcher", "life-worker-0"],
    "PaddleJob": ["life-worker-0", "life-worker-1"],
    "JAXJob": ["life-worker-0", "life-worker-1"],
}
"""The pods of a job of each kind that the SDK knows. The first one is the master."""


def went_well(conditions: list[list[str]]) -> bool:
    """A job that is over at once may never have been seen to run."""
    ran = [["Running", "False"]] if ["Running", "False"] in conditions else []
    return conditions == [["Created", "True"], *ran, ["Succeeded", "True"]]


@pytest.fixture
def sdk(platform: Platform, namespace: str) -> Sdk:
    return Sdk(platform, namespace)


@pytest.fixture(scope="module")
def with_gangs(images_dir: Path) -> Iterator[Platform]:
    """A Windlass whose jobs are gangs."""
    platforms = Platforms(flags=("--images-dir", str(images_dir), "--gang-scheduler-name", "volcano"))
    try:
        yield platforms.of(USER)
    finally:
        platforms.stop()


@pytest.mark.parametrize("kind", PODS)
def test_a_job_is_made_changed_followed_and_deleted(sdk: Sdk, kind: str) -> None:
    found = sdk.run_story("a_whole_life", kind)

    master = PODS[kind][0]
    assert found["listed"] == ["life"]
    assert found["left"] == []
    assert found["is_job"] == [True, True, False]
    assert ["Suspended", "False"] in found["conditions"]
    assert found["conditions"][-1] == ["Succeeded", "True"]
    assert found["pods"] == PODS[kind]
    assert found["masters"] == [master]
    assert found["workers"] == ["life-worker-0"]
    assert found["followed"] == {master: "trained"}
    assert found["read"] == {master: "trained\n"}
    assert f"{kind.lower()}/life" in found["events"]


def test_a_function_trains_on_all_workers_together(sdk: Sdk) -> None:
    found = sdk.run_story("from_a_function", "PyTorchJob")

    assert went_well(found["conditions"]), found
    assert "rank 0 of 2: slope 3.00" in found["logs"]["function-master-0"]
    assert "rank 1 of 2: slope 3.00" in found["logs"]["function-worker-0"]


def test_a_function_is_told_its_role(sdk: Sdk) -> None:
    found = sdk.run_story("from_a_function", "TFJob")

    assert went_well(found["conditions"]), found
    assert found["logs"]["function-chief-0"] == "chief 0: slope 3.00\n"


@pytest.mark.parametrize(
    ("kind", "pods"),
    [("PyTorchJob", ["image-master-0", "image-worker-0"]), ("TFJob", ["image-worker-0", "image-worker-1"])],
)
def test_a_job_runs_an_image_as_it_is(sdk: Sdk, kind: str, pods: list[str]) -> None:
    found = sdk.run_story("from_an_image", kind)

    assert went_well(found["conditions"]), found
    assert found["said"][0].startswith("Hello from Windlass!")
    assert (found["pods"], found["istio"], found["completed"]) == (pods, ["false", "false"], True)


@pytest.mark.parametrize("kind", PODS)
def test_jobs_of_other_managers_are_left_alone_and_of_unknown_ones_refused(sdk: Sdk, kind: str) -> None:
    found = sdk.run_story("managed_by", kind)

    assert went_well(found["ours"]), found
    assert found["theirs"] == []
    assert found["pods of theirs"] == []
    assert "spec.runPolicy.managedBy" in found["refused"]
    assert "Unsupported value" in found["refused"]


def test_waiting_for_a_job_that_fails_raises(sdk: Sdk) -> None:
    found = sdk.run_story("a_failure", "TFJob")

    assert "is Failed" in found["raised"]
    assert found["is_failed"]


@pytest.mark.parametrize("kind", PODS)
def test_a_gang_that_can_never_be_whole_is_released_by_an_update(with_gangs: Platform, kind: str) -> None:
    found = Sdk(with_gangs, new_namespace(with_gangs, "gang-")).run_story("a_gang", kind)

    assert found["phases"] == ["Pending"]
    assert found["waiting"] == [["Created", "True"]]
    assert went_well(found["conditions"]), found
