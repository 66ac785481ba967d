"""What is wrong with a training job: every rule, by the field that it names."""

from typing import Any

import pytest

from tests.apps.training.job_builders import REMOVED, SPECS, a_chainer_job, a_job, a_role, spoilt
from windlass.apis.bounds import MAX_INDEXED_PODS
from windlass.apps.training.frameworks import FRAMEWORKS
from windlass.apps.training.validation import problems, warnings

CREATED_AS_SSH = {"training.windlass.dev/created-as": "v2beta1"}


def told(job: Any, old: Any = None) -> list[str]:
    return [f"{cause.field}: {cause.message}" for cause in problems(job, old)]


def an_mpi2_job(**more: Any) -> Any:
    return a_job("MPIJob", version="v2beta1", **more)


ALL = [*(a_job(kind) for kind in SPECS), an_mpi2_job(), a_chainer_job(ws={"template": a_role()["template"]})]
V1 = sorted(SPECS)
NAMED = ["TFJob", "PyTorchJob", "XGBoostJob", "PaddleJob", "JAXJob", "MXJob"]


def test_every_framework_is_checked_here() -> None:
    assert {framework.name for framework in FRAMEWORKS} == set(SPECS)
    assert {framework.name: framework.specs_field for framework in FRAMEWORKS} == SPECS


@pytest.mark.parametrize("job", ALL, ids=lambda job: f"{job['kind']}-{job['apiVersion']}")
def test_nothing_is_wrong_with_the_least_that_a_kind_needs(job: Any) -> None:
    assert told(job) == []
    assert warnings(job) == []


def test_a_kind_that_is_not_ours_is_not_looked_at() -> None:
    assert problems({"kind": "Notebook", "spec": {}}, None) == []
    assert warnings({"kind": "Notebook", "spec": {}}) == []


@pytest.mark.parametrize("kind", NAMED)
def test_a_name_that_no_service_may_have_is_refused(kind: str) -> None:
    for name in ("1demo", "Demo", "de.mo", "-demo"):
        (found,) = told(a_job(kind, name=name))
        assert found.startswith(f'metadata.name: Invalid value: "{name}": should match: ')


@pytest.mark.parametrize("kind", V1)
def test_a_name_that_makes_a_pods_name_too_long_is_refused_and_the_pod_named(kind: str) -> None:
    suffix = "-worker-1000"
    short = a_job(kind, name="n" * (63 - len(suffix)))
    fits = spoilt(short, f"spec.{SPECS[kind]}.Worker.replicas", 1001)
    long = spoilt(fits, "metadata.name", "n" * (64 - len(suffix)))

    assert told(fits) == []
    (found,) = told(long)
    assert found.startswith("metadata.name: Invalid value: ")
    longest = "-scheduler-0" if kind == "MXJob" else suffix  # as long, and before it
    assert f"its pod name {'n' * (64 - len(suffix))}{longest} has 64 characters" in found


@pytest.mark.parametrize("kind", V1)
def test_more_pods_than_one_job_may_have_are_refused(kind: str) -> None:
    at = f"spec.{SPECS[kind]}"
    (found,) = told(spoilt(a_job(kind), f"{at}.Worker.replicas", MAX_INDEXED_PODS + 1))

    assert found == f"{at}[Worker].replicas: Invalid value: 10001: must be less than or equal to 10000"


def test_a_chainer_job_must_have_pod_templates() -> None:
    job = a_chainer_job(ws={"template": {"spec": {"containers": [{"image": "x"}], "initContainers": [5]}}})

    (found,) = told(job)

    assert found.startswith("spec.workerSets[ws].template: Invalid value: ")
    assert "cannot unmarshal number" in found


@pytest.mark.parametrize("kind", V1)
def test_an_unknown_replica_type_is_refused(kind: str) -> None:
    job = a_job(kind)
    container = next(iter(job["spec"][SPECS[kind]].values()))["template"]["spec"]["containers"][0]["name"]
    job["spec"][SPECS[kind]]["Foo"] = a_role(container)

    (found,) = told(job)

    assert found.startswith(f'spec.{SPECS[kind]}[Foo]: Unsupported value: "Foo": supported values: ')
    assert '"Worker"' in found


@pytest.mark.parametrize("kind", V1)
def test_replica_types_may_be_written_in_any_case_but_not_twice(kind: str) -> None:
    job = a_job(kind)
    replicas = job["spec"][SPECS[kind]]
    replicas["WORKER"] = replicas.pop("Worker")
    assert told(job) == []

    replicas["worker"] = replicas["WORKER"]
    assert told(job) == [f'spec.{SPECS[kind]}[worker]: Duplicate value: "worker"']


@pytest.mark.parametrize("kind", V1)
def test_a_job_without_any_replica_type_is_refused(kind: str) -> None:
    assert told(spoilt(a_job(kind), f"spec.{SPECS[kind]}", {})) == [
        f"spec.{SPECS[kind]}: Required value: must be specified"
    ]


@pytest.mark.parametrize("kind", V1)
def test_a_replica_needs_containers_that_have_images(kind: str) -> None:
    job, at = a_job(kind), f"spec.{SPECS[kind]}.Worker.template.spec.containers"
    shown = f"spec.{SPECS[kind]}[Worker].template.spec.containers"

    assert told(spoilt(job, at, [])) == [f"{shown}: Required value: must be specified"]
    assert told(spoilt(job, f"{at}.0.image", "")) == [f"{shown}[0].image: Required value: must be required"]
    assert told(spoilt(job, f"{at}.0.image", REMOVED)) == [f"{shown}[0].image: Required value: must be required"]


@pytest.mark.parametrize("kind", NAMED)
def test_a_replica_needs_a_container_of_the_frameworks_name(kind: str) -> None:
    job = a_job(kind)
    wanted = job["spec"][SPECS[kind]]["Worker"]["template"]["spec"]["containers"][0]["name"]

    found = told(spoilt(job, f"spec.{SPECS[kind]}.Worker.template.spec.containers.0.name", "other"))

    shown = f"spec.{SPECS[kind]}[Worker].template.spec.containers"
    assert found == [f"{shown}: Required value: must have at least one container with name {wanted}"]


def test_containers_of_mpi_jobs_may_have_any_name() -> None:
    at = "spec.mpiReplicaSpecs.Worker.template.spec.containers.0.name"
    assert told(spoilt(a_job("MPIJob"), at, "other")) == []
    assert told(spoilt(an_mpi2_job(), at, "other")) == []


ANY_KIND: list[tuple[str, Any, str]] = [
    ("{specs}.Worker.restartPolicy", "Sometimes", '[Worker].restartPolicy: Unsupported value: "Sometimes"'),
    ("{specs}.Worker.replicas", -1, "[Worker].replicas: Invalid value: -1: must be greater than or equal to 0"),
    ("runPolicy.cleanPodPolicy", "Some", 'spec.runPolicy.cleanPodPolicy: Unsupported value: "Some"'),
    ("runPolicy.ttlSecondsAfterFinished", -1, "spec.runPolicy.ttlSecondsAfterFinished: Invalid value: -1"),
    ("runPolicy.activeDeadlineSeconds", -1, "spec.runPolicy.activeDeadlineSeconds: Invalid value: -1"),
    ("runPolicy.backoffLimit", -1, "spec.runPolicy.backoffLimit: Invalid value: -1"),
    ("runPolicy.schedulingPolicy.minAvailable", -1, "spec.runPolicy.schedulingPolicy.minAvailable: Invalid value: -1"),
    ("runPolicy.managedBy", "me", 'spec.runPolicy.managedBy: Unsupported value: "me"'),
]
BESIDE_THE_RUN_POLICY: list[tuple[str, Any, str]] = [
    ("cleanPodPolicy", "Some", 'spec.cleanPodPolicy: Unsupported value: "Some"'),
    ("ttlSecondsAfterFinished", -1, "spec.ttlSecondsAfterFinished: Invalid value: -1"),
    ("activeDeadlineSeconds", -1, "spec.activeDeadlineSeconds: Invalid value: -1"),
    ("backoffLimit", -1, "spec.backoffLimit: Invalid value: -1"),
]


@pytest.mark.parametrize("job", ALL[:-1], ids=lambda job: f"{job['kind']}-{job['apiVersion']}")
@pytest.mark.parametrize(("path", "value", "expected"), ANY_KIND + BESIDE_THE_RUN_POLICY)
def test_a_value_that_no_kind_knows_is_refused(job: Any, path: str, value: Any, expected: str) -> None:
    found = told(spoilt(job, f"spec.{path.format(specs=SPECS[job['kind']])}", value))

    assert any(expected in line for line in found), found


@pytest.mark.parametrize("kind", V1)
def test_values_that_every_kind_knows_are_accepted(kind: str) -> None:
    for policy in ("Always", "OnFailure", "Never", "ExitCode"):
        assert told(spoilt(a_job(kind), f"spec.{SPECS[kind]}.Worker.restartPolicy", policy)) == []
    for policy in ("None", "Running", "All"):
        assert told(a_job(kind, cleanPodPolicy=policy, runPolicy={"cleanPodPolicy": policy})) == []
    for manager in ("kubeflow.org/training-operator", "kueue.x-k8s.io/multikueue"):
        assert told(a_job(kind, runPolicy={"managedBy": manager})) == []


@pytest.mark.parametrize("kind", V1)
def test_who_manages_a_job_cannot_change(kind: str) -> None:
    ours = a_job(kind, runPolicy={"managedBy": "kubeflow.org/training-operator"})
    others = a_job(kind, runPolicy={"managedBy": "kueue.x-k8s.io/multikueue"})

    assert told(ours, others) == [
        'spec.runPolicy.managedBy: Invalid value: "kubeflow.org/training-operator": field is immutable'
    ]
    assert told(a_job(kind), others) == ["spec.runPolicy.managedBy: Invalid value: null: field is immutable"]


def test_an_update_that_leaves_the_spec_alone_is_not_looked_at() -> None:
    bad = a_job("TFJob", cleanPodPolicy="Some")

    assert problems(bad, bad) == []
    assert problems(spoilt(bad, "spec.backoffLimit", 1), bad) != []


KINDS: list[tuple[Any, str]] = [
    (
        a_job("TFJob", "Chief", "Master", "Worker"),
        "spec.tfReplicaSpecs: Forbidden: must not have more than 1 Chief or Master role",
    ),
    (
        a_job("TFJob", successPolicy="Most"),
        'spec.successPolicy: Unsupported value: "Most": supported values: "", "AllWorkers"',
    ),
    (
        spoilt(a_job("PyTorchJob", "Master"), "spec.pytorchReplicaSpecs.Master.replicas", 2),
        "spec.pytorchReplicaSpecs[Master].replicas: Forbidden: must be 1",
    ),
    (
        spoilt(a_job("PyTorchJob", "Master"), "spec.pytorchReplicaSpecs.Master.replicas", 0),
        "spec.pytorchReplicaSpecs[Master].replicas: Forbidden: must be 1",
    ),
    (
        spoilt(a_job("PyTorchJob", "Master", "Worker"), "spec.pytorchReplicaSpecs.Worker.replicas", 0),
        "spec.pytorchReplicaSpecs[Worker].replicas: Forbidden: must be at least 1",
    ),
    (
        a_job("PyTorchJob", "Master", elasticPolicy={"maxRestarts": 1}),
        "spec.pytorchReplicaSpecs[Worker]: Required value: must be configured if elastic policy is used",
    ),
    (
        a_job("PyTorchJob", nprocPerNode="2", elasticPolicy={"nProcPerNode": 2}),
        "spec.elasticPolicy.nProcPerNode: Forbidden: must not be used with spec.nprocPerNode",
    ),
    (
        a_job("PyTorchJob", elasticPolicy={"minReplicas": 3, "maxReplicas": 2}),
        "spec.elasticPolicy.minReplicas: Invalid value: 3: must not be greater than maxReplicas, which is 2",
    ),
    (
        a_job("PaddleJob", elasticPolicy={"maxReplicas": 0}),
        "spec.elasticPolicy.maxReplicas: Invalid value: 0: must be greater than or equal to 1",
    ),
    (
        spoilt(a_job("XGBoostJob"), "spec.xgbReplicaSpecs.Master.replicas", 2),
        "spec.xgbReplicaSpecs[Master].replicas: Forbidden: must be 1",
    ),
    (a_job("XGBoostJob", "Worker"), "spec.xgbReplicaSpecs[Master]: Required value: must be present"),
    (
        a_job("MXJob", jobMode="Play"),
        'spec.jobMode: Unsupported value: "Play": supported values: "MXTrain", "MXTune"',
    ),
    (a_job("MPIJob", "Worker"), "spec.mpiReplicaSpecs[Launcher]: Required value: must be present"),
    (
        spoilt(a_job("MPIJob"), "spec.mpiReplicaSpecs.Launcher.replicas", 2),
        "spec.mpiReplicaSpecs[Launcher].replicas: Forbidden: must be 1",
    ),
    (a_job("MPIJob", slotsPerWorker=-1), "spec.slotsPerWorker: Invalid value: -1: must be greater than or equal to 0"),
    (
        spoilt(an_mpi2_job(), "spec.mpiReplicaSpecs.Launcher", REMOVED),
        "spec.mpiReplicaSpecs[Launcher]: Required value: must be present",
    ),
    (
        spoilt(an_mpi2_job(), "spec.mpiReplicaSpecs.Launcher.replicas", 2),
        "spec.mpiReplicaSpecs[Launcher].replicas: Forbidden: must be 1",
    ),
    (
        spoilt(an_mpi2_job(), "spec.mpiReplicaSpecs.Worker.replicas", 0),
        "spec.mpiReplicaSpecs[Worker].replicas: Invalid value: 0: must be greater than or equal to 1",
    ),
    (
        spoilt(an_mpi2_job(), "spec.mpiReplicaSpecs.Worker.replicas", REMOVED),
        "spec.mpiReplicaSpecs[Worker].replicas: Invalid value: 0: must be greater than or equal to 1",
    ),
    (
        spoilt(an_mpi2_job(), "spec.mpiReplicaSpecs.Worker.restartPolicy", "ExitCode"),
        'spec.mpiReplicaSpecs[Worker].restartPolicy: Unsupported value: "ExitCode": '
        'supported values: "Never", "OnFailure"',
    ),
    (an_mpi2_job(slotsPerWorker=-1), "spec.slotsPerWorker: Invalid value: -1: must be greater than or equal to 0"),
    (
        an_mpi2_job(runPolicy={"managedBy": "kubeflow.org/training-operator"}),
        'spec.runPolicy.managedBy: Unsupported value: "kubeflow.org/training-operator": '
        'supported values: "kubeflow.org/mpi-operator", "kueue.x-k8s.io/multikueue"',
    ),
    (
        spoilt(a_chainer_job(), "spec.master.template.spec.containers", []),
        "spec.master.template.spec.containers: Required value: must be specified",
    ),
    (
        spoilt(a_chainer_job(), "spec.master.template.spec.containers.0.image", ""),
        "spec.master.template.spec.containers[0].image: Required value: must be required",
    ),
    (
        a_chainer_job(ws={"replicas": -1, "template": a_role()["template"]}),
        "spec.workerSets[ws].replicas: Invalid value: -1: must be greater than or equal to 0",
    ),
    (
        a_chainer_job(ws={"template": {}}),
        "spec.workerSets[ws].template.spec.containers: Required value: must be specified",
    ),
]


@pytest.mark.parametrize(("job", "expected"), KINDS, ids=[expected.split(": ")[0] for _, expected in KINDS])
def test_what_single_kinds_refuse(job: Any, expected: str) -> None:
    assert told(job) == [expected]


@pytest.mark.parametrize(
    ("kind", "role"), [("PyTorchJob", "Master"), ("XGBoostJob", "Master"), ("MPIJob", "Launcher"), ("TFJob", "PS")]
)
def test_a_number_of_replicas_that_is_left_out_is_one(kind: str, role: str) -> None:
    roles = {role, "Worker"} if kind != "MPIJob" else {"Launcher", "Worker"}

    assert told(spoilt(a_job(kind, *sorted(roles)), f"spec.{SPECS[kind]}.{role}.replicas", REMOVED)) == []


def test_a_chainer_jobs_longest_pod_name_is_looked_at() -> None:
    template = a_role()["template"]
    (found,) = told(a_chainer_job("n" * 50, workers={"replicas": 2, "template": template}))

    assert "-workerset-workers-1 has 70 characters" in found


@pytest.mark.parametrize("name", ["n" * 55, "1demo"])
def test_an_mpi_job_by_ssh_is_judged_by_the_name_of_its_last_worker(name: str) -> None:
    (found,) = told(an_mpi2_job(name=name))

    assert found.startswith(
        f'metadata.name: Invalid value: "{name}": will not be able to create the pod {name}-worker-0'
    )


def test_which_rules_an_mpi_job_has_depends_on_how_it_was_created() -> None:
    by_ssh = spoilt(a_job("MPIJob"), "metadata.annotations", CREATED_AS_SSH)
    by_exec = spoilt(an_mpi2_job(), "metadata.annotations", {"training.windlass.dev/created-as": "v1"})
    for job, refused in ((by_ssh, True), (by_exec, False)):
        found = told(spoilt(job, "spec.mpiReplicaSpecs.Worker.restartPolicy", "ExitCode"))
        assert bool(found) == refused


def test_all_that_is_wrong_is_told_at_once() -> None:
    job = a_job("PyTorchJob", "Master", "Worker", name="1demo", runPolicy={"cleanPodPolicy": "x", "managedBy": "y"})
    job = spoilt(job, "spec.pytorchReplicaSpecs.Master.replicas", 3)
    job = spoilt(job, "spec.pytorchReplicaSpecs.Worker.template.spec.containers.0.image", "")

    assert [line.split(": ")[0] for line in told(job)] == [
        "metadata.name",
        "spec.pytorchReplicaSpecs[Worker].template.spec.containers[0].image",
        "spec.runPolicy.cleanPodPolicy",
        "spec.runPolicy.managedBy",
        "spec.pytorchReplicaSpecs[Master].replicas",
    ]


def test_even_json_of_the_wrong_types_is_answered() -> None:
    for path, value in (("spec", []), ("spec.tfReplicaSpecs", "x"), ("spec.tfReplicaSpecs.Worker", None)):
        assert told(spoilt(a_job("TFJob"), path, value))


# warnings


@pytest.mark.parametrize(
    ("kind", "own", "used"),
    [
        ("TFJob", {}, "default restart policy, Never"),
        ("PyTorchJob", {}, "default restart policy, OnFailure"),
        ("TFJob", {"restartPolicy": "ExitCode"}, "restartPolicy, ExitCode"),
    ],
)
def test_a_restart_policy_in_a_template_is_warned_of(kind: str, own: Any, used: str) -> None:
    job = spoilt(a_job(kind), f"spec.{SPECS[kind]}.Worker.template.spec.restartPolicy", "Always")
    job["spec"][SPECS[kind]]["Worker"].update(own)

    assert warnings(job) == [
        f"spec.{SPECS[kind]}[Worker].template.spec.restartPolicy: Always is overwritten by the replica's {used}"
    ]


def test_fields_without_effect_are_warned_of() -> None:
    both = a_job("TFJob", cleanPodPolicy="All", runPolicy={"cleanPodPolicy": "None"})
    processes = a_job("PyTorchJob", elasticPolicy={"nProcPerNode": 2})
    metrics = a_job("PaddleJob", elasticPolicy={"metrics": [{"type": "Resource"}]})

    assert warnings(both) == ["spec.cleanPodPolicy: spec.runPolicy.cleanPodPolicy is used instead"]
    assert warnings(processes) == ["spec.elasticPolicy.nProcPerNode is deprecated, use spec.nprocPerNode instead"]
    assert warnings(metrics) == [
        "spec.elasticPolicy.metrics: has no effect, the number of workers of a PaddleJob is fixed"
    ]
