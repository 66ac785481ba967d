"""Stories in which the controllers of TrainJobs and JobSets do what their rights are for. They say how Jobs fare."""

from typing import Any

from tests.apps.trainer.runtime_builders import a_patch, a_runtime
from tests.e2e.cluster.bare import BareCluster, Object
from windlass.cli.manifests import as_yaml, parts
from windlass.kube.json import dig

TRAINER = "/apis/trainer.kubeflow.org/v1alpha1/namespaces/default"
JOB_SETS = "/apis/jobset.x-k8s.io/v1alpha2/namespaces/default/jobsets"
JOBS = "/apis/batch/v1/namespaces/default/jobs"
VOLCANO = "/apis/scheduling.volcano.sh/v1beta1/namespaces/default/podgroups"
COSCHEDULING = "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/default/podgroups"
NOW = "2026-01-01T00:00:00Z"


def the_runtimes_are_taken(cluster: BareCluster) -> None:
    cluster.server.kubectl(
        "apply --server-side --force-conflicts --validate=strict -f -", stdin=as_yaml(parts("runtimes", "", ""))
    )


def train(cluster: BareCluster, name: str, runtime: str, kind: str = "ClusterTrainingRuntime", **spec: Any) -> Object:
    reference = {"name": runtime, "kind": kind}
    return cluster.make(f"{TRAINER}/trainjobs", {"metadata": {"name": name}, "spec": {"runtimeRef": reference, **spec}})


def jobs_rest_and_go_on_elsewhere(cluster: BareCluster) -> None:
    """A gang of Volcano's, of a runtime of the namespace."""
    runtime = {**a_runtime(name="gang"), "kind": "TrainingRuntime"}
    runtime["spec"]["podGroupPolicy"] = {"volcano": {}}
    cluster.make(f"{TRAINER}/trainingruntimes", runtime)
    train(cluster, "gang", "gang", "TrainingRuntime", trainer={"numNodes": 2})
    cluster.until(f"{VOLCANO}/gang", lambda group: group["spec"]["minMember"] == 2)
    cluster.until(f"{JOBS}/gang-node-0", bool)
    cluster.change(f"{JOBS}/gang-node-0/status", {"status": {"active": 2, "startTime": NOW}})
    cluster.until(f"{JOB_SETS}/gang", lambda found: any(one["active"] for one in replicated(found)))
    cluster.change(f"{TRAINER}/trainjobs/gang", {"spec": {"suspend": True}})
    cluster.until(f"{JOBS}/gang-node-0", lambda job: job["spec"]["suspend"])
    cluster.change(f"{JOBS}/gang-node-0/status", {"status": {"active": 0}})
    cluster.until(f"{JOB_SETS}/gang", lambda found: not any(one["active"] for one in replicated(found)))
    patches = [a_patch(nodeSelector={"pool": "b"})]
    cluster.change(f"{TRAINER}/trainjobs/gang", {"spec": {"suspend": False, "runtimePatches": patches}})
    job = cluster.until(f"{JOBS}/gang-node-0", lambda job: not job["spec"]["suspend"])
    assert job["spec"]["template"]["spec"]["nodeSelector"] == {"pool": "b"}


def replicated(job_set: Object) -> list[Object]:
    return dig(job_set, "status", "replicatedJobsStatus") or []


def a_training_by_mpi_has_keys(cluster: BareCluster) -> None:
    train(cluster, "ranks", "deepspeed-distributed", trainer={"numNodes": 2})
    cluster.until("secrets/ranks-mpi-ssh-auth", bool)
    cluster.until("configmaps/ranks-mpi-hostfile", bool)
    cluster.until("services/ranks", bool)


def what_failed_takes_the_rest_with_it(cluster: BareCluster) -> None:
    train(cluster, "tune", "torchtune-llama3.2-1b", initializer={"dataset": {}, "model": {}})
    cluster.until("persistentvolumeclaims/initializer-tune", bool)
    for step in ("dataset", "model"):
        cluster.until(f"{JOBS}/tune-{step}-initializer-0", bool)
    cluster.change(f"{JOBS}/tune-model-initializer-0/status", {"status": {"active": 1, "startTime": NOW}})
    conditions = [
        {"type": kind, "status": "True", "reason": "BackoffLimitExceeded", "message": "", "lastTransitionTime": NOW}
        for kind in ("FailureTarget", "Failed")
    ]
    cluster.change(
        f"{JOBS}/tune-dataset-initializer-0/status",
        {"status": {"failed": 1, "startTime": NOW, "conditions": conditions}},
    )
    cluster.until(f"{TRAINER}/trainjobs/tune", lambda job: condition(job) == "Failed")
    cluster.until(JOBS, lambda found: "tune-model-initializer-0" not in names(found))


def names(listed: Object) -> list[str]:
    return [obj["metadata"]["name"] for obj in listed["items"]]


def condition(job: Object) -> str:
    return next((one["type"] for one in dig(job, "status", "conditions") or () if one["status"] == "True"), "")


def a_training_that_takes_too_long_ends(cluster: BareCluster) -> None:
    """A gang of scheduler-plugins'."""
    runtime = a_runtime(name="slow")
    runtime["spec"]["podGroupPolicy"] = {"coscheduling": {}}
    cluster.make("/apis/trainer.kubeflow.org/v1alpha1/clustertrainingruntimes", runtime)
    train(cluster, "slow", "slow", trainer={"numNodes": 1}, activeDeadlineSeconds=2)
    cluster.until(f"{COSCHEDULING}/slow", bool)
    cluster.until(f"{TRAINER}/trainjobs/slow", lambda job: condition(job) == "Failed")
    cluster.until(JOB_SETS, lambda found: "slow" not in names(found))
