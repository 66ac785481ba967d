"""Each rule by which an old TFJob becomes one of v1, and back."""

from typing import Any

import pytest

from tests.apps.training.conversion.legacy_jobs import Json, a_job, a_replica, a_template, alpha1
from windlass.apps.training.conversion import convert
from windlass.apps.training.job import OURS

V1 = "kubeflow.org/v1"
ERAS = ("v1alpha2", "v1beta1", "v1beta2")


def raised(obj: Json) -> Json:
    return convert(obj, V1)


def replica_of(obj: Json, name: str) -> Json:
    return raised(obj)["spec"]["tfReplicaSpecs"][name]


def test_the_list_of_replicas_becomes_a_map_by_type() -> None:
    job = alpha1(a_replica("MASTER", 1), a_replica("WORKER", 3), a_replica("PS", 2))
    found = raised(job)["spec"]["tfReplicaSpecs"]
    assert {name: spec["replicas"] for name, spec in found.items()} == {"Master": 1, "Worker": 3, "PS": 2}
    assert convert(raised(job), "kubeflow.org/v1alpha1") == job


def test_a_replica_without_type_is_the_master() -> None:
    job = alpha1(a_replica())
    assert [*raised(job)["spec"]["tfReplicaSpecs"]] == ["Master"]
    assert convert(raised(job), "kubeflow.org/v1alpha1") == job


@pytest.mark.parametrize(("written", "meant"), [("OnFailure", "OnFailure"), ("Never", "Never"), (None, "Always")])
def test_the_pods_own_restart_policy_was_honoured(written: str | None, meant: str) -> None:
    template = a_template(restartPolicy=written) if written else a_template()
    found = replica_of(alpha1(a_replica("MASTER", template=template)), "Master")
    assert found["restartPolicy"] == meant
    assert "restartPolicy" not in found["template"]["spec"]


def test_the_port_is_that_of_tensorflows_container() -> None:
    job = alpha1(a_replica("MASTER", tfPort=5000))
    port = {"name": "tfjob-port", "containerPort": 5000}
    assert replica_of(job, "Master")["template"]["spec"]["containers"][0]["ports"] == [port]
    assert convert(raised(job), "kubeflow.org/v1alpha1") == job


def test_a_port_that_was_changed_at_v1_is_the_one_that_counts() -> None:
    ports = [{"name": "tfjob-port", "containerPort": 2222, "protocol": "TCP"}]
    template = {"spec": {"containers": [{"name": "tensorflow", "image": "train:1", "ports": ports}]}}
    job = alpha1(a_replica("MASTER", template=template, tfPort=3000))
    stored = raised(job)
    stored["spec"]["tfReplicaSpecs"]["Master"]["template"]["spec"]["containers"][0]["ports"][0]["containerPort"] = 4000
    again = raised(convert(stored, "kubeflow.org/v1alpha1"))
    assert again["spec"] == stored["spec"]


@pytest.mark.parametrize(("written", "meant"), [(None, "All"), ("", "All"), ("Running", "Running"), ("None", "None")])
def test_pods_of_the_first_version_are_all_cleaned_up(written: str | None, meant: str) -> None:
    job = alpha1(a_replica(), **({} if written is None else {"cleanupPodPolicy": written}))
    assert raised(job)["spec"]["runPolicy"] == {"cleanPodPolicy": meant}
    assert convert(raised(job), "kubeflow.org/v1alpha1") == job


def test_the_jobs_scheduler_is_that_of_every_pod() -> None:
    job = alpha1(a_replica("MASTER"), a_replica("WORKER"), schedulerName="volcano")
    specs = raised(job)["spec"]["tfReplicaSpecs"]
    assert {spec["template"]["spec"]["schedulerName"] for spec in specs.values()} == {"volcano"}
    assert convert(raised(job), "kubeflow.org/v1alpha1") == job


def test_pods_with_schedulers_of_their_own_keep_them() -> None:
    replicas = {name: {"template": a_template(schedulerName=name.lower())} for name in ("Master", "Worker")}
    job = a_job("v1", tfReplicaSpecs=replicas)
    shown = convert(job, "kubeflow.org/v1alpha1")["spec"]
    assert "schedulerName" not in shown
    assert [each["template"]["spec"]["schedulerName"] for each in shown["replicaSpecs"]] == ["master", "worker"]


def test_a_job_that_ends_with_its_first_worker_has_no_chief() -> None:
    chief = {"chief": {"replicaName": "WORKER", "replicaIndex": 0}}
    job = alpha1(a_replica("WORKER", 2), terminationPolicy=chief)
    assert [*raised(job)["spec"]["tfReplicaSpecs"]] == ["Worker"]
    assert raised(job)["metadata"] == job["metadata"], "it is what v1 means anyway"
    assert convert(raised(job), "kubeflow.org/v1alpha1") == job


def test_what_v1_has_no_word_for_is_kept_and_shown_once() -> None:
    job = alpha1(a_replica("MASTER", unheard="of"), tfImage="old:1", RuntimeId="ab12")
    stored = raised(job)
    assert not {"tfImage", "RuntimeId"} & set(stored["spec"])
    assert "unheard" not in stored["spec"]["tfReplicaSpecs"]["Master"]
    assert [*stored["metadata"]["annotations"]] == [f"{OURS}v1alpha1"]
    shown = convert(stored, "kubeflow.org/v1alpha1")
    assert shown == job
    assert "annotations" not in shown["metadata"]


def test_the_first_version_shows_roles_and_policies_that_it_never_knew() -> None:
    replicas = {"Chief": {"restartPolicy": "ExitCode", "template": a_template()}, "Evaluator": {"replicas": 1}}
    job = a_job("v1", tfReplicaSpecs=replicas, runPolicy={"backoffLimit": 3})
    shown = convert(job, "kubeflow.org/v1alpha1")["spec"]
    assert [each["tfReplicaType"] for each in shown["replicaSpecs"]] == ["CHIEF", "EVALUATOR"]
    assert shown["replicaSpecs"][0]["restartPolicy"] == "ExitCode"
    assert shown["terminationPolicy"]["chief"]["replicaName"] == "CHIEF"
    assert shown["runPolicy"] == {"backoffLimit": 3}
    assert shown["cleanupPodPolicy"] == "None"


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize(("written", "meant"), [(None, "Running"), ("All", "All"), ("None", "None")])
def test_running_pods_were_cleaned_up_before_v1(version: str, written: str | None, meant: str) -> None:
    given: Json = {} if written is None else {"cleanPodPolicy": written}
    job = a_job(version, tfReplicaSpecs={}, **given)
    assert raised(job)["spec"]["runPolicy"] == {"cleanPodPolicy": meant}
    assert convert(raised(job), job["apiVersion"]) == job


@pytest.mark.parametrize(
    ("version", "moved"),
    [
        ("v1alpha2", {"ttlSecondsAfterFinished": 5}),
        ("v1beta1", {"ttlSecondsAfterFinished": 5}),
        ("v1beta2", {"ttlSecondsAfterFinished": 5, "activeDeadlineSeconds": 60, "backoffLimit": 2}),
    ],
)
def test_what_stood_beside_the_replicas_moves_into_the_run_policy(version: str, moved: Json) -> None:
    job = a_job(version, tfReplicaSpecs={}, cleanPodPolicy="All", **moved)
    assert raised(job)["spec"] == {"tfReplicaSpecs": {}, "runPolicy": {"cleanPodPolicy": "All", **moved}}
    assert convert(raised(job), job["apiVersion"]) == job


def test_the_run_policy_wins_over_what_stands_beside_the_replicas() -> None:
    job = a_job("v1beta2", tfReplicaSpecs={}, backoffLimit=1, runPolicy={"backoffLimit": 2, "cleanPodPolicy": "All"})
    assert raised(job)["spec"]["runPolicy"] == {"backoffLimit": 2, "cleanPodPolicy": "All"}
    assert convert(raised(job), job["apiVersion"]) == job


@pytest.mark.parametrize("version", ERAS)
def test_a_job_of_v1_that_cleans_nothing_up_says_so_in_older_versions(version: str) -> None:
    job = a_job("v1", tfReplicaSpecs={"Worker": {"template": a_template()}})
    shown = convert(job, f"kubeflow.org/{version}")
    assert shown["spec"]["cleanPodPolicy"] == "None"
    assert raised(shown) == job


def test_a_list_of_replicas_is_understood_at_v1alpha2_too() -> None:
    job = a_job("v1alpha2", replicaSpecs=[a_replica("MASTER", 1), a_replica("PS", 2)])
    stored = raised(job)
    assert {name: spec["replicas"] for name, spec in stored["spec"]["tfReplicaSpecs"].items()} == {"Master": 1, "PS": 2}
    stored["spec"]["tfReplicaSpecs"]["PS"]["replicas"] = 3
    shown = convert(stored, "kubeflow.org/v1alpha2")["spec"]
    assert [each["replicas"] for each in shown["replicaSpecs"]] == [1, 3]
    assert "tfReplicaSpecs" not in shown


def test_a_map_of_replicas_is_understood_at_v1alpha1_too() -> None:
    job = a_job("v1alpha1", tfReplicaSpecs={"Worker": {"replicas": 2, "template": a_template()}})
    assert replica_of(job, "Worker")["replicas"] == 2
    assert convert(raised(job), job["apiVersion"]) == job


def test_a_change_at_v1_is_seen_in_the_old_version_beside_all_that_was_kept() -> None:
    job = alpha1(a_replica("MASTER"), a_replica("WORKER", 2, stray=1), tfImage="old:1")
    stored = raised(job)
    stored["spec"]["tfReplicaSpecs"]["Worker"]["replicas"] = 5
    stored["spec"]["tfReplicaSpecs"]["Worker"]["restartPolicy"] = "Never"
    stored["spec"]["runPolicy"]["cleanPodPolicy"] = "None"
    shown = convert(stored, "kubeflow.org/v1alpha1")["spec"]
    assert (shown["tfImage"], shown["cleanupPodPolicy"]) == ("old:1", "None")
    worker = shown["replicaSpecs"][1]
    assert (worker["replicas"], worker["stray"], worker["template"]["spec"]["restartPolicy"]) == (5, 1, "Never")


def test_a_change_of_the_order_of_roles_mixes_nothing_up() -> None:
    job = alpha1(a_replica("MASTER", stray="m"), a_replica("PS", stray="p"))
    stored = raised(job)
    stored["spec"]["tfReplicaSpecs"] = dict(reversed(stored["spec"]["tfReplicaSpecs"].items()))
    shown = convert(stored, "kubeflow.org/v1alpha1")["spec"]["replicaSpecs"]
    assert [(each["tfReplicaType"], each["stray"]) for each in shown] == [("PS", "p"), ("MASTER", "m")]


def test_a_role_with_another_spelling_never_comes_twice() -> None:
    job = a_job("v1", tfReplicaSpecs={"WORKER": {"replicas": 1, "template": a_template()}})
    shown = convert(job, "kubeflow.org/v1alpha1")
    assert raised(shown)["spec"] == job["spec"]
    shown["spec"]["replicaSpecs"][0]["replicas"] = 4
    found = raised(shown)["spec"]["tfReplicaSpecs"]
    assert {name: spec["replicas"] for name, spec in found.items()} == {"Worker": 4}


def test_an_object_may_be_converted_between_two_old_versions() -> None:
    job = alpha1(a_replica("WORKER", 2), cleanupPodPolicy="Running")
    shown = convert(job, "kubeflow.org/v1alpha2")
    assert shown["apiVersion"] == "kubeflow.org/v1alpha2"
    assert shown["spec"]["tfReplicaSpecs"]["Worker"]["replicas"] == 2
    assert convert(shown, "kubeflow.org/v1alpha1")["spec"] == job["spec"]


def test_conversion_changes_nothing_in_what_it_is_given() -> None:
    job = alpha1(a_replica("MASTER", tfPort=1), schedulerName="s", terminationPolicy={}, other=1)
    before: Any = repr(job)
    stored = raised(job)
    between = repr(stored)
    convert(stored, "kubeflow.org/v1alpha1")
    assert (repr(job), repr(stored)) == (before, between)


def test_a_spoilt_note_is_passed_over() -> None:
    job = a_job("v1", annotations={f"{OURS}v1alpha1": "not json"}, tfReplicaSpecs={"Master": {}})
    assert convert(job, "kubeflow.org/v1alpha1")["spec"]["replicaSpecs"][0]["tfReplicaType"] == "MASTER"


def test_what_v1_does_not_know_within_a_pod_is_kept_too() -> None:
    job = a_job("v1alpha2", tfReplicaSpecs={"Worker": {"template": a_template(stray={"a": 1})}})

    def prune(obj: Json) -> None:
        obj["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"].pop("stray", None)

    stored = convert(job, V1, prune)
    assert stored["spec"]["tfReplicaSpecs"]["Worker"]["template"] == a_template()
    assert convert(stored, job["apiVersion"], prune) == job
