"""What users do with Kubeflow's TrainerClient. Run by the Python of an environment that has it, not by pytest.

    python sdk_stories.py KUBECONFIG NAMESPACE STORY...

tells the stories at the same time, and prints what they found out as its last line, in JSON, by story.
"""

# pyright: reportMissingImports=false
# ruff: noqa: T201 - a program that prints its result

import contextlib
import io
import json
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

# These packages are in an environment of their own: the SDK needs an older client of Kubernetes than our tests.
from kubeflow.common.types import KubernetesBackendConfig
from kubeflow.trainer import (
    CustomTrainer,
    CustomTrainerContainer,
    HuggingFaceDatasetInitializer,
    Initializer,
    TrainerClient,
)
from kubeflow.trainer.options import (
    ActiveDeadlineSeconds,
    Annotations,
    JobSetSpecPatch,
    JobSetTemplatePatch,
    JobSpecPatch,
    JobTemplatePatch,
    Labels,
    Name,
    PodSpecPatch,
    PodTemplatePatch,
    ReplicatedJobPatch,
    RuntimePatch,
    TrainerArgs,
    TrainerCommand,
    TrainingRuntimeSpecPatch,
)
from kubernetes import client as kubernetes

Facts = dict[str, Any]
LONGEST, EVERY = 240, 0.3
SLOT = "example.com/slot"
"""A resource of which the node has two."""


def wait_for(client: TrainerClient, name: str, *statuses: str) -> Any:
    """The job; what it said, if it has failed."""
    try:
        return client.wait_for_job_status(name, set(statuses or ("Complete",)), timeout=LONGEST, polling_interval=EVERY)
    except RuntimeError as error:
        raise RuntimeError(f"{error}: {' '.join(client.get_job_logs(name))}") from error


def until(check: Callable[[], Any]) -> Any:
    """The first answer that is not nothing."""
    for _ in range(int(LONGEST / EVERY)):
        if answer := check():
            return answer
        time.sleep(EVERY)
    raise TimeoutError("nothing came of it")


def pods(client: TrainerClient, name: str) -> list[Any]:
    listed = kubernetes.CoreV1Api().list_namespaced_pod(
        client.backend.namespace, label_selector=f"jobset.sigs.k8s.io/jobset-name={name}"
    )
    return sorted(listed.items, key=lambda pod: pod.metadata.name)


def phases(client: TrainerClient, name: str) -> list[str]:
    return [pod.status.phase for pod in pods(client, name)]


def conditions(client: TrainerClient, name: str) -> list[list[str]]:
    found = read(client, "trainer.kubeflow.org", "v1alpha1", "trainjobs", name)
    return [[each["type"], each["status"], each["reason"]] for each in found.get("status", {}).get("conditions", [])]


def read(client: TrainerClient, group: str, version: str, plural: str, name: str) -> Any:
    api = kubernetes.CustomObjectsApi()
    return api.get_namespaced_custom_object(group, version, client.backend.namespace, plural, name)


def change(client: TrainerClient, name: str, spec: Facts) -> None:
    kubernetes.CustomObjectsApi().patch_namespaced_custom_object(
        "trainer.kubeflow.org", "v1alpha1", client.backend.namespace, "trainjobs", name, {"spec": spec}
    )


def add_up_together(mine: int) -> None:
    """A function that a user wrote: nodes send what they have to the first, which adds it up and tells all."""
    import os
    import socket
    import time

    rank, size = int(os.environ["JAX_PROCESS_ID"]), int(os.environ["JAX_NUM_PROCESSES"])
    host, port = os.environ["JAX_COORDINATOR_ADDRESS"].split(":")
    if rank == 0:
        listener = socket.create_server(("", int(port)))
        others = [listener.accept()[0] for _ in range(size - 1)]
        total = mine + sum(int(other.recv(99)) for other in others)
        for other in others:
            other.sendall(str(total).encode())
    else:
        while True:
            try:
                first = socket.create_connection((host, int(port)))
                break
            except OSError:
                time.sleep(0.1)
        first.sendall(str(mine + rank).encode())
        total = int(first.recv(99))
    print(f"node {rank} of {size}: together {total}, {os.environ['MOOD']}", flush=True)


def a_whole_life(client: TrainerClient) -> Facts:
    """A function on two nodes, followed to its end, looked at from all sides, and deleted."""
    name = client.train(
        runtime="pairs",
        trainer=CustomTrainer(func=add_up_together, func_args={"mine": 20}, env={"MOOD": "cheerful"}),
        options=[Name("life"), Labels({"team": "blue"}), Annotations({"why": "story"})],
    )
    job = wait_for(client, name)
    facts = {
        "name": name,
        "status": job.status,
        "nodes": job.num_nodes,
        "runtime": job.runtime.name,
        "steps": sorted([step.name, step.status] for step in job.steps),
        "logs": [list(client.get_job_logs(name, step=f"node-{index}")) for index in range(2)],
        "followed": list(client.get_job_logs(name, follow=True)),
        "conditions": conditions(client, name),
        "listed": [[each.name, each.status] for each in client.list_jobs(runtime=client.get_runtime("pairs"))],
        "elsewhere": [
            each.name for each in client.list_jobs(runtime=client.get_runtime("by-mpi")) if each.name == name
        ],
        "labels": read(client, "trainer.kubeflow.org", "v1alpha1", "trainjobs", name)["metadata"]["labels"],
        "events": sorted({event.involved_object_kind for event in client.get_job_events(name)}),
    }
    client.delete_job(name)
    until(lambda: not pods(client, name))
    return {**facts, "left": [each.name for each in client.list_jobs() if each.name == name]}


def runtimes(client: TrainerClient) -> Facts:
    found = {each.name: each for each in client.list_runtimes()}
    return {
        "names": sorted(found),
        "kinds": sorted({each.kind.value for each in found.values()}),
        "frameworks": {name: each.trainer.framework for name, each in found.items()},
        "commands": {name: each.trainer.command[0] for name, each in found.items()},
        "torch": client.get_runtime("torch-distributed").trainer.image,
    }


def packages(client: TrainerClient) -> Facts:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        client.get_runtime_packages(client.get_runtime("plain"))
    return {"said": said.getvalue()}


def an_image_and_a_patch(client: TrainerClient) -> Facts:
    """A container of one's own, and what the runtime has not, by way of a patch."""
    patch = PodTemplatePatch(
        metadata={"labels": {"team": "blue"}},
        spec=PodSpecPatch(tolerations=[{"key": "spot", "operator": "Exists"}]),
    )
    job = JobTemplatePatch(spec=JobSpecPatch(template=patch))
    jobs = JobSetSpecPatch(replicated_jobs=[ReplicatedJobPatch(name="node", template=job)])
    name = client.train(
        runtime="torch",
        trainer=CustomTrainerContainer(
            image="python:3.11", num_nodes=2, resources_per_node={"cpu": "100m"}, env={"MOOD": "calm"}
        ),
        options=[
            TrainerCommand(["python", "-c", "import os, sys; print(*(os.environ[name] for name in sys.argv[1:]))"]),
            TrainerArgs(["MOOD", "PET_NNODES", "PET_NODE_RANK", "PET_NPROC_PER_NODE", "PET_MASTER_PORT"]),
            RuntimePatch(TrainingRuntimeSpecPatch(template=JobSetTemplatePatch(spec=jobs))),
        ],
    )
    wait_for(client, name)
    found = pods(client, name)
    return {
        "logs": [list(client.get_job_logs(name, step=f"node-{index}")) for index in range(2)],
        "labels": [pod.metadata.labels["team"] for pod in found],
        "tolerated": [any(each.key == "spot" for each in pod.spec.tolerations) for pod in found],
    }


def read_rows() -> None:
    import pathlib

    print("rows from", pathlib.Path("/workspace/dataset/rows").read_text())


def with_data(client: TrainerClient) -> Facts:
    rows = HuggingFaceDatasetInitializer(storage_uri="hf://org/rows", access_token="somebody")
    name = client.train(
        runtime="with-data", initializer=Initializer(dataset=rows), trainer=CustomTrainer(func=read_rows)
    )
    job = wait_for(client, name)
    return {"steps": sorted(step.name for step in job.steps), "logs": list(client.get_job_logs(name))}


def say_who_i_am() -> None:
    import os

    print("rank", os.environ["OMPI_COMM_WORLD_RANK"], "of", os.environ["OMPI_COMM_WORLD_SIZE"], flush=True)


def by_mpi(client: TrainerClient) -> Facts:
    name = client.train(runtime="by-mpi", trainer=CustomTrainer(func=say_who_i_am, num_nodes=2))
    job = wait_for(client, name)
    return {"steps": sorted(step.name for step in job.steps), "logs": sorted(client.get_job_logs(name))}


def wait_forever() -> None:
    import time

    time.sleep(3600)


def rest_and_go_on(client: TrainerClient) -> Facts:
    """A job that runs, is suspended, which ends its pods, and runs again."""
    name = client.train(runtime="plain", trainer=CustomTrainer(func=wait_forever, num_nodes=2))
    running = wait_for(client, name, "Running").status
    before = {pod.metadata.uid for pod in pods(client, name)}
    change(client, name, {"suspend": True})
    until(lambda: not pods(client, name))
    resting = until(lambda: conditions(client, name))
    change(client, name, {"suspend": False})
    until(lambda: phases(client, name) == ["Running", "Running"])
    after = {pod.metadata.uid for pod in pods(client, name)}
    facts = {"running": running, "resting": resting, "again": conditions(client, name), "new": not before & after}
    client.delete_job(name)
    return facts


def too_long(client: TrainerClient) -> Facts:
    name = client.train(runtime="plain", trainer=CustomTrainer(func=wait_forever), options=[ActiveDeadlineSeconds(1)])
    wait_for(client, name, "Failed")
    until(lambda: not pods(client, name))
    return {"conditions": conditions(client, name)}


def fail() -> None:
    raise SystemExit(3)


def a_failure(client: TrainerClient) -> Facts:
    name = client.train(runtime="plain", trainer=CustomTrainer(func=fail))
    try:
        wait_for(client, name)
        raised = ""
    except RuntimeError as error:
        raised = str(error)
    return {"raised": raised, "name": name, "conditions": conditions(client, name)}


def say_hello() -> None:
    print("all of us are here")


def a_gang(client: TrainerClient) -> Facts:
    """Two nodes that need a slot each, while somebody else has one of the two."""
    core, namespace = kubernetes.CoreV1Api(), client.backend.namespace
    name = client.train(
        runtime="gang",
        trainer=CustomTrainer(func=say_hello, num_nodes=2, resources_per_node={"cpu": "50m", SLOT: 1}),
        options=[Name("together"), Annotations({"scheduling.volcano.sh/queue-name": "research"})],
    )

    def group() -> Facts:
        return read(client, "scheduling.volcano.sh", "v1beta1", "podgroups", name)

    until(lambda: len(pods(client, name)) == 2)

    def reasons() -> list[str]:
        told = [each["message"] for each in group().get("status", {}).get("conditions", [])]
        return [message for message in told if SLOT in message]

    said = until(reasons)
    waiting = {
        "phases": phases(client, name),
        "nodes": [pod.spec.node_name for pod in pods(client, name)],
        "scheduler": sorted({pod.spec.scheduler_name for pod in pods(client, name)}),
        "status": client.get_job(name).status,
        "group": group()["spec"],
        "phase": group()["status"]["phase"],
        "said": said,
    }
    core.delete_namespaced_pod("holder", namespace)
    wait_for(client, name)
    return {
        "waiting": waiting,
        "conditions": conditions(client, name),
        "logs": [list(client.get_job_logs(name, step=f"node-{index}")) for index in range(2)],
    }


def add_ones(epochs: int) -> None:
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo")
    ones = torch.ones(1)
    dist.all_reduce(ones)
    print(f"rank {dist.get_rank()} of {dist.get_world_size()}: {ones.item():.0f}, for {epochs} epochs", flush=True)
    dist.destroy_process_group()


def with_torch(client: TrainerClient) -> Facts:
    name = client.train(trainer=CustomTrainer(func=add_ones, func_args={"epochs": 3}, num_nodes=2))
    wait_for(client, name)
    return {"logs": [list(client.get_job_logs(name, step=f"node-{index}")) for index in range(2)]}


STORIES: tuple[Callable[[TrainerClient], Facts], ...] = (
    a_whole_life,
    runtimes,
    packages,
    an_image_and_a_patch,
    with_data,
    by_mpi,
    rest_and_go_on,
    too_long,
    a_failure,
    a_gang,
    with_torch,
)


def main(kubeconfig: str, namespace: str, names: Sequence[str]) -> None:
    client = TrainerClient(KubernetesBackendConfig(namespace=namespace, config_file=kubeconfig))
    wanted = [story for story in STORIES if story.__name__ in names]
    with ThreadPoolExecutor(len(wanted)) as threads:
        found = {story.__name__: threads.submit(tell, story, client) for story in wanted}
    print(json.dumps({name: future.result() for name, future in found.items()}))


def tell(story: Callable[[TrainerClient], Facts], client: TrainerClient) -> Facts:
    """What went wrong in one story is told with the others."""
    began = time.monotonic()
    try:
        facts = story(client)
    except (RuntimeError, TimeoutError, kubernetes.ApiException, LookupError) as error:
        facts = {"error": f"{error!r}, because of {error.__cause__}"}
    return {**facts, "seconds": round(time.monotonic() - began, 1)}


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
