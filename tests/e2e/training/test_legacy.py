"""Manifests of years ago: TFJobs before v1, and both versions of MPIJob, applied, read, edited and run unchanged."""

import json
from functools import partial
from pathlib import Path

import pytest
import yaml

from tests.e2e.node.pods import Object
from tests.e2e.training.jobs import JobShell, conditions
from tests.support import eventually
from windlass.apps.training.kinds.mpi_v2beta1 import CREATED_AS

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(600)]

FIRST = """
apiVersion: kubeflow.org/v1alpha1
kind: TFJob
metadata: {name: first}
spec:
  tfImage: tensorflow/tensorflow:1.3.0
  schedulerName: default-scheduler
  replicaSpecs:
  - tfReplicaType: MASTER
    template: &template
      spec:
        restartPolicy: OnFailure
        containers:
        - {name: tensorflow, image: "python:3.11", command: [python, -c, "import os; print(os.environ['TF_CONFIG'])"]}
  - {tfReplicaType: WORKER, replicas: 2, tfPort: 5555, template: *template}
"""
SECOND = """
apiVersion: kubeflow.org/v1alpha2
kind: TFJob
metadata: {name: second}
spec:
  ttlSecondsAfterFinished: 3600
  unheardOf: {field: 1}
  tfReplicaSpecs:
    Ps: {tfReplicaType: PS, template: {spec: {containers: [{name: tensorflow, image: busybox, command: [sleep, inf]}]}}}
    Worker: {replicas: 1, template: {spec: {containers: [{name: tensorflow, image: "python:3.11", stray: yes}]}}}
"""
BY_SSH = """
apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: ssh}
spec:
  runPolicy: {suspend: true}
  sshAuthMountPath: /home/mpiuser/.ssh
  mpiReplicaSpecs:
    Launcher: {template: {spec: {containers: [{name: main, image: busybox}]}}}
    Worker: {replicas: 1, template: {spec: {containers: [{name: main, image: busybox}]}}}
"""
BY_EXEC = """
apiVersion: kubeflow.org/v1
kind: MPIJob
metadata: {name: exec}
spec:
  runPolicy: {suspend: true}
  mainContainer: mpi
  mpiReplicaSpecs:
    Launcher: {template: {spec: {containers: [{name: mpi, image: busybox}]}}}
    Worker: {replicas: 1, template: {spec: {containers: [{name: mpi, image: busybox}]}}}
"""


def at(kubectl: JobShell, version: str, name: str, plural: str = "tfjobs") -> Object:
    return kubectl.json(f"get {plural}.{version}.kubeflow.org {name}")


def written(manifest: str) -> Object:
    return yaml.safe_load(manifest)["spec"]


def replace_bare(kubectl: JobShell, version: str, name: str) -> bool:
    """Write an MPIJob without any annotation; whether nobody else wrote it meanwhile."""
    shown = at(kubectl, version, name, "mpijobs")
    shown["metadata"] = {key: shown["metadata"][key] for key in ("name", "namespace", "resourceVersion")}
    return (
        kubectl.run("replace -f -", json.dumps({**shown, "spec": {**shown["spec"], "slotsPerWorker": 3}})).returncode
        == 0
    )


def test_a_job_of_the_first_version_trains_and_is_read_back_as_it_was_written(kubectl: JobShell) -> None:
    kubectl("apply -f -", FIRST)
    ended = kubectl.ends("tfjobs/first")

    assert conditions(ended)[-1] == ("Succeeded", "True"), kubectl.told("tfjobs/first")
    assert [each["restartPolicy"] for each in ended["spec"]["tfReplicaSpecs"].values()] == ["OnFailure", "OnFailure"]
    old = at(kubectl, "v1alpha1", "first")
    assert old["spec"] == written(FIRST)
    assert (old["status"]["phase"], old["status"]["state"]) == ("Done", "Succeeded")
    assert not [name for name in old["metadata"]["annotations"] if "windlass" in name and "v1" in name]
    assert kubectl("get tfjobs.v1alpha1.kubeflow.org first").splitlines()[1].split()[1] == "Succeeded"


def test_its_pods_are_named_as_today_and_told_of_its_ports(kubectl: JobShell) -> None:
    kubectl("apply -f -", FIRST.replace("OnFailure", "Never").replace("first", "ports") + "  cleanupPodPolicy: None\n")
    kubectl.ends("tfjobs/ports")

    assert sorted(pod["metadata"]["name"] for pod in kubectl.pods("training.kubeflow.org/job-name=ports")) == [
        "ports-master-0", "ports-worker-0", "ports-worker-1",
    ]  # fmt: skip
    cluster = json.loads(kubectl.log("ports-master-0"))["cluster"]
    assert cluster["worker"][1] == f"ports-worker-1.{kubectl.namespace}.svc:5555"
    assert cluster["master"] == [f"ports-master-0.{kubectl.namespace}.svc:2222"]


def test_a_finished_job_of_the_second_version_cleans_up_what_still_runs(kubectl: JobShell) -> None:
    kubectl("apply -f -", SECOND)
    kubectl.has("tfjobs/second", "Succeeded", 240)

    kubectl.gone("pods/second-ps-0")
    assert kubectl.get("pods/second-worker-0")
    old = at(kubectl, "v1alpha2", "second")
    assert old["spec"] == written(SECOND)
    assert set(old["status"]["tfReplicaStatuses"]) == {"PS", "Worker"}


@pytest.mark.parametrize("how", ["apply", "apply --server-side"])
def test_an_old_manifest_may_be_applied_again_and_changed(kubectl: JobShell, how: str) -> None:
    manifest = FIRST.replace("spec:\n", "spec:\n  runPolicy: {suspend: true}\n", 1)
    kubectl(f"{how} -f -", manifest)
    before = kubectl.get("tfjobs/first")["metadata"]["generation"]
    kubectl(f"{how} -f -", manifest)
    assert kubectl.get("tfjobs/first")["metadata"]["generation"] == before

    kubectl(f"{how} -f -", manifest.replace("replicas: 2", "replicas: 3").replace("  tfImage", "  RuntimeId"))
    stored = kubectl.get("tfjobs/first")
    assert stored["spec"]["tfReplicaSpecs"]["Worker"]["replicas"] == 3
    shown = at(kubectl, "v1alpha1", "first")["spec"]
    assert (shown.get("tfImage"), shown["RuntimeId"]) == (None, "tensorflow/tensorflow:1.3.0")


def test_who_applies_at_v1_what_was_applied_at_v1alpha2_has_no_conflict(kubectl: JobShell) -> None:
    job = {"runPolicy": {"suspend": True}, **written(SECOND)}
    old = {**yaml.safe_load(SECOND), "spec": job}
    kubectl("apply --server-side -f -", json.dumps(old))
    new = json.loads(json.dumps({**old, "apiVersion": "kubeflow.org/v1"}))
    del new["spec"]["unheardOf"], new["spec"]["tfReplicaSpecs"]["Ps"]["tfReplicaType"]
    del new["spec"]["tfReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]["stray"]
    new["spec"]["tfReplicaSpecs"]["Worker"]["replicas"] = 2
    kubectl("apply --server-side -f -", json.dumps(new))

    shown = at(kubectl, "v1alpha2", "second")["spec"]["tfReplicaSpecs"]
    assert (shown["Worker"]["replicas"], shown["Ps"]["tfReplicaType"]) == (2, "PS")


def test_kubectl_edits_a_job_at_either_version(kubectl: JobShell, tmp_path: Path) -> None:
    kubectl("apply -f -", SECOND.replace("spec:\n", "spec:\n  runPolicy: {suspend: true}\n", 1))
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i 's/replicas: [0-9]/replicas: 4/' \"$1\"\n")
    editor.chmod(0o755)
    kubectl("edit tfjobs.v1alpha2.kubeflow.org second", KUBE_EDITOR=str(editor))
    assert kubectl.get("tfjobs/second")["spec"]["tfReplicaSpecs"]["Worker"]["replicas"] == 4

    editor.write_text("#!/bin/sh\nsed -i 's/replicas: [0-9]/replicas: 5/' \"$1\"\n")
    kubectl("edit tfjobs.v1.kubeflow.org second", KUBE_EDITOR=str(editor))
    shown = at(kubectl, "v1alpha2", "second")["spec"]
    assert (shown["tfReplicaSpecs"]["Worker"]["replicas"], shown["unheardOf"]) == (5, {"field": 1})


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (("tfReplicaType: WORKER", "tfReplicaType: MASTER"), "spec.replicaSpecs[1].tfReplicaType"),
        (("tfReplicaType: MASTER", "tfReplicaType: MASTER\n    replicas: 2"), "spec.replicaSpecs[0].replicas"),
        (("tfReplicaType: MASTER", "tfReplicaType: PS"), "spec.terminationPolicy.chief.replicaName"),
        (
            ("  tfImage", "  terminationPolicy: {chief: {replicaName: WORKER, replicaIndex: 1}}\n  tfImage"),
            "spec.terminationPolicy.chief.replicaIndex",
        ),
    ],
)
def test_a_bad_field_of_the_first_version_is_refused_by_its_name(
    kubectl: JobShell, change: tuple[str, str], field: str
) -> None:
    said = kubectl.fails("apply -f -", FIRST.replace(*change))
    assert 'The TFJob "first" is invalid' in said
    assert field in said


def test_an_mpijob_stays_what_it_was_created_as(kubectl: JobShell) -> None:
    kubectl("apply -f -", BY_SSH)
    kubectl("apply -f -", BY_EXEC)
    for version in ("v1", "v2beta1"):
        for name in ("ssh", "exec"):
            eventually(partial(replace_bare, kubectl, version, name), 60, f"{name} is replaced at {version}")

    by_ssh, by_exec = kubectl.get("mpijobs/ssh"), kubectl.get("mpijobs/exec")
    assert by_ssh["metadata"]["annotations"][CREATED_AS] == "v2beta1"
    assert CREATED_AS not in by_exec["metadata"].get("annotations", {})
    assert by_exec["spec"]["slotsPerWorker"] == by_ssh["spec"]["slotsPerWorker"] == 3
    assert at(kubectl, "v2beta1", "exec", "mpijobs")["metadata"]["annotations"][CREATED_AS] == "v1"


def test_an_mpijob_of_either_version_is_applied_again_without_change(kubectl: JobShell) -> None:
    for manifest, path in ((BY_SSH, "mpijobs/ssh"), (BY_EXEC, "mpijobs/exec")):
        kubectl("apply -f -", manifest)
        kubectl("apply -f -", manifest)
        assert kubectl.get(path)["metadata"]["generation"] == 1
    assert at(kubectl, "v2beta1", "ssh", "mpijobs")["spec"]["sshAuthMountPath"] == "/home/mpiuser/.ssh"
    assert at(kubectl, "v1", "exec", "mpijobs")["spec"]["mainContainer"] == "mpi"
