"""When a job would start on a system as it is."""

from typing import Any

import pytest

from windlass.apis.wellknown import POD_GROUP_NAME_ANNOTATION
from windlass.scheduler.framework.conf import Conf, PluginConf
from windlass.scheduler.model.observed import Observed
from windlass.scheduler.model.pod_groups import VOLCANO
from windlass.scheduler.simulate.forecast import Forecast, forecast
from windlass.scheduler.simulate.job_manifest import read_added
from windlass.scheduler.simulate.yaml_positions import BadDescription

NOW = 1_800_000_000.0  # 2027-01-15T08:00:00Z
BEGAN = "2027-01-15T07:50:00Z"  # ten minutes before
CONF = Conf(("enqueue", "allocate", "backfill"), ((PluginConf("priority"), PluginConf("gang")),))


def a_node(name: str, gpus: int = 2) -> dict[str, Any]:
    offers = {"cpu": "16", "memory": "64Gi", "pods": "110", "nvidia.com/gpu": str(gpus)}
    return {"metadata": {"name": name}, "status": {"allocatable": offers}}


def a_template(gpus: int = 1) -> dict[str, Any]:
    return {"spec": {"containers": [{"name": "c", "image": "i", "resources": {"limits": {"nvidia.com/gpu": gpus}}}]}}


def a_pod(name: str, node: str = "", group: str = "", gpus: int = 1, **spec: Any) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": name, "namespace": "ml", "uid": name}
    if group:
        metadata["annotations"] = {POD_GROUP_NAME_ANNOTATION: group}
        spec["schedulerName"] = "volcano"
    resources = {"requests": {"nvidia.com/gpu": str(gpus)}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"nodeName": node, "containers": [{"name": "c", "resources": resources}], **spec},
        "status": {"phase": "Running" if node else "Pending", "startTime": BEGAN},
    }


def a_group(name: str, least: int, **annotations: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "ml", "uid": name, "annotations": annotations}
    return {"metadata": metadata, "spec": {"minMember": least}, "status": {"phase": "Running"}}


def a_volcano_job(replicas: Any = 4, **spec: Any) -> dict[str, Any]:
    tasks = [{"name": "worker", "replicas": replicas, "template": a_template()}]
    return {
        "apiVersion": "batch.volcano.sh/v1alpha1",
        "kind": "Job",
        "metadata": {"name": "new"},
        "spec": {"tasks": tasks, **spec},
    }


def told(observed: Observed, *documents: dict[str, Any]) -> Forecast:
    return forecast(observed, read_added(documents, "ml", observed.priorities, NOW), CONF, NOW)


def test_a_job_for_which_there_is_room_would_start_now() -> None:
    found = told(Observed(nodes=[a_node("n1"), a_node("n2")]), a_volcano_job())

    assert found.after == 0
    assert found.nodes == {"n1": 2, "n2": 2}
    assert not found.assumptions


FULL = {"nodes": [a_node("n1"), a_node("n2")], "groups": [(VOLCANO, a_group("g", 2))]}


@pytest.mark.parametrize(
    ("observed", "after", "assumption"),
    [
        pytest.param(
            Observed(
                nodes=FULL["nodes"],
                pods=[a_pod("a", "n1", activeDeadlineSeconds=900), a_pod("b", "n2", activeDeadlineSeconds=1800)],
            ),
            1200,
            "2 pods end at their activeDeadlineSeconds",
            id="deadlines",
        ),
        pytest.param(
            Observed(
                nodes=FULL["nodes"],
                groups=[(VOLCANO, a_group("g", 2, **{"volcano.sh/running-estimate": "1h"}))],
                pods=[a_pod("a", "n1", "g"), a_pod("b", "n2", "g")],
            ),
            3000,
            "2 pods end when their group's running estimate says",
            id="an estimate",
        ),
        pytest.param(
            Observed(
                nodes=FULL["nodes"],
                pods=[
                    a_pod("a", "n1"),
                    {
                        **a_pod("old", "n2"),
                        "status": {
                            "phase": "Succeeded",
                            "startTime": "2027-01-15T07:00:00Z",
                            "containerStatuses": [
                                {"name": "c", "state": {"terminated": {"finishedAt": "2027-01-15T07:20:00Z"}}}
                            ],
                        },
                    },
                ],
            ),
            600,
            "1 pod ends after the median time of what ended before it",
            id="what ended before",
        ),
    ],
)
def test_a_job_that_must_wait_would_start_when_enough_has_ended(
    observed: Observed, after: float, assumption: str
) -> None:
    found = told(observed, a_volcano_job())

    assert found.after == pytest.approx(after)
    assert [str(one) for one in found.assumptions] == [assumption]


def test_a_pod_of_which_nothing_is_known_is_taken_to_run_for_ever() -> None:
    found = told(Observed(nodes=FULL["nodes"], pods=[a_pod("a", "n1")]), a_volcano_job())

    assert found.after is None
    assert "nvidia.com/gpu" in found.why
    assert "1 pod is taken to run for ever" in str(found.assumptions[0])


def test_who_waits_already_comes_first_and_takes_its_time() -> None:
    waiting = a_group("g", 3, **{"volcano.sh/running-estimate": "10m"})
    waiting["status"] = {"phase": "Inqueue"}
    pods = [a_pod(f"w{at}", "", "g") for at in range(3)]

    found = told(Observed(nodes=FULL["nodes"], groups=[(VOLCANO, waiting)], pods=pods), a_volcano_job())

    assert found.after == pytest.approx(600)


@pytest.mark.parametrize(
    ("documents", "pods", "least", "queue"),
    [
        ([a_volcano_job(3, minAvailable=2, queue="q")], 3, 2, "q"),
        (
            [
                {
                    "apiVersion": "kubeflow.org/v1",
                    "kind": "PyTorchJob",
                    "metadata": {"name": "p"},
                    "spec": {
                        "runPolicy": {"schedulingPolicy": {"queue": "q"}},
                        "pytorchReplicaSpecs": {
                            "Master": {"template": a_template()},
                            "Worker": {"replicas": 2, "template": a_template()},
                        },
                    },
                }
            ],
            3,
            3,
            "q",
        ),
        (
            [
                {
                    "apiVersion": "scheduling.volcano.sh/v1beta1",
                    "kind": "PodGroup",
                    "metadata": {"name": "g"},
                    "spec": {"minMember": 2, "queue": "q"},
                },
                a_pod("a", "", "g"),
                a_pod("b", "", "g"),
            ],
            2,
            2,
            "q",
        ),
        (
            [
                {
                    "apiVersion": "batch/v1",
                    "kind": "Job",
                    "metadata": {"name": "j"},
                    "spec": {"parallelism": 2, "template": a_template()},
                }
            ],
            2,
            1,
            "default",
        ),
        ([a_pod("a")], 1, 1, "default"),
    ],
    ids=["Volcano Job", "PyTorchJob", "PodGroup and pods", "batch Job", "pod"],
)
def test_jobs_of_every_kind_can_be_added(documents: list, pods: int, least: int, queue: str) -> None:
    found = read_added(documents, "ml", {"": 0}, NOW)

    assert (len(found.tasks), found.job.min_member, found.job.queue) == (pods, least, queue)
    assert all(task.pod.requests["nvidia.com/gpu"] == 1 for task in found.tasks)


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ([{"apiVersion": "v1", "kind": "Service"}], "Service of v1 is no job that can be added"),
        ([a_volcano_job(minAvailable=9)], "minAvailable: 9 is not between 0 and the 4 pods"),
        ([a_volcano_job(priorityClassName="high")], "there is no PriorityClass high"),
        ([a_volcano_job(), a_volcano_job()], "it must be one job"),
        ([a_volcano_job(0)], "has no pods"),
        ([a_volcano_job("many")], "spec.tasks[0].replicas: 'many' is no number of pods"),
        ([], "it must be one job"),
    ],
)
def test_what_cannot_be_added_is_refused_by_name(documents: list, message: str) -> None:
    with pytest.raises(BadDescription) as refused:
        read_added(documents, "ml", {"": 0}, NOW)

    assert message in str(refused.value)


def test_a_queue_that_is_not_there_is_named() -> None:
    found = told(Observed(nodes=FULL["nodes"]), a_volcano_job(queue="nowhere"))

    assert found.after is None
    assert found.why == "there is no queue nowhere"
