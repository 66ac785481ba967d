"""Jobs on a Windlass that was told to start their pods together, by each of the three families of schedulers."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.node.platforms import Platform, a_namespace, platform_with_sandboxes
from tests.e2e.node.pods import Object, container, pod
from tests.e2e.training.jobs import JobShell, job, template
from tests.e2e.training.test_gang_pods import SHARES, group_status, share
from tests.support import eventually

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(300)]
SCHEDULERS = ("volcano", "kube-batch", "scheduler-plugins")


@pytest.fixture(scope="module", params=SCHEDULERS)
def scheduler(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def platform(scheduler: str) -> Iterator[Platform]:
    with platform_with_sandboxes("--gang-scheduler-name", scheduler) as platform:
        yield platform


@pytest.fixture
def kubectl(platform: Platform, tmp_path: Path) -> Iterator[JobShell]:
    with a_namespace(platform, "gang-") as name:
        yield JobShell(platform, name, tmp_path)


def gang(counts: dict[str, int], resources: Object, script: str = "exec sleep infinity", **policy: Object) -> Object:
    """A TFJob whose PodGroup is called like it."""
    made = template("TFJob", "busybox", ["sh", "-c", script], resources=resources)
    return job("TFJob", "gang", counts, made, runPolicy=policy)


def pods_of(kubectl: JobShell) -> list[Object]:
    return kubectl.pods("training.kubeflow.org/job-name=gang")


def test_a_job_of_six_with_room_for_five_holds_nothing_and_runs_whole_when_there_is_more(
    platform: Platform, kubectl: JobShell, scheduler: str
) -> None:
    each = share(platform)
    kubectl.apply(pod("blocker", container(resources=each)))
    kubectl.ready("blocker")

    kubectl.apply(gang({"PS": 2, "Worker": SHARES - 2}, each))

    eventually(lambda: pods_wait(kubectl), 60, "all pods are told why they wait")
    assert not any(one["spec"].get("nodeName") for one in pods_of(kubectl))

    kubectl("delete pod blocker")
    kubectl.has("tfjobs/gang", "Running")
    eventually(lambda: phases(kubectl) == ["Running"] * SHARES, 60, "all run")
    assert {one["spec"]["schedulerName"] for one in pods_of(kubectl)} == {scheduler}
    eventually(lambda: group_status(kubectl, scheduler).get("running") == SHARES, 60, "the group counts them")


def phases(kubectl: JobShell) -> list[str]:
    return [one["status"].get("phase", "") for one in pods_of(kubectl)]


def pods_wait(kubectl: JobShell) -> bool:
    """All that the job has made are told that there is no room."""
    conditions = [one["status"].get("conditions") or [{}] for one in pods_of(kubectl)]
    return len(conditions) == SHARES and all(each[0].get("reason") == "Unschedulable" for each in conditions)


def test_a_lower_minimum_releases_a_job_and_its_group_goes_when_it_has_ended(kubectl: JobShell, scheduler: str) -> None:
    small = {"requests": {"cpu": "10m"}}
    kubectl.apply(gang({"Worker": 2}, small, "echo done", schedulingPolicy={"minAvailable": 10}))
    path = f"podgroups.{group_of(scheduler)}/gang"
    eventually(lambda: kubectl.run(f"get {path}").returncode == 0, 60, "the group is made")
    assert not any(one["spec"].get("nodeName") for one in pods_of(kubectl))

    kubectl('patch tfjob gang --type merge -p \'{"spec":{"runPolicy":{"schedulingPolicy":{"minAvailable":2}}}}\'')

    kubectl.has("tfjobs/gang", "Succeeded")
    eventually(lambda: kubectl.run(f"get {path}").returncode != 0, 60, "the group goes")


def group_of(scheduler: str) -> str:
    return {"volcano": "scheduling.volcano.sh", "kube-batch": "scheduling.incubator.k8s.io"}.get(
        scheduler, "scheduling.x-k8s.io"
    )
