"""What is refused of a training job, field by field, in upstream's words."""

from typing import Any

import pytest

from tests.apis.verdicts import FakeFacts, judged
from tests.apps.trainer.runtime_builders import BUILT_IN, a_job, a_patch, a_runtime, replicated
from windlass.apps.jobset.kinds import JobSet
from windlass.apps.trainer.kinds import ClusterTrainingRuntime, TrainingRuntime

NEVER_CHANGED = "RuntimePatches can only be modified when the TrainJob is suspended before or after the update"
NO_ENV = "must not have envs for the dataset-initializer, model-initializer, node containers"
NO_JOB = "must not have replicated job that doesn't exist in the runtime job template"
DATA = {"dataset": {"storageUri": "hf://a/b"}}
PLAIN = a_runtime()
TORCH, MPI, XGBOOST, JAX = a_runtime(torch={}), a_runtime(mpi={}), a_runtime(xgboost={}), a_runtime(jax={})


def refusal(job: Any, runtime: Any = PLAIN, old: Any = None, job_set: Any = None) -> str:
    return judged("TrainJob", job, old, facts_of(job, runtime, job_set))[0]


def facts_of(job: Any, runtime: Any, job_set: Any = None) -> FakeFacts:
    """A cluster that has the runtime that the job names, and its JobSet."""
    name = job["spec"]["runtimeRef"]["name"]
    kind = TrainingRuntime if job["spec"]["runtimeRef"].get("kind") == "TrainingRuntime" else ClusterTrainingRuntime
    runtimes = {(kind, "default" if kind is TrainingRuntime else "", name): runtime} if runtime is not None else {}
    return FakeFacts(runtimes | ({(JobSet, "default", "job"): job_set} if job_set is not None else {}))


def env(*names: str) -> Any:
    return {"env": [{"name": name, "value": "1"} for name in names]}


def initializing(mounts: tuple[str, ...] = (), container: str = "dataset-initializer") -> Any:
    job = replicated("dataset-initializer", "dataset-initializer", container)
    first = job["template"]["spec"]["template"]["spec"]["containers"][0]
    first["volumeMounts"] = [{"name": name, "mountPath": "/workspace"} for name in mounts]
    return a_runtime(job, replicated("node", "trainer", "node"))


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_job_of_a_runtime_that_comes_with_windlass_is_fine(name: str) -> None:
    job = a_job(name, trainer={"numNodes": 2, "numProcPerNode": 1, **env("MINE")})

    assert refusal(job, BUILT_IN[name]) == ""


REFUSED: list[tuple[str, Any, Any, str]] = [
    # what, runtime, job, what is said of it
    ("torch", TORCH, a_job(trainer=env("PET_NNODES", "MINE", "PET_MASTER_ADDR")),
     "spec.trainer.env: Invalid value: [{\"name\":\"PET_NNODES\",\"value\":\"1\"},{\"name\":\"MINE\",\"value\":\"1\"},"
     "{\"name\":\"PET_MASTER_ADDR\",\"value\":\"1\"}]: must not have reserved envs, invalid envs configured: "
     "[PET_MASTER_ADDR PET_NNODES]"),
    ("xgboost", XGBOOST, a_job(trainer=env("MINE", "DMLC_TASK_ID")),
     "spec.trainer.env[1]: Forbidden: DMLC_TASK_ID is reserved for the XGBoost runtime"),
    ("mpi", MPI, a_job(trainer=env("OMPI_MCA_plm_rsh_args")),
     "spec.trainer.env[0]: Forbidden: OMPI_MCA_plm_rsh_args is reserved for the MPI runtime"),
    ("jax", JAX, a_job(trainer=env("JAX_PROCESS_ID")), ""),
    ("none", PLAIN, a_job(trainer=env("PET_NNODES", "DMLC_TASK_ID")), ""),
    ("launcher", a_runtime(mpi={"runLauncherAsNode": True}), a_job(trainer={"numNodes": 2}),
     "spec.trainer.numNodes: Invalid value: 2: must have 1 when MPI trainingRuntime with enabled runLauncherAsNode "
     "does not have either launcher and node"),
    ("launcher alone", a_runtime(mpi={"runLauncherAsNode": True}), a_job(trainer={"numNodes": 1}), ""),
    ("no nodes", TORCH, a_job(trainer={"numNodes": 0}),
     "spec.trainer.numNodes: Invalid value: 0: must be greater than or equal to 1"),
    ("too many nodes", TORCH, a_job(trainer={"numNodes": 10001}),
     "spec.trainer.numNodes: Invalid value: 10001: must be less than or equal to 10000"),
    ("no processes", TORCH, a_job(trainer={"numProcPerNode": -1}),
     "spec.trainer.numProcPerNode: Invalid value: -1: must be greater than or equal to 1"),
    ("manager", PLAIN, a_job(patches=[a_patch(manager="me")]),
     "spec.runtimePatches.manager: Invalid value: \"me\": must be a domain-prefixed path (such as \"acme.io/foo\")"),
]  # fmt: skip


@pytest.mark.parametrize(("runtime", "job", "told"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_a_field_is_refused_by_its_name(runtime: Any, job: Any, told: str) -> None:
    assert refusal(job, runtime) == told


@pytest.mark.parametrize(
    ("runtime", "why"),
    [
        (PLAIN, "must have dataset-initializer job when trainJob is configured with input datasetConfig"),
        (initializing(container="other"), "must have container with name - dataset-initializer in the "
         "dataset-initializer job"),
        (initializing(("data",)), "must have volumeMount with name - initializer in container dataset-initializer of "
         "the dataset-initializer job"),
        (initializing(("data", "initializer")), ""),
        (BUILT_IN["torchtune-llama3.2-1b"], ""),
    ],
)  # fmt: skip
def test_what_is_fetched_first_needs_a_job_that_fetches_it(runtime: Any, why: str) -> None:
    found = refusal(a_job(initializer=DATA), runtime)

    assert found.startswith("spec.runtimeRef: Invalid value: {") == bool(why)
    assert found.endswith(f"}}: {why}" if why else "")


def test_a_model_needs_a_job_of_its_own() -> None:
    found = refusal(a_job(initializer={"model": {}}), initializing(("initializer",)))

    assert found.endswith(": must have model-initializer job when trainJob is configured with input modelConfig")


@pytest.mark.parametrize(
    ("patch", "why"),
    [
        (a_patch("other"), NO_JOB),
        (
            a_patch(initContainers=[{"name": "x"}]),
            "must not have initContainer that doesn't exist in the runtime job node",
        ),
        (a_patch(containers=[{"name": "x"}]), "must not have container that doesn't exist in the runtime job node"),
        (a_patch(containers=[{"name": "node", **env("A")}]), NO_ENV),
        (a_patch(containers=[{"name": "node"}], nodeSelector={"a": "b"}), ""),
        ({"manager": "example.org/me"}, ""),
    ],
)
def test_a_patch_changes_what_the_runtime_has(patch: Any, why: str) -> None:
    found = refusal(a_job(patches=[patch]))

    assert found.startswith("spec.runtimePatches: Invalid value: [{") == bool(why)
    assert found.endswith(f"]: {why}" if why else "")


@pytest.mark.parametrize(
    ("before", "after", "active", "told"),
    [
        (False, False, 0, f"spec.runtimePatches: Forbidden: {NEVER_CHANGED}"),
        (True, False, 0, ""),
        (False, True, 0, ""),
        (True, True, 0, ""),
        (True, True, 2, "spec.runtimePatches: Forbidden: RuntimePatches cannot be modified when the JobSet's "
         "ReplicatedJob node is still active"),
    ],
)  # fmt: skip
def test_patches_change_while_a_job_rests(before: bool, after: bool, active: int, told: str) -> None:
    old, job = a_job(suspend=before), a_job(suspend=after, patches=[a_patch(nodeSelector={"a": "b"})])
    job_set = {"status": {"replicatedJobsStatus": [{"name": "node", "active": active}, {"name": "launcher"}]}}

    assert refusal(job, old=old, job_set=job_set) == told


@pytest.mark.parametrize(
    ("ref", "told"),
    [
        ({"kind": "ClusterTrainingRuntime"}, 'spec.RuntimeRef: Invalid value: {}: ClusterTrainingRuntime.'
         'trainer.kubeflow.org "lost" not found: specified clusterTrainingRuntime must be created before the TrainJob '
         'is created'),
        ({"kind": "TrainingRuntime"}, 'spec.runtimeRef: Invalid value: {}: TrainingRuntime.trainer.kubeflow.org '
         '"lost" not found: specified trainingRuntime must be created before the TrainJob is created'),
        ({"kind": "Recipe"}, "unsupported runtime: Recipe.trainer.kubeflow.org"),
        ({"apiGroup": "", "kind": "TrainingRuntime"}, "unsupported runtime: TrainingRuntime"),
    ],
)  # fmt: skip
def test_there_is_the_runtime_that_a_job_names(ref: Any, told: str) -> None:
    job = a_job("lost")
    job["spec"]["runtimeRef"] |= ref
    shown = '{{"name":"lost","apiGroup":"{apiGroup}","kind":"{kind}"}}'.format(**job["spec"]["runtimeRef"])

    assert refusal(job, None) == told.replace("{}", shown)


def test_a_job_whose_runtime_is_gone_may_rest_and_be_marked_but_not_be_patched() -> None:
    old = a_job("lost")

    assert refusal({**old, "metadata": {"labels": {"a": "b"}}}, None, old) == ""
    assert refusal(a_job("lost", suspend=True), None, old) == ""
    assert "must be created before" in refusal(a_job("lost", suspend=True, patches=[a_patch()]), None, old)


def test_all_that_is_wrong_is_said_at_once() -> None:
    job = a_job(trainer={"numNodes": 0}, patches=[a_patch("x"), a_patch("y", "example.org/you")], initializer=DATA)

    told = refusal(job, TORCH)

    assert told.startswith("[spec.runtimeRef: ")
    assert told.count(NO_JOB) == 1
    assert told.endswith(", spec.trainer.numNodes: Invalid value: 0: must be greater than or equal to 1]")


@pytest.mark.parametrize(
    ("runtime", "trainer", "told"),
    [
        ("torchtune-llama3.2-1b", {}, []),
        ("torchtune-llama9-9b", {}, ["spec.runtimeRef.name", "invalid model configured: llama9/9B"]),
        ("torchtune-llama3.2-1b", {"numNodes": 2}, ["spec.trainer.numNodes", "must be 1 for llama3_2/1B model"]),
        ("torchtune-llama3.3-70b", {"numNodes": 2}, []),
        ("torchtune-llama3.3-70b", {"numNodes": 2, "args": ["model.lora_attn_modules=[q_proj]"]},
         ["spec.trainer.numNodes: Invalid value: 2: LoRA fine-tuning is not supported for multi-node training"]),
        ("torchtune-llama3.2-1b", {"args": ["seed=1", "output_dir=/x"]},
         ['spec.trainer.args[1]: Invalid value: "output_dir=/x": must not set immutable config "output_dir"']),
        ("torchtune-qwen2.5-1.5b", {"args": ["model.quantize_base=True"], "numProcPerNode": 1},
         ["spec.runtimeRef.name", "QLoRA is not supported for qwen2_5/1.5B model"]),
        ("torchtune-llama3.2-3b", {"args": ["model.quantize_base=True"]},
         ['spec.trainer.numProcPerNode: Invalid value: "auto": must be auto or 1 for llama3_2/3B model when using',
          "spec.trainer.resourcesPerNode: Invalid value: null: must have gpu resource with value 1 for llama3_2/3B"]),
        ("torchtune-llama3.2-3b",
         {"args": ["model.quantize_base=True"], "resourcesPerNode": {"limits": {"nvidia.com/gpu": 1}}}, []),
        ("torchtune-llama3.2-3b", {"args": ["model.quantize_base=True", "model.use_dora=True"]}, []),
    ],
)  # fmt: skip
def test_torchtune_is_asked_only_what_it_can_do(runtime: str, trainer: Any, told: list[str]) -> None:
    job = a_job(runtime, trainer={"command": ["tune", "run"], **trainer})

    found = refusal(job, BUILT_IN.get(runtime, BUILT_IN["torchtune-llama3.2-1b"]))

    assert bool(found) == bool(told)
    for part in told:
        assert part in found


def test_a_job_of_a_deprecated_runtime_is_warned() -> None:
    runtime = a_runtime(labels={"trainer.kubeflow.org/support": "deprecated"})
    job = a_job()

    (told,) = judged("TrainJob", job, None, facts_of(job, runtime))[1]

    assert told.startswith('Referenced ClusterTrainingRuntime "mine" is deprecated and will be removed in a future ')
    assert judged("TrainJob", job, job, facts_of(job, runtime))[1] == []
    assert judged("TrainJob", job, None, facts_of(job, PLAIN))[1] == []
