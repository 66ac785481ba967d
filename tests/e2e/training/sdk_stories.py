"""What users do with Kubeflow's TrainingClient. Run by the Python of an environment that has it, not by pytest.

    python sdk_stories.py STORY KIND KUBECONFIG NAMESPACE

prints what the story found out as its last line, in JSON.
"""

# ruff: noqa: T201 - a program that prints its result

import json
import sys
import time
from collections.abc import Callable
from typing import Any

# These packages are in an environment of their own: the SDK needs an older client of Kubernetes than our tests.
from kubeflow.training import TrainingClient, models  # pyright: ignore[reportMissingImports]

Facts = dict[str, Any]
PYTHON = "python:3.11"
TORCH = "pytorch/pytorch:2.13.0"
SOON = {"polling_interval": 1, "wait_timeout": 240}
ROLES = {
    "TFJob": ("tensorflow", "tf_replica_specs", {"Chief": 1, "PS": 1, "Worker": 1}),
    "PyTorchJob": ("pytorch", "pytorch_replica_specs", {"Master": 1, "Worker": 1}),
    "XGBoostJob": ("xgboost", "xgb_replica_specs", {"Master": 1, "Worker": 1}),
    "MPIJob": ("mpi", "mpi_replica_specs", {"Launcher": 1, "Worker": 1}),
    "PaddleJob": ("paddle", "paddle_replica_specs", {"Worker": 2}),
    "JAXJob": ("jax", "jax_replica_specs", {"Worker": 2}),
}
"""Of each kind that the SDK knows: its container, the field of its replicas, and a few of them."""


def a_job(kind: str, name: str, script: str = "print('trained')", **policy: Any) -> Any:
    """A job whose pods run one line of Python, from the SDK's own models."""
    container, field, counts = ROLES[kind]
    main = models.V1Container(name=container, image=PYTHON, command=["python", "-u", "-c", script])
    template = models.V1PodTemplateSpec(spec=models.V1PodSpec(containers=[main]))
    replicas = {role: models.KubeflowOrgV1ReplicaSpec(replicas=n, template=template) for role, n in counts.items()}
    spec = getattr(models, f"KubeflowOrgV1{kind}Spec")
    return getattr(models, f"KubeflowOrgV1{kind}")(
        api_version="kubeflow.org/v1",
        kind=kind,
        metadata=models.V1ObjectMeta(name=name),
        spec=spec(run_policy=models.KubeflowOrgV1RunPolicy(clean_pod_policy="None", **policy), **{field: replicas}),
    )


def told(client: TrainingClient, name: str) -> list[list[str]]:
    return [[each.type, each.status] for each in client.get_job_conditions(name)]


def wake(client: TrainingClient, name: str) -> None:
    """Let a job run that was created at rest; again, if its status was written meanwhile."""
    while True:
        job = client.get_job(name)
        job.spec.run_policy.suspend = False
        try:
            return client.update_job(job, name)
        except RuntimeError as error:
            if "(409)" not in str(error):
                raise


def a_whole_life(client: TrainingClient, kind: str) -> Facts:
    """Created at rest, looked at, updated so that it runs, followed to its end, and deleted."""
    name = "life"
    client.create_job(a_job(kind, name, suspend=True))
    listed = [job.metadata.name for job in client.list_jobs()]
    while ["Suspended", "True"] not in told(client, name):
        time.sleep(0.1)
    wake(client, name)
    client.wait_for_job_conditions(name, expected_conditions={"Running", "Succeeded"}, **SOON)
    logs, _ = client.get_job_logs(name, follow=True)
    client.wait_for_job_conditions(name, **SOON)
    again, events = client.get_job_logs(name, verbose=True)
    facts = {
        "listed": listed,
        "conditions": told(client, name),
        "is_job": [client.is_job_created(name), client.is_job_succeeded(name), client.is_job_failed(name)],
        "pods": sorted(client.get_job_pod_names(name)),
        "masters": client.get_job_pod_names(name, is_master=True),
        "workers": client.get_job_pod_names(name, replica_type="worker", replica_index=0),
        "followed": logs,
        "read": again,
        "events": sorted(events),
    }
    client.delete_job(name)
    return {**facts, "left": [job.metadata.name for job in client.list_jobs()]}


def fit_a_line_together() -> None:
    """A function that a user wrote: workers agree on a slope, by gradient descent on torch.distributed."""
    import torch  # pyright: ignore[reportMissingImports] - in the image
    import torch.distributed as dist  # pyright: ignore[reportMissingImports] - in the image

    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    inputs = torch.arange(8.0)[rank::size]
    slope = torch.zeros(1)
    for _ in range(60):
        gradient = (2 * inputs * (slope * inputs - 3 * inputs)).sum()
        dist.all_reduce(gradient)
        slope -= 0.003 * gradient
    print(f"rank {rank} of {size}: slope {slope.item():.2f}", flush=True)
    dist.barrier()  # the job is done when the first is, which must not be before all have said so
    dist.destroy_process_group()


def fit_a_line_alone() -> None:
    """A function that needs nothing but Python, and tells what its role in the job is."""
    import json
    import os

    slope = 0.0
    for _ in range(60):
        slope -= 0.01 * sum(2 * x * (slope * x - 3 * x) for x in range(4))
    task = json.loads(os.environ["TF_CONFIG"])["task"]
    print(f"{task['type']} {task['index']}: slope {slope:.2f}", flush=True)


def from_a_function(client: TrainingClient, kind: str) -> Facts:
    name = "function"
    if kind == "PyTorchJob":
        client.create_job(
            name=name, train_func=fit_a_line_together, base_image=TORCH, num_workers=2, num_procs_per_worker=1
        )
    else:
        client.create_job(
            name=name, train_func=fit_a_line_alone, base_image=PYTHON, num_workers=1, num_chief_replicas=1
        )
    client.wait_for_job_conditions(name, **SOON)
    logs, _ = client.get_job_logs(name, is_master=False)
    return {"conditions": told(client, name), "logs": logs}


def from_an_image(client: TrainingClient, kind: str) -> Facts:
    client.create_job(name="image", base_image="docker.io/hello-world", num_workers=2, env_vars={"A": "1"})
    job = client.wait_for_job_conditions("image", **SOON)
    pods = client.get_job_pods("image")
    return {
        "conditions": told(client, "image"),
        "said": list(client.get_job_logs("image")[0].values()),
        "pods": sorted(pod.metadata.name for pod in pods),
        "istio": [pod.metadata.annotations["sidecar.istio.io/inject"] for pod in pods],
        "completed": job.status.completion_time is not None,
    }


def managed_by(client: TrainingClient, kind: str) -> Facts:
    """By us, by Kueue (which we leave alone), and by nobody whom the API knows."""
    client.create_job(a_job(kind, "ours", managed_by="kubeflow.org/training-operator"))
    client.create_job(a_job(kind, "theirs", managed_by="kueue.x-k8s.io/multikueue"))
    try:
        client.create_job(a_job(kind, "nobodys", managed_by="example.com/else"))
        refused = ""
    except RuntimeError as error:
        refused = str(error)
    client.wait_for_job_conditions("ours", **SOON)
    return {
        "ours": told(client, "ours"),
        "theirs": told(client, "theirs"),
        "pods of theirs": client.get_job_pod_names("theirs"),
        "refused": refused,
    }


def a_failure(client: TrainingClient, kind: str) -> Facts:
    client.create_job(a_job(kind, "bad", "raise SystemExit(3)", backoff_limit=0))
    try:
        client.wait_for_job_conditions("bad", **SOON)
        raised = ""
    except RuntimeError as error:
        raised = str(error)
    client.wait_for_job_conditions("bad", expected_conditions={"Failed"}, **SOON)
    return {"raised": raised, "is_failed": client.is_job_failed("bad")}


def a_gang(client: TrainingClient, kind: str) -> Facts:
    """Ten pods must start together, of which there are fewer; then two are enough."""

    def wanting(members: int) -> Any:
        return a_job(kind, "gang", scheduling_policy=models.KubeflowOrgV1SchedulingPolicy(min_available=members))

    client.create_job(wanting(10))
    client.wait_for_job_conditions("gang", expected_conditions={"Created"}, **SOON)
    while not (pods := client.get_job_pods("gang")):
        time.sleep(0.1)
    phases = {pod.status.phase for pod in pods}
    waiting = told(client, "gang")
    client.update_job(wanting(2), "gang")
    client.wait_for_job_conditions("gang", **SOON)
    return {"phases": sorted(phases), "waiting": waiting, "conditions": told(client, "gang")}


def fine_tuning(client: TrainingClient, kind: str) -> Facts:
    """A model and a dataset of a Hub that is a service of the namespace, and two workers."""
    import transformers  # pyright: ignore[reportMissingImports] - only this story needs it
    from kubeflow.storage_initializer.hugging_face import (  # pyright: ignore[reportMissingImports]
        HuggingFaceDatasetParams,
        HuggingFaceModelParams,
        HuggingFaceTrainerParams,
    )
    from peft import LoraConfig  # pyright: ignore[reportMissingImports]

    client.train(
        name="tuned",
        num_workers=2,
        model_provider_parameters=HuggingFaceModelParams(
            model_uri="hf://tiny/bert", transformer_type=transformers.AutoModelForSequenceClassification, num_labels=2
        ),
        dataset_provider_parameters=HuggingFaceDatasetParams(
            repo_id="tiny/reviews", access_token="hf_tiny", split="train[:24]"
        ),
        trainer_parameters=HuggingFaceTrainerParams(
            training_parameters=transformers.TrainingArguments(
                output_dir="/workspace/tuned", num_train_epochs=2, per_device_train_batch_size=4, save_strategy="epoch"
            ),
            lora_config=LoraConfig(r=4, lora_alpha=8, lora_dropout=0.1, bias="none"),
        ),
        init_env_vars={"HF_ENDPOINT": "http://hub"},
    )
    client.wait_for_job_conditions("tuned", polling_interval=1, wait_timeout=600)
    return {"conditions": told(client, "tuned"), "logs": client.get_job_logs("tuned", is_master=False)[0]}


STORIES: tuple[Callable[[TrainingClient, str], Facts], ...] = (
    a_whole_life,
    from_a_function,
    from_an_image,
    managed_by,
    a_failure,
    a_gang,
    fine_tuning,
)


def main(story: str, kind: str, kubeconfig: str, namespace: str) -> None:
    client = TrainingClient(config_file=kubeconfig, namespace=namespace, job_kind=kind)
    run = next(each for each in STORIES if each.__name__ == story)
    print(json.dumps(run(client, kind)))


if __name__ == "__main__":
    main(*sys.argv[1:])
