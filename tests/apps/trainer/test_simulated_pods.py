"""What `windlass simulate --add` makes of a TrainJob and of a JobSet."""

from typing import Any

import pytest

from tests.kube.live import bare_server, client
from windlass.apis.user_error import UserError
from windlass.apps.trainer.simulated_pods import with_pods
from windlass.kube.client import Client
from windlass.kube.json import Object
from windlass.scheduler.simulate.job_manifest import read_added

__all__ = ["bare_server", "client"]

NODE = {"name": "node", "template": {"spec": {"parallelism": 2, "template": {"spec": {"containers": []}}}}}


def a_job(runtime: Object, **trainer: Any) -> Object:
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": "mnist"},
        "spec": {"runtimeRef": runtime, "trainer": {"resourcesPerNode": {"limits": {"cpu": "1"}}, **trainer}},
    }


async def test_a_train_job_is_the_pods_that_the_runtime_of_the_cluster_makes_of_it(client: Client) -> None:
    documents = await with_pods(client, [a_job({"name": "torch-distributed"}, numNodes=3)], "team")
    added = read_added(documents, "team", {}, 0.0)

    assert [one["kind"] for one in documents] == ["Pod"] * 3
    assert len(added.tasks) == 3
    assert added.job.min_member == 1


async def test_a_runtime_of_the_same_file_may_make_a_gang_of_it(client: Client) -> None:
    labelled = {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}}
    template = {"metadata": labelled, "spec": {"template": {"spec": {"containers": [{"name": "node", "image": "i"}]}}}}
    runtime: Object = {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainingRuntime",
        "metadata": {"name": "mine"},
        "spec": {
            "mlPolicy": {"numNodes": 2},
            "podGroupPolicy": {"volcano": {}},
            "template": {"spec": {"replicatedJobs": [{"name": "node", "template": template}]}},
        },
    }
    documents = await with_pods(client, [runtime, a_job({"name": "mine", "kind": "TrainingRuntime"})], "team")
    added = read_added(documents, "team", {}, 0.0)

    assert (added.job.name, added.job.min_member, len(added.tasks)) == ("mnist", 2, 2)


async def test_a_job_set_is_the_pods_of_all_its_jobs(client: Client) -> None:
    job_set: Object = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "two"},
        "spec": {"replicatedJobs": [{**NODE, "replicas": 2}]},
    }

    assert len(await with_pods(client, [job_set], "team")) == 4


@pytest.mark.parametrize(
    ("runtime", "told"),
    [
        ({"name": "none"}, "spec.runtimeRef: there is no ClusterTrainingRuntime none"),
        ({"name": "a", "kind": "Other"}, "spec.runtimeRef.kind: Other is no runtime"),
    ],
)
async def test_a_runtime_that_is_not_there_is_told_by_its_name(client: Client, runtime: Object, told: str) -> None:
    with pytest.raises(UserError, match=told):
        await with_pods(client, [a_job(runtime)], "team")
