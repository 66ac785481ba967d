"""A job's JobSet, from its runtime and from what it says itself."""

from typing import Any

import pytest

from tests.apps.trainer.controllers.builders import (
    INDEX,
    a_container,
    a_job,
    a_replicated_job,
    a_runtime,
    spec_of,
    the_env,
)
from windlass.apps.trainer.blueprint import Blueprint, container, pod_spec
from windlass.apps.trainer.building import blueprint, job_set
from windlass.kube.json import Object

MEET = "--rdzv_endpoint=mnist-node-0-0.mnist:29500"


def built(runtime: Object, **spec: Any) -> Blueprint:
    return blueprint(a_job(**spec), spec_of(runtime))


def the_node(plan: Blueprint) -> Object:
    assert plan.node is not None
    return plan.node


def numbers(replicated: Object | None) -> tuple[int, int]:
    assert replicated is not None
    job = replicated["template"]["spec"]
    return job["parallelism"], job["completions"]


# --- what the job says


def test_a_job_that_says_nothing_is_as_its_runtime_has_it() -> None:
    plan = built(a_runtime())

    assert the_node(plan) == a_container()
    assert numbers(plan.trainer) == (1, 1)


def test_image_command_arguments_and_resources_are_the_jobs() -> None:
    trainer = {"image": "mine", "command": ["torchrun"], "args": ["train.py"], "numNodes": 3}
    plan = built(a_runtime(), trainer={**trainer, "resourcesPerNode": {"requests": {"cpu": 2.0, "memory": "1Gi"}}})
    node = the_node(plan)

    assert (node["image"], node["command"], node["args"]) == ("mine", ["torchrun"], ["train.py"])
    assert node["resources"] == {"requests": {"cpu": "2", "memory": "1Gi"}}
    assert numbers(plan.trainer) == (3, 3)


def test_variables_of_the_job_stand_in_the_place_of_the_runtimes() -> None:
    job = a_replicated_job(pod={"containers": [a_container(env=[{"name": "A", "value": "1"}])]})
    plan = built(a_runtime("t", job), trainer={"env": [{"name": "B", "value": "2"}, {"name": "A", "value": "3"}]})

    assert [(one["name"], one.get("value")) for one in the_node(plan)["env"]][:2] == [("A", "3"), ("B", "2")]


def test_an_initializer_is_told_where_to_fetch_from() -> None:
    runtime = a_runtime("t", a_replicated_job("dataset-initializer", step="dataset-initializer"), a_replicated_job())
    asked = {"storageUri": "hf://d", "env": [{"name": "E", "value": "1"}], "secretRef": {"name": "token"}}
    fetch = built(runtime, initializer={"dataset": asked}).step("dataset-initializer")
    assert fetch is not None
    fetching = container(fetch, "dataset-initializer")

    assert fetching is not None
    assert the_env(fetching) == {"STORAGE_URI": "hf://d", "E": "1"}
    assert fetching["envFrom"] == [{"secretRef": {"name": "token"}}]


def test_a_runtime_is_left_as_it_was() -> None:
    runtime = a_runtime()
    spec = spec_of(runtime)

    blueprint(a_job(trainer={"numNodes": 9, "image": "mine"}), spec)

    assert spec == spec_of(runtime)


def test_patches_are_merged_in_their_order() -> None:
    def patch(manager: str, pod: Object, **metadata: Any) -> Object:
        replicated = [{"name": "node", "template": {"spec": {"template": {"spec": pod}}}}]
        return {
            "manager": manager,
            "trainingRuntimeSpec": {"template": {**metadata, "spec": {"replicatedJobs": replicated}}},
        }

    mount = {"name": "node", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}
    first = {"nodeSelector": {"a": "1", "b": "1"}, "volumes": [{"name": "data", "emptyDir": {}}], "containers": [mount]}
    second = {"nodeSelector": {"b": "2"}, "schedulingGates": [{"name": "hold"}]}
    plan = built(
        a_runtime(),
        runtimePatches=[
            patch("a.example.com/x", first, metadata={"labels": {"l": "1"}}),
            patch("b.example.com/x", second, metadata={"annotations": {"n": "1"}}),
        ],
    )
    assert plan.trainer is not None
    pod = pod_spec(plan.trainer)

    assert pod["nodeSelector"] == {"a": "1", "b": "2"}
    assert the_node(plan)["image"] == "trainer:1"
    assert the_node(plan)["volumeMounts"] == mount["volumeMounts"]
    assert (pod["volumes"], pod["schedulingGates"]) == (first["volumes"], second["schedulingGates"])
    assert job_set(plan)["metadata"] == {
        "name": "mnist",
        "namespace": "team",
        "labels": {"l": "1"},
        "annotations": {"n": "1"},
    }


# --- what the nodes' environment says


def test_torchrun_finds_the_first_node() -> None:
    plan = built(a_runtime(), trainer={"numNodes": 2, "numProcPerNode": 4})

    assert the_env(the_node(plan)) == {
        "PET_NNODES": "2",
        "PET_NPROC_PER_NODE": "4",
        "PET_NODE_RANK": INDEX,
        "PET_MASTER_ADDR": "mnist-node-0-0.mnist",
        "PET_MASTER_PORT": "29500",
    }
    assert the_node(plan)["ports"] == [{"containerPort": 29500}]


@pytest.mark.parametrize(
    ("resources", "processes"),
    [
        ({}, "1"),
        ({"limits": {"nvidia.com/gpu": 2}}, "auto"),
        ({"requests": {"cpu": "2500m"}}, "3"),
        ({"limits": {"cpu": "200m"}}, "1"),
        ({"limits": {"cpu": "4"}, "requests": {"cpu": "2"}}, "4"),
        ({"limits": {"cpu": "4", "amd.com/gpu": 1}}, "auto"),
    ],
)
def test_processes_of_a_node_follow_its_resources(resources: Object, processes: str) -> None:
    plan = built(a_runtime(), trainer={"resourcesPerNode": resources})

    assert the_env(the_node(plan))["PET_NPROC_PER_NODE"] == processes


def test_a_runtime_may_have_further_containers_told() -> None:
    job = a_replicated_job(pod={"containers": [a_container(), a_container("watcher"), a_container("other")]})
    targets = [{"jobName": "node", "containerNames": ["watcher"]}]
    runtime = a_runtime("t", job, mlPolicy={"torch": {"envInjection": {"targets": targets}}})
    plan = built(runtime, trainer={})
    assert plan.trainer is not None

    told = {name: bool(the_env(container(plan.trainer, name) or {})) for name in ("node", "watcher", "other")}

    assert told == {"node": True, "watcher": True, "other": False}


def test_jax_is_told_of_its_coordinator() -> None:
    plan = built(a_runtime(mlPolicy={"jax": {}}), trainer={"numNodes": 2})

    assert the_env(the_node(plan)) == {
        "JAX_NUM_PROCESSES": "2",
        "JAX_PROCESS_ID": INDEX,
        "JAX_COORDINATOR_ADDRESS": "mnist-node-0-0.mnist:29500",
    }


@pytest.mark.parametrize(("resources", "workers"), [({}, "2"), ({"limits": {"nvidia.com/gpu": 4}}, "8")])
def test_xgboost_has_a_worker_a_gpu(resources: Object, workers: str) -> None:
    plan = built(a_runtime(mlPolicy={"xgboost": {}}), trainer={"numNodes": 2, "resourcesPerNode": resources})

    assert the_env(the_node(plan)) == {
        "DMLC_TRACKER_URI": "mnist-node-0-0.mnist",
        "DMLC_TRACKER_PORT": "29500",
        "DMLC_TASK_ID": INDEX,
        "DMLC_NUM_WORKER": workers,
    }


@pytest.mark.parametrize("policy", [{"numNodes": 2}, {"numNodes": 2, "torch": {}}])
def test_without_a_policy_or_without_a_trainer_nobody_is_told_anything(policy: Object) -> None:
    plan = built(a_runtime(mlPolicy=policy))

    assert the_env(the_node(plan)) == {}
    assert numbers(plan.trainer) == (2, 2)


@pytest.mark.parametrize(
    ("trainer", "command"),
    [
        (
            {"resourcesPerNode": {"limits": {"nvidia.com/gpu": 2}}},
            [MEET, "full_finetune_distributed", "--config", "llama3_2/1B_full"],
        ),
        ({"numProcPerNode": 1}, ["full_finetune_single_device", "--config", "llama3_2/1B_full_single_device"]),
        (
            {"numProcPerNode": 1, "args": ["model.lora_attn_modules=[q_proj]"]},
            ["lora_finetune_single_device", "--config", "llama3_2/1B_lora_single_device"],
        ),
        (
            {"numProcPerNode": 2, "args": ["model.lora_attn_modules=[q]", "model.quantize_base=True"]},
            [
                MEET,
                "lora_finetune_distributed",
                "--config",
                "llama3_2/1B_qlora",
            ],
        ),
    ],
)
def test_torchtune_is_given_its_recipe(trainer: Object, command: list[str]) -> None:
    runs = a_container(command=["tune", "run", "other", "output_dir=/out", "batch_size=4"])
    runtime = a_runtime("torchtune-llama3.2-1b", a_replicated_job(pod={"containers": [runs]}))
    plan = built(runtime, runtimeRef={"name": "torchtune-llama3.2-1b"}, trainer={"command": ["tune", "run"], **trainer})

    assert the_node(plan)["command"] == ["tune", "run", *command, "output_dir=/out"]
    assert not {"PET_MASTER_ADDR", "PET_MASTER_PORT"} & the_env(the_node(plan)).keys()


# --- MPI


def an_mpi_runtime(**policy: Any) -> Object:
    nodes = a_replicated_job("node", step="", pod={"containers": [a_container(command=["sshd"])]})
    launcher = a_replicated_job("launcher", dependsOn=[{"name": "node", "status": "Ready"}])
    return a_runtime("mpi", nodes, launcher, mlPolicy={"numNodes": 1, "mpi": policy})


def hosts(plan: Blueprint) -> list[str]:
    return plan.beside[0]["data"]["hostfile"].splitlines()


def test_an_mpi_launcher_knows_its_hosts_and_has_the_key_to_them() -> None:
    plan = built(an_mpi_runtime(), trainer={"numNodes": 2, "numProcPerNode": 3, "command": ["mpirun"], "image": "mine"})
    launcher, node = plan.replicated("launcher"), plan.replicated("node")
    assert launcher is not None
    assert node is not None
    launching, waiting = container(launcher, "node"), container(node, "node")
    assert launching is not None
    assert waiting is not None

    assert hosts(plan) == ["mnist-node-0-0.mnist slots=3", "mnist-node-0-1.mnist slots=3"]
    assert (numbers(launcher), numbers(node)) == ((1, 1), (2, 2))
    assert (launching["command"], waiting["command"]) == (["mpirun"], ["sshd"])
    assert (launching["image"], waiting["image"]) == ("mine", "mine")
    assert the_env(launching) == {
        "OMPI_MCA_orte_default_hostfile": "/etc/mpi/hostfile",
        "OMPI_MCA_orte_keep_fqdn_hostnames": "true",
        "OMPI_MCA_orte_set_default_slots": "3",
        "OMPI_MCA_plm_rsh_args": "-o ConnectionAttempts=10",
    }
    assert [one["mountPath"] for one in launching["volumeMounts"]] == ["/root/.ssh", "/etc/mpi"]
    assert [one["mountPath"] for one in waiting["volumeMounts"]] == ["/root/.ssh"]
    assert {one["name"] for one in pod_spec(node)["volumes"]} == {"mpi-ssh-auth"}


def test_a_launcher_that_trains_too_is_one_of_the_nodes() -> None:
    plan = built(an_mpi_runtime(runLauncherAsNode=True), trainer={"numNodes": 3})

    assert hosts(plan) == [f"mnist-{host}.mnist slots=1" for host in ("launcher-0-0", "node-0-0", "node-0-1")]
    assert numbers(plan.replicated("node")) == (2, 2)


def test_mpi_has_a_slot_a_gpu_where_nothing_else_is_said() -> None:
    plan = built(an_mpi_runtime(), trainer={"resourcesPerNode": {"limits": {"nvidia.com/gpu": 2}}})

    assert hosts(plan) == ["mnist-node-0-0.mnist slots=2"]
