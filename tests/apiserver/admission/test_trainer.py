"""Training jobs and runtimes over HTTP: kept as they are, filled in, or refused by the field that is wrong."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.apps.trainer.runtime_builders import a_job, a_patch, a_runtime, replicated
from tests.support import Answer, Windlass, running

GROUP = "/apis/trainer.kubeflow.org/v1alpha1"
JOBS = f"{GROUP}/namespaces/default/trainjobs"
RUNTIMES = f"{GROUP}/namespaces/default/trainingruntimes"
CLUSTER_RUNTIMES = f"{GROUP}/clustertrainingruntimes"
TORCH = "torch-distributed"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windlass]:
    with running(tmp_path_factory.mktemp("trainer")) as windlass:
        yield windlass


def named(name: str, job: Any) -> Any:
    return {**job, "metadata": {"name": name}}


def assert_denied(answer: Answer, kind: str, why: str) -> None:
    told = answer.json()
    assert (answer.status, told["reason"]) == (403, "Forbidden")
    assert told["message"] == f'admission webhook "validator.{kind}.trainer.kubeflow.org" denied the request: {why}'


def test_a_job_is_filled_in_and_keeps_amounts_as_they_are_written(server: Windlass) -> None:
    amounts = {"limits": {"cpu": 2.0, "nvidia.com/gpu": "1"}, "requests": {"memory": "1Gi"}}
    job = named("whole", a_job(TORCH, trainer={"resourcesPerNode": amounts}, patches=[a_patch()]))
    del job["spec"]["runtimeRef"]["kind"]

    made = server.create(JOBS, job)["spec"]

    assert made["runtimeRef"] == {"name": TORCH, "apiGroup": "trainer.kubeflow.org", "kind": "ClusterTrainingRuntime"}
    assert (made["suspend"], made["managedBy"]) == (False, "trainer.kubeflow.org/trainjob-controller")
    assert made["runtimePatches"][0]["time"].endswith("Z")
    assert made["trainer"]["resourcesPerNode"] == amounts


def test_a_job_is_refused_in_the_words_of_upstreams_webhook(server: Windlass) -> None:
    answer = server.request("POST", JOBS, named("bad", a_job("xgboost-distributed", trainer={"env": [
        {"name": "DMLC_TRACKER_URI", "value": "x"}]})))  # fmt: skip

    assert_denied(
        answer, "trainjob", "spec.trainer.env[0]: Forbidden: DMLC_TRACKER_URI is reserved for the XGBoost runtime"
    )


@pytest.mark.parametrize(
    ("name", "spec", "why"),
    [
        ("1st", {}, "metadata.name must match RFC 1035 DNS label format"),
        ("a" * 64, {}, "metadata.name must be no more than 63 characters"),
        ("managed", {"managedBy": "somebody"}, "ManagedBy must be trainer.kubeflow.org/trainjob-controller or "
         "kueue.x-k8s.io/multikueue if set"),
        ("hasty", {"activeDeadlineSeconds": 0}, "should be greater than or equal to 1"),
        ("cpu", {"trainer": {"resourcesPerNode": {"limits": {"cpu": "much"}}}}, "should match"),
    ],
)  # fmt: skip
def test_a_job_keeps_the_rules_of_its_definition(server: Windlass, name: str, spec: Any, why: str) -> None:
    answer = server.request("POST", JOBS, named(name, a_job(TORCH, **spec)))

    assert answer.status == 422
    assert why in answer.json()["message"]


def test_what_a_job_trains_stays_and_its_patches_change_while_it_rests(server: Windlass) -> None:
    place = f"{JOBS}/steady"
    server.create(JOBS, named("steady", a_job(TORCH, trainer={"numNodes": 1})))
    patches = {"runtimePatches": [a_patch(nodeSelector={"a": "b"})]}

    fixed = server.patch(place, {"spec": {"trainer": {"numNodes": 2}}})
    awake = server.patch(place, {"spec": patches})
    resting = server.patch(place, {"spec": {"suspend": True, **patches}})

    assert (fixed.status, "field is immutable" in fixed.json()["message"]) == (422, True)
    assert_denied(awake, "trainjob", "spec.runtimePatches: Forbidden: RuntimePatches can only be modified when the "
                  "TrainJob is suspended before or after the update")  # fmt: skip
    assert resting.status == 200


def test_a_job_finds_the_runtime_of_its_own_namespace_and_no_other(server: Windlass) -> None:
    job = named("homely", a_job("own"))
    job["spec"]["runtimeRef"]["kind"] = "TrainingRuntime"
    refused = server.request("POST", JOBS, job)
    server.create(RUNTIMES, {**a_runtime(name="own"), "kind": "TrainingRuntime"})

    assert refused.status == 403
    assert "specified trainingRuntime must be created before the TrainJob is created" in refused.json()["message"]
    server.create(JOBS, job)


def test_a_job_that_has_begun_keeps_to_the_runtime_as_it_was(server: Windlass) -> None:
    server.create(CLUSTER_RUNTIMES, a_runtime(name="passing"))
    server.create(JOBS, named("begun", a_job("passing", suspend=True)))
    server.create("/api/v1/namespaces/default/configmaps", {"metadata": {"name": "begun-runtime-snapshot"}, "data": {
        "runtime": "spec: {template: {spec: {replicatedJobs: [{name: node}]}}}"}})  # fmt: skip
    assert server.request("DELETE", f"{CLUSTER_RUNTIMES}/passing").status == 200

    wrong = server.patch(f"{JOBS}/begun", {"spec": {"runtimePatches": [a_patch("other")]}})
    right = server.patch(f"{JOBS}/begun", {"spec": {"runtimePatches": [a_patch("node")]}})

    assert (wrong.status, right.status) == (403, 200)


def test_a_runtime_is_refused_or_warned_of_by_name(server: Windlass) -> None:
    twice = a_runtime(replicated("node", "trainer", "node", replicas=2), name="twice")
    both = a_runtime(name="both", torch={}, jax={})
    idle = a_runtime(replicated("alone", "", "x"), name="idle")

    assert_denied(
        server.request("POST", CLUSTER_RUNTIMES, twice),
        "clustertrainingruntime",
        "spec.template.spec.replicatedJobs[0].replicas: Invalid value: 2: always must be 1",
    )
    assert (
        "Only one of the policy can be configured" in server.request("POST", CLUSTER_RUNTIMES, both).json()["message"]
    )
    assert "spec.trainer of TrainJobs has no effect" in server.request("POST", CLUSTER_RUNTIMES, idle).warnings[0]
