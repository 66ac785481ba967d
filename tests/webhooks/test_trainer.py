"""Reviews of training jobs, runtimes and JobSets: every path, what is asked for, filled in and refused."""

import base64
import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.apps.trainer.runtime_builders import a_job, a_patch, a_runtime, replicated
from tests.webhooks import builders
from tests.webhooks.builders import Object, admission
from windlass.apps.jobset.app import APP as JOBSET
from windlass.apps.trainer.app import APP as TRAINER
from windlass.kube import errors
from windlass.kube.json import dig
from windlass.kube.view import View
from windlass.webhooks.addresses import Service
from windlass.webhooks.configuration import configurations

RULES = (*JOBSET.rules, *TRAINER.rules)
GROUP = "trainer-kubeflow-org-v1alpha1"
JOBS, CHECKED_JOBS = f"/mutate-{GROUP}-trainjob", f"/validate-{GROUP}-trainjob"
SETS, CHECKED_SETS = "/mutate-jobset-x-k8s-io-v1alpha2-jobset", "/validate-jobset-x-k8s-io-v1alpha2-jobset"
RUNTIME = ("clustertrainingruntimes", "", "mine")
SNAPSHOT = {"data": {"runtime": json.dumps(a_runtime(replicated("kept", "trainer", "node")))}}


@dataclass
class Cluster:
    """What a webhook may ask for, by plural, namespace and name."""

    objects: dict[tuple[str, str, str], Object] = field(default_factory=dict[tuple[str, str, str], Object])
    asked: list[str] = field(default_factory=list[str])

    async def get(self, of: View[Object], name: str, namespace: str = "") -> Object:
        self.asked.append(of.kind.plural)
        found = self.objects.get((of.kind.plural, namespace, name))
        if found is None:
            raise errors.NotFound(f"{of.kind.plural} {name} not found")
        return found


async def asked(path: str, obj: Any, old: Any = None, cluster: Any = None) -> Object:
    api: Any = cluster or Cluster({RUNTIME: a_runtime()})
    review = admission(obj, old, "CREATE" if old is None else "UPDATE")
    review["request"] |= {"namespace": "default", "name": obj["metadata"]["name"]}
    return await builders.asked(path, review, api)


def filled(response: Object) -> Object:
    (patch,) = json.loads(base64.b64decode(response["patch"]))
    assert (response["patchType"], patch["op"], patch["path"]) == ("JSONPatch", "add", "/spec")
    return patch["value"]


def a_job_set(**spec: Any) -> Object:
    metadata = {"name": "set", "namespace": "default"}
    return {"kind": "JobSet", "metadata": metadata, "spec": {"replicatedJobs": [replicated("a", "", "node")], **spec}}


def test_the_paths_and_names_are_upstreams() -> None:
    assert {review.path: review.name for review in RULES} == {
        JOBS: "defaulter.trainjob.trainer.kubeflow.org",
        CHECKED_JOBS: "validator.trainjob.trainer.kubeflow.org",
        f"/validate-{GROUP}-trainingruntime": "validator.trainingruntime.trainer.kubeflow.org",
        f"/validate-{GROUP}-clustertrainingruntime": "validator.clustertrainingruntime.trainer.kubeflow.org",
        SETS: "mjobset.kb.io",
        CHECKED_SETS: "vjobset.kb.io",
    }


def test_a_cluster_is_told_of_every_webhook() -> None:
    made = configurations([JOBSET, TRAINER], Service(name="windlass", namespace="team"))
    webhooks = [webhook for configuration in made for webhook in configuration["webhooks"]]

    assert [(one["kind"], one["metadata"]["name"]) for one in made] == [
        ("ValidatingWebhookConfiguration", "validator.trainer.kubeflow.org"),
        ("MutatingWebhookConfiguration", "defaulter.trainer.kubeflow.org"),
    ]
    assert {dig(one, "clientConfig", "service", "path") for one in webhooks} == {review.path for review in RULES}
    scopes = {one["rules"][0]["resources"][0]: one["rules"][0]["scope"] for one in webhooks}
    assert [kind for kind, scope in scopes.items() if scope == "Cluster"] == ["clustertrainingruntimes"]
    assert all(one["rules"][0]["operations"] == ["CREATE", "UPDATE"] for one in webhooks)


async def test_the_time_of_a_patch_and_the_defaults_of_a_set_are_filled_in() -> None:
    assert filled(await asked(JOBS, a_job(patches=[a_patch()])))["runtimePatches"][0]["time"].endswith("Z")
    assert await asked(JOBS, a_job()) == {"allowed": True}
    assert filled(await asked(SETS, a_job_set()))["successPolicy"] == {"operator": "All"}


async def test_a_job_is_checked_by_its_runtime() -> None:
    job, cluster = a_job(trainer={"numNodes": 0}), Cluster({RUNTIME: a_runtime()})

    refused = await asked(CHECKED_JOBS, job, cluster=cluster)
    lost = await asked(CHECKED_JOBS, a_job(), cluster=Cluster())

    why = "spec.trainer.numNodes: Invalid value: 0: must be greater than or equal to 1"
    assert refused["status"] == {"message": why, "reason": "Forbidden", "code": 403}
    assert "must be created before the TrainJob is created" in lost["status"]["message"]
    assert cluster.asked == ["clustertrainingruntimes"]
    assert (await asked(CHECKED_JOBS, a_job()))["allowed"]


async def test_a_job_of_a_runtime_that_nobody_knows_is_refused_unasked() -> None:
    job, cluster = a_job(), Cluster()
    job["spec"]["runtimeRef"]["kind"] = "Recipe"

    refused = await asked(CHECKED_JOBS, job, cluster=cluster)

    assert refused["status"]["message"] == "unsupported runtime: Recipe.trainer.kubeflow.org"
    assert cluster.asked == []


@pytest.mark.parametrize(("target", "allowed"), [("kept", True), ("node", False)])
async def test_a_job_that_has_begun_is_checked_by_its_snapshot(target: str, allowed: bool) -> None:
    snapshot = ("configmaps", "default", "job-runtime-snapshot")
    cluster = Cluster({RUNTIME: a_runtime(), snapshot: SNAPSHOT})

    answer = await asked(CHECKED_JOBS, a_job(suspend=True, patches=[a_patch(target)]), a_job(), cluster)

    assert answer["allowed"] == allowed
    assert cluster.asked == ["configmaps", "jobsets"]


async def test_patches_wait_until_no_job_of_the_set_is_active() -> None:
    active = {"status": {"replicatedJobsStatus": [{"name": "node", "active": 1}]}}
    cluster = Cluster({RUNTIME: a_runtime(), ("jobsets", "default", "job"): active})

    answer = await asked(CHECKED_JOBS, a_job(suspend=True, patches=[a_patch()]), a_job(), cluster)

    assert answer["status"]["message"].endswith("when the JobSet's ReplicatedJob node is still active")


@pytest.mark.parametrize("kind", ["TrainingRuntime", "ClusterTrainingRuntime"])
async def test_a_runtime_is_refused_or_let_in_with_a_warning(kind: str) -> None:
    path = f"/validate-{GROUP}-{kind.lower()}"

    refused = await asked(path, {**a_runtime(flux={}), "kind": kind})
    warned = await asked(path, {**a_runtime(replicated("alone")), "kind": kind})

    assert refused["status"]["message"] == "spec.mlPolicy.flux: Forbidden: Flux is not supported by Windlass"
    assert (warned["allowed"], len(warned["warnings"])) == (True, 1)


async def test_a_set_is_checked_by_the_claims_that_are_there() -> None:
    jobs = [replicated("a", "", "node")]
    jobs[0]["template"]["spec"]["template"]["spec"]["containers"][0]["volumeMounts"] = [{"name": "data"}]
    claim = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}
    job_set = a_job_set(replicatedJobs=jobs, volumeClaimPolicies=[{"templates": [claim]}])
    taken = Cluster({("persistentvolumeclaims", "default", "data-set"): {"metadata": {"name": "data-set"}, "spec": {}}})

    refused = await asked(CHECKED_SETS, job_set, cluster=taken)

    assert "retentionPolicy must be retain when PVC exists" in refused["status"]["message"]
    assert {*taken.asked} == {"persistentvolumeclaims"}
    assert (await asked(CHECKED_SETS, job_set))["allowed"]


async def test_another_kind_is_a_bad_request() -> None:
    answer = await asked(CHECKED_JOBS, a_runtime())

    assert answer["status"]["code"] == 400
    assert answer["status"]["message"] == "this webhook handles kind TrainJob, not ClusterTrainingRuntime"
