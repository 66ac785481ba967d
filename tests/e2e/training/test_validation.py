"""Jobs that cannot run are refused where they are written: with the right code, and by the field that is wrong."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.apps.training.job_builders import REMOVED, SPECS, a_chainer_job, a_job, a_role, spoilt
from tests.e2e.shell import Shell
from tests.support import Answer, Windlass, eventually

PLURALS = {kind: f"{kind.lower()}s" for kind in (*SPECS, "ChainerJob")}
SPELLED = "spec.pytorchReplicaSpecs.Worker.template.spec.containers"


@pytest.fixture
def namespace(server: Windlass) -> Iterator[str]:
    """A fresh namespace of a server without a node: no job of this page ever runs."""
    wanted = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"generateName": "refused-"}}
    name = server.create("/api/v1/namespaces", wanted)["metadata"]["name"]
    yield name
    server.request("DELETE", f"/api/v1/namespaces/{name}")


@pytest.fixture
def kubectl(server: Windlass, namespace: str, tmp_path: Path) -> Shell:
    return Shell(server, namespace, tmp_path)


def create(server: Windlass, job: Any, query: str = "dryRun=All&fieldValidation=Strict") -> Answer:
    place = f"/apis/{job['apiVersion']}/namespaces/default/{PLURALS[job['kind']]}"
    return server.request("POST", f"{place}?{query}", job)


def an_mpi2_job(**more: Any) -> Any:
    return a_job("MPIJob", version="v2beta1", **more)


LEAST = [
    *(a_job(kind) for kind in SPECS),
    an_mpi2_job(),
    a_chainer_job(ws={"template": a_role()["template"]}),
    *(a_job("TFJob", version=version) for version in ("v1beta2", "v1beta1", "v1alpha2")),
]


@pytest.mark.parametrize("job", LEAST, ids=lambda job: f"{job['kind']}-{job['apiVersion']}")
def test_the_least_that_a_kind_needs_is_accepted(server: Windlass, job: Any) -> None:
    answer = create(server, job)

    assert answer.status == 201, answer.body
    assert answer.warnings == []


BY_SCHEMA: list[tuple[Any, str]] = [
    *((spoilt(a_job(kind), "spec", REMOVED), "spec: Required value") for kind in SPECS),
    *((spoilt(a_job(kind), f"spec.{SPECS[kind]}", REMOVED), f"spec.{SPECS[kind]}: Required value") for kind in SPECS),
    *(
        (
            spoilt(a_job(kind), f"spec.{SPECS[kind]}.Worker.template.spec.containers", REMOVED),
            f"spec.{SPECS[kind]}.Worker.template.spec.containers: Required value",
        )
        for kind in SPECS
    ),
    (spoilt(a_job("MXJob"), "spec.jobMode", REMOVED), "spec.jobMode: Required value"),
    (spoilt(a_job("PyTorchJob"), f"{SPELLED}.0.name", REMOVED), f"{SPELLED}[0].name: Required value"),
    (
        spoilt(a_job("PyTorchJob"), f"{SPELLED}.0.resources", {"limits": {"cpu": "much"}}),
        f"{SPELLED}[0].resources.limits.cpu: Invalid value",
    ),
    (
        spoilt(a_job("PyTorchJob"), "spec.pytorchReplicaSpecs.Worker.replicas", "two"),
        "spec.pytorchReplicaSpecs.Worker.replicas: Invalid value",
    ),
    (
        spoilt(a_job("PyTorchJob"), f"{SPELLED}.0.env", [{"name": "A"}, {"name": "A"}]),
        f"{SPELLED}[0].env[1]: Duplicate value",
    ),
    (an_mpi2_job(mpiImplementation="LAM"), "spec.mpiImplementation: Unsupported value"),
    (an_mpi2_job(launcherCreationPolicy="Never"), "spec.launcherCreationPolicy: Unsupported value"),
]


@pytest.mark.parametrize(("job", "told"), BY_SCHEMA, ids=[f"{job['kind']} {told}" for job, told in BY_SCHEMA])
def test_what_the_schema_does_not_allow_is_invalid(server: Windlass, job: Any, told: str) -> None:
    answer = create(server, job)

    assert answer.status == 422, answer.body
    assert answer.json()["reason"] == "Invalid"
    assert answer.json()["message"].startswith(f'{job["kind"]}.kubeflow.org "demo" is invalid: ')
    assert told in answer.json()["message"]


def worker(kind: str, field: str) -> str:
    return f"spec.{SPECS[kind]}.Worker.{field}"


BY_RULE: list[tuple[Any, str]] = [
    *(
        (a_job(kind, name="1demo"), 'metadata.name: Invalid value: "1demo": should match: ')
        for kind in ("TFJob", "PyTorchJob", "XGBoostJob", "PaddleJob", "JAXJob", "MXJob")
    ),
    *((a_job(kind, name="n" * 58), "metadata.name: Invalid value: ") for kind in SPECS),
    *(
        (spoilt(a_job(kind), f"spec.{SPECS[kind]}.Foo", a_role()), f'spec.{SPECS[kind]}[Foo]: Unsupported value: "Foo"')
        for kind in SPECS
    ),
    *(
        (spoilt(a_job(kind), f"spec.{SPECS[kind]}.WORKER", a_role()), f"spec.{SPECS[kind]}[WORKER]: Duplicate value")
        for kind in SPECS
    ),
    *((spoilt(a_job(kind), f"spec.{SPECS[kind]}", {}), f"spec.{SPECS[kind]}: Required value") for kind in SPECS),
    *(
        (
            spoilt(a_job(kind), worker(kind, "template.spec.containers"), []),
            f"spec.{SPECS[kind]}[Worker].template.spec.containers: Required value: must be specified",
        )
        for kind in SPECS
    ),
    *(
        (
            spoilt(a_job(kind), worker(kind, "template.spec.containers.0.image"), REMOVED),
            f"spec.{SPECS[kind]}[Worker].template.spec.containers[0].image: Required value",
        )
        for kind in SPECS
    ),
    *(
        (
            spoilt(a_job(kind), worker(kind, "template.spec.containers.0.name"), "other"),
            f"spec.{SPECS[kind]}[Worker].template.spec.containers: Required value: must have at least one container",
        )
        for kind in SPECS
        if kind != "MPIJob"
    ),
    *(
        (
            spoilt(a_job(kind), worker(kind, "restartPolicy"), "Sometimes"),
            f"spec.{SPECS[kind]}[Worker].restartPolicy: Unsupported value",
        )
        for kind in SPECS
    ),
    *(
        (a_job(kind, runPolicy={"cleanPodPolicy": "Some"}), "spec.runPolicy.cleanPodPolicy: Unsupported value")
        for kind in SPECS
    ),
    *((a_job(kind, runPolicy={"managedBy": "me"}), "spec.runPolicy.managedBy: Unsupported value") for kind in SPECS),
    *((a_job(kind, backoffLimit=-1), "spec.backoffLimit: Invalid value: -1") for kind in SPECS),
    (a_job("TFJob", "Chief", "Master"), "spec.tfReplicaSpecs: Forbidden: must not have more than 1 Chief or Master"),
    (a_job("TFJob", successPolicy="Most"), "spec.successPolicy: Unsupported value"),
    (
        spoilt(a_job("PyTorchJob", "Master"), "spec.pytorchReplicaSpecs.Master.replicas", 2),
        "spec.pytorchReplicaSpecs[Master].replicas: Forbidden: must be 1",
    ),
    (
        spoilt(a_job("PyTorchJob"), worker("PyTorchJob", "replicas"), 0),
        "spec.pytorchReplicaSpecs[Worker].replicas: Forbidden: must be at least 1",
    ),
    (
        a_job("PyTorchJob", "Master", elasticPolicy={}),
        "spec.pytorchReplicaSpecs[Worker]: Required value: must be configured if elastic policy is used",
    ),
    (
        a_job("PyTorchJob", nprocPerNode="2", elasticPolicy={"nProcPerNode": 2}),
        "spec.elasticPolicy.nProcPerNode: Forbidden",
    ),
    (
        spoilt(a_job("XGBoostJob"), "spec.xgbReplicaSpecs.Master.replicas", 2),
        "spec.xgbReplicaSpecs[Master].replicas: Forbidden: must be 1",
    ),
    (a_job("XGBoostJob", "Worker"), "spec.xgbReplicaSpecs[Master]: Required value"),
    (a_job("MXJob", jobMode="Play"), "spec.jobMode: Unsupported value"),
    (a_job("MPIJob", "Worker"), "spec.mpiReplicaSpecs[Launcher]: Required value"),
    (
        spoilt(a_job("MPIJob"), "spec.mpiReplicaSpecs.Launcher.replicas", 2),
        "spec.mpiReplicaSpecs[Launcher].replicas: Forbidden: must be 1",
    ),
    (an_mpi2_job(name="n" * 56), "metadata.name: Invalid value: "),
    (spoilt(an_mpi2_job(), "spec.mpiReplicaSpecs.Launcher", REMOVED), "spec.mpiReplicaSpecs[Launcher]: Required value"),
    (
        spoilt(an_mpi2_job(), worker("MPIJob", "replicas"), REMOVED),
        "spec.mpiReplicaSpecs[Worker].replicas: Invalid value: 0: must be greater than or equal to 1",
    ),
    (
        spoilt(an_mpi2_job(), worker("MPIJob", "restartPolicy"), "ExitCode"),
        "spec.mpiReplicaSpecs[Worker].restartPolicy: Unsupported value",
    ),
    (an_mpi2_job(slotsPerWorker=-1), "spec.slotsPerWorker: Invalid value: -1"),
    (an_mpi2_job(runPolicy={"backoffLimit": -1}), "spec.runPolicy.backoffLimit: Invalid value: -1"),
    (an_mpi2_job(runPolicy={"ttlSecondsAfterFinished": -1}), "spec.runPolicy.ttlSecondsAfterFinished: Invalid value"),
    (an_mpi2_job(runPolicy={"activeDeadlineSeconds": -1}), "spec.runPolicy.activeDeadlineSeconds: Invalid value"),
    (an_mpi2_job(runPolicy={"cleanPodPolicy": "Some"}), "spec.runPolicy.cleanPodPolicy: Unsupported value"),
    (
        spoilt(a_chainer_job(), "spec.master.template.spec.containers.0.image", ""),
        "spec.master.template.spec.containers[0].image: Required value",
    ),
    (a_job("TFJob", version="v1beta1", cleanPodPolicy="Some"), "cleanPodPolicy: Unsupported value"),
]


@pytest.mark.parametrize(("job", "told"), BY_RULE, ids=[f"{job['kind']} {told}" for job, told in BY_RULE])
def test_what_the_operator_does_not_allow_is_forbidden(server: Windlass, job: Any, told: str) -> None:
    answer = create(server, job)

    assert answer.status == 403, answer.body
    status = answer.json()
    webhook = f"validator.{job['kind'].lower()}.training-operator.kubeflow.org"
    assert status["reason"] == "Forbidden"
    assert status["message"].startswith(f'admission webhook "{webhook}" denied the request: ')
    assert told in status["message"]


def test_an_old_version_that_v1_has_no_words_for_is_invalid(server: Windlass) -> None:
    replicas = [{"tfReplicaType": role, "template": a_role("tensorflow")["template"]} for role in ("PS", "PS")]
    job = {**a_job("TFJob", version="v1alpha1"), "spec": {"replicaSpecs": replicas}}

    answer = create(server, job)

    assert answer.status == 422, answer.body
    assert "spec.replicaSpecs[1].tfReplicaType: Duplicate value" in answer.json()["message"]


@pytest.mark.parametrize("kind", SPECS)
def test_unknown_fields_are_refused_warned_of_or_dropped(server: Windlass, kind: str) -> None:
    job = spoilt(a_job(kind), "spec.colour", "red")
    job = spoilt(job, worker(kind, "template.spec.containers.0.imagePolicy"), "Always")
    inner = f"spec.{SPECS[kind]}.Worker.template.spec.containers[0].imagePolicy"

    strict, warned, silent = (
        create(server, job, f"dryRun=All&fieldValidation={how}") for how in ("Strict", "Warn", "Ignore")
    )

    assert (strict.status, strict.json()["reason"]) == (400, "BadRequest")
    for field in ("spec.colour", inner):
        assert f'unknown field "{field}"' in strict.json()["message"]
        assert any(f'unknown field \\"{field}\\"' in line for line in warned.warnings)
    assert silent.warnings == []
    for accepted in (warned, silent):
        assert accepted.status == 201
        assert "colour" not in accepted.json()["spec"]
        container = accepted.json()["spec"][SPECS[kind]]["Worker"]["template"]["spec"]["containers"][0]
        assert "imagePolicy" not in container


@pytest.mark.kubectl
def test_kubectl_tells_all_that_is_wrong_at_once(kubectl: Shell) -> None:
    job = a_job("PyTorchJob", "Master", "Worker", runPolicy={"cleanPodPolicy": "x"})
    job = spoilt(job, "spec.pytorchReplicaSpecs.Master.replicas", 3)

    said = kubectl.fails("create -f -", json.dumps(job))

    assert "Error from server (Forbidden)" in said
    assert 'admission webhook "validator.pytorchjob.training-operator.kubeflow.org" denied the request: [' in said
    assert 'spec.runPolicy.cleanPodPolicy: Unsupported value: "x"' in said
    assert "spec.pytorchReplicaSpecs[Master].replicas: Forbidden: must be 1]" in said


@pytest.mark.kubectl
def test_kubectl_warns_of_what_has_no_effect(kubectl: Shell) -> None:
    job = spoilt(a_job("TFJob"), worker("TFJob", "template.spec.restartPolicy"), "Always")
    elastic = a_job("PyTorchJob", elasticPolicy={"nProcPerNode": 2})

    overwritten = kubectl.warns("create -f -", json.dumps(job))
    deprecated = kubectl.warns("create -f -", json.dumps(elastic))

    assert overwritten == (
        "Warning: spec.tfReplicaSpecs[Worker].template.spec.restartPolicy: "
        "Always is overwritten by the replica's default restart policy, Never"
    )
    assert deprecated == "Warning: spec.elasticPolicy.nProcPerNode is deprecated, use spec.nprocPerNode instead"


@pytest.mark.kubectl
def test_the_queue_and_the_manager_of_a_job_stay(kubectl: Shell) -> None:
    policy = {"suspend": True, "managedBy": "kueue.x-k8s.io/multikueue", "schedulingPolicy": {"queue": "first"}}
    kubectl("create -f -", json.dumps(a_job("JAXJob", runPolicy=policy)))

    queue = kubectl.fails(
        """patch jaxjob demo --type=merge -p '{"spec":{"runPolicy":{"schedulingPolicy":{"queue":"b"}}}}'"""
    )
    manager = kubectl.fails("""patch jaxjob demo --type=merge -p '{"spec":{"runPolicy":{"managedBy":null}}}'""")

    assert "spec.runPolicy.schedulingPolicy.queue is immutable" in queue
    assert "spec.runPolicy.managedBy: Invalid value: null: field is immutable" in manager


@pytest.mark.kubectl
def test_what_is_listed_and_explained(kubectl: Shell) -> None:
    kubectl("create -f -", json.dumps(a_job("TFJob", runPolicy={"managedBy": "kueue.x-k8s.io/multikueue"})))
    conditions = [{"type": kind, "status": "True"} for kind in ("Created", "Running")]
    kubectl.set_status("tfjob/demo", {"conditions": conditions})

    (header, row) = kubectl.rows("get tfjobs")

    assert header == ["NAME", "STATE", "AGE"]
    assert row[:2] == ["demo", "Running"]
    assert kubectl.rows("get tfjobs.v1beta1.kubeflow.org")[1][:2] == ["demo", "Running"]
    for name in ("chj", "chjs", "chjob", "chjobs"):
        assert kubectl(f"get {name}") == ""
    assert "tfReplicaSpecs" in kubectl("explain tfjob.spec")
    assert "Container image name" in kubectl("explain tfjob.spec.tfReplicaSpecs.template.spec.containers.image")


@pytest.mark.kubectl
@pytest.mark.parametrize("kind", ["PyTorchJob", "PaddleJob", "JAXJob"])
def test_workers_are_scaled_by_kubectl(kubectl: Shell, kind: str) -> None:
    kubectl("create -f -", json.dumps(a_job(kind, runPolicy={"managedBy": "kueue.x-k8s.io/multikueue"})))

    kubectl(f"scale {kind.lower()} demo --replicas=3")

    assert kubectl.json(f"get {kind.lower()} demo")["spec"][SPECS[kind]]["Worker"]["replicas"] == 3


@pytest.mark.kubectl
def test_gangs_and_queues_are_volcanos_unless_another_group_is_named(kubectl: Shell) -> None:
    eventually(lambda: ["default", "root"] in kubectl.rows("get queues"), 60, "the first queue")
    eventually(lambda: kubectl("get queue default -o jsonpath={.status.state}") == "Open", 60, "it is open")
    assert kubectl.json("get queue default")["apiVersion"] == "scheduling.volcano.sh/v1beta1"
    for group in ("scheduling.x-k8s.io", "scheduling.incubator.k8s.io"):
        assert kubectl(f"get podgroups.{group}") == ""
