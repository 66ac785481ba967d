"""A ChainerJob: what it is made of, and how its master's Job decides."""

import os
import stat
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from windlass.apis.apps_v1 import StatefulSet
from windlass.apis.batch_v1 import Job, JobCondition, JobStatus
from windlass.apis.core_v1 import ConfigMap
from windlass.apis.rbac_v1 import Role
from windlass.apps.training.controllers.chainer import scripts
from windlass.apps.training.controllers.chainer.reconcile import reconcile
from windlass.apps.training.kinds.chainer_v1alpha1 import ChainerJob
from windlass.apps.training.options import DEFAULTS
from windlass.kube.controller import Observed
from windlass.kube.kind import KINDS
from windlass.kube.meta import Object, ObjectMeta
from windlass.kube.objects import owner_reference, wire
from windlass.kube.plan import Plan
from windlass.kube.testing import applied, created, deleted


def template(**container: Any) -> dict[str, Any]:
    return {"spec": {"containers": [{"image": "chainermn", **container}]}}


def a_job(sets: dict[str, dict[str, Any]] | None = None, **spec: Any) -> ChainerJob:
    given = {"master": {"template": template()}, "workerSets": sets or {}, **spec}
    metadata = {"name": "demo", "namespace": "team-a", "uid": "job-uid"}
    return msgspec.convert({"metadata": metadata, "spec": given}, ChainerJob)


def two_workers(**more: Any) -> ChainerJob:
    return a_job({"ws0": {"replicas": 2, "template": template(), **more}})


def looked(job: ChainerJob, *there: Object) -> Plan:
    return reconcile(DEFAULTS, job, Observed.just(*there, of=job))


def child(plan: Plan, kind: str) -> dict[str, Any]:
    (found,) = [wire(obj) for obj in [*applied(plan), *created(plan)] if wire(obj)["kind"] == kind]
    return found


def owned(job: ChainerJob, obj: Object) -> Any:
    owner = owner_reference(job, KINDS.of(ChainerJob))
    metadata = msgspec.structs.replace(obj.metadata, namespace="team-a", owner_references=[owner])
    return msgspec.structs.replace(obj, metadata=metadata)


def a_master(job: ChainerJob, **status: Any) -> Job:
    return owned(job, Job(metadata=ObjectMeta(name="demo-master"), status=JobStatus(**status)))


def test_a_master_alone_is_a_job_and_no_more() -> None:
    plan = looked(a_job())
    master = child(plan, "Job")

    assert {wire(obj)["kind"] for obj in applied(plan)} == {"ServiceAccount", "Role", "RoleBinding"}
    assert master["metadata"]["name"] == "demo-master"
    assert master["metadata"]["labels"] == {
        "chainerjob.kubeflow.org/name": "demo",
        "chainerjob.kubeflow.org/role": "master",
    }
    pod = master["spec"]["template"]["spec"]
    assert (pod["restartPolicy"], pod["serviceAccountName"]) == ("Never", "demo-launcher")
    assert "initContainers" not in pod


def test_a_single_container_needs_no_name() -> None:
    pod = child(looked(a_job()), "Job")["spec"]["template"]["spec"]

    assert [container["name"] for container in pod["containers"]] == ["chainer"]


def test_limits_of_the_master_are_its_jobs() -> None:
    spec = {"template": template(), "backoffLimit": 3, "activeDeadlineSeconds": 60}
    master = child(looked(a_job(master=spec)), "Job")["spec"]

    assert (master["completions"], master["backoffLimit"], master["activeDeadlineSeconds"]) == (1, 3, 60)


def test_a_set_of_workers_is_a_stateful_set() -> None:
    workers = child(looked(two_workers()), "StatefulSet")

    assert workers["metadata"]["name"] == workers["spec"]["serviceName"] == "demo-workerset-ws0"
    assert (workers["spec"]["replicas"], workers["spec"]["podManagementPolicy"]) == (2, "Parallel")
    assert workers["spec"]["selector"]["matchLabels"] == {
        "chainerjob.kubeflow.org/name": "demo",
        "chainerjob.kubeflow.org/role": "workerset",
        "chainerjob.kubeflow.org/workersetname": "ws0",
    }


def test_every_container_is_told_of_agent_and_hosts() -> None:
    plan = looked(two_workers())
    for kind in ("Job", "StatefulSet"):
        (container,) = child(plan, kind)["spec"]["template"]["spec"]["containers"]
        assert {one["name"]: one["value"] for one in container["env"]} == {
            "KUBECTL_DIR": "/kubeflow/chainer-operator/kube",
            "OMPI_MCA_plm_rsh_agent": "/kubeflow/chainer-operator/assets/kubexeb.sh",
            "OMPI_MCA_orte_keep_fqdn_hostnames": "t",
            "OMPI_MCA_orte_default_hostfile": "/kubeflow/chainer-operator/generated/hostfile",
            "OMPI_MCA_btl_tcp_if_exclude": "lo,docker0",
        }
        assert {mount["mountPath"].rsplit("/")[-1] for mount in container["volumeMounts"]} == {
            "assets",
            "kube",
            "generated",
        }


@pytest.mark.parametrize(
    ("more", "slots"),
    [
        ({}, 1),
        ({"mpiConfig": {"slots": 4}}, 4),
        ({"template": template(resources={"limits": {"nvidia.com/gpu": 2}})}, 2),
    ],
)
def test_slots_are_those_asked_for_or_the_gpus(more: dict[str, Any], slots: int) -> None:
    assets = child(looked(two_workers(**more)), "ConfigMap")

    assert assets["metadata"]["name"] == "demo-assets"
    assert assets["data"]["statefulsets_and_slots"] == f"demo-workerset-ws0 slots={slots} 2\n"


def test_the_master_may_run_commands_in_its_workers_only() -> None:
    role = msgspec.convert(child(looked(two_workers()), "Role"), Role)
    workers = ["demo-workerset-ws0-0", "demo-workerset-ws0-1"]

    assert role.metadata.name == "demo-launcher-role"
    assert [(rule.verbs, rule.resources, rule.resource_names) for rule in role.rules] == [
        (["get"], ["statefulsets"], ["demo-workerset-ws0"]),
        (["get", "list"], ["pods"], workers),
        (["create"], ["pods/exec"], workers),
    ]


def test_workers_go_when_the_master_is_done_and_its_status_is_the_jobs() -> None:
    job = two_workers()
    master = a_master(job, succeeded=1, conditions=[JobCondition(type="Complete", status="True")])
    plan = looked(job, master)

    assert child(plan, "StatefulSet")["spec"]["replicas"] == 0
    assert plan.status == master.status
    assert not created(plan)


def test_only_the_first_look_tells_that_it_was_synced() -> None:
    job = two_workers()

    assert [note.reason for note in looked(job).events] == ["Synced"]
    assert not looked(job, a_master(job, active=1)).events


def test_a_set_that_is_no_longer_asked_for_goes() -> None:
    job = two_workers()
    old: StatefulSet = owned(job, StatefulSet(metadata=ObjectMeta(name="demo-workerset-old")))

    assert deleted(looked(job, old)) == [old]


def test_another_backend_is_refused_by_name() -> None:
    job = two_workers()
    (note,) = looked(msgspec.structs.replace(job, spec=msgspec.structs.replace(job.spec, backend="nccl"))).events

    assert note.reason == "FailedSynced"
    assert '"nccl"' in note.message


def test_a_name_that_another_holds_is_told_and_nothing_is_made() -> None:
    mine = ConfigMap(metadata=ObjectMeta(name="demo-assets", namespace="team-a"))
    plan = looked(two_workers(), mine)

    assert [note.reason for note in plan.events] == ["ErrResourceExists"]
    assert not applied(plan)
    assert not created(plan)


def test_the_hostfile_has_the_workers_as_they_come_and_then_the_master(tmp_path: Path) -> None:
    """The script itself, with a kubectl that reaches each worker at the second try."""
    kubectl = tmp_path / "kubectl"
    kubectl.write_text('#!/bin/sh\n[ -e "$0.$2" ] && exit 0\ntouch "$0.$2"\nexit 1\n')
    kubectl.chmod(kubectl.stat().st_mode | stat.S_IXUSR)
    for name, text in scripts.all_of([("demo-workerset-a", 2, 2), ("demo-workerset-b", 1, 1)], "/x", "c").items():
        (tmp_path / name).write_text(text)
    target = tmp_path / "hostfile"
    argv = ["/bin/sh", str(tmp_path / scripts.GENERATOR), str(target), "demo-master-x", "slots=1"]

    subprocess.run(
        [*argv, str(tmp_path / scripts.SETS)],
        env={**os.environ, "KUBECTL_DIR": str(tmp_path)}, check=True, timeout=60, capture_output=True,
    )  # fmt: skip

    assert target.read_text().splitlines() == [
        "demo-workerset-a-0 slots=2",
        "demo-workerset-a-1 slots=2",
        "demo-workerset-b-0 slots=1",
        "demo-master-x slots=1",
    ]
