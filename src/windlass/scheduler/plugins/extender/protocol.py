"""Tasks, jobs, queues and nodes as JSON, with the names that Volcano's own extenders know."""

from collections.abc import Iterable
from typing import Any

from windlass.scheduler.model.columns import Vector, named
from windlass.scheduler.model.jobs import Job, Queue, Status, Task
from windlass.scheduler.model.snapshot import NodeInfo

JsonObject = dict[str, Any]
STATUSES = {
    Status.PENDING: 1 << 0,
    Status.ALLOCATED: 1 << 1,
    Status.PIPELINED: 1 << 2,
    Status.BINDING: 1 << 3,
    Status.BOUND: 1 << 4,
    Status.RUNNING: 1 << 5,
    Status.RELEASING: 1 << 6,
    Status.SUCCEEDED: 1 << 7,
    Status.FAILED: 1 << 8,
    Status.UNKNOWN: 1 << 9,
    Status.GATED: 1 << 0,
}


def amounts(given: Vector) -> JsonObject:
    found = named(given)
    cpu, memory = found.pop("cpu", 0.0), found.pop("memory", 0.0)
    scalars = {name: amount * 1000 for name, amount in found.items()}
    return {"MilliCPU": cpu, "Memory": memory, "ScalarResources": scalars}


def task_json(task: Task) -> JsonObject:
    pod = task.pod.pod
    return {
        "UID": task.uid,
        "Job": task.job.uid,
        "Name": task.pod.key.name,
        "Namespace": task.pod.key.namespace,
        "TaskRole": task.role,
        "Resreq": amounts(task.request),
        "InitResreq": amounts(task.request),
        "NodeName": task.node,
        "Status": STATUSES[task.status],
        "Priority": task.priority,
        "BestEffort": task.best_effort,
        "Pod": {"metadata": {"labels": pod.metadata.labels, "annotations": pod.metadata.annotations}},
    }


def job_json(job: Job) -> JsonObject:
    return {
        "UID": job.uid,
        "Name": job.name,
        "Namespace": job.namespace,
        "Queue": job.queue,
        "Priority": job.priority,
        "MinAvailable": job.min_member,
        "TaskMinAvailable": job.min_tasks,
        "Allocated": amounts(job.allocated),
        "TotalRequest": amounts(job.requested),
        "Tasks": {task.uid: task_json(task) for task in job.tasks.values()},
    }


def queue_json(queue: Queue) -> JsonObject:
    return {
        "UID": queue.uid or queue.name,
        "Name": queue.name,
        "Weight": queue.weight,
        "Allocated": amounts(queue.allocated),
    }


def node_json(node: NodeInfo, allocatable: Vector, used: Vector) -> JsonObject:
    return {
        "Name": node.name,
        "Node": {"metadata": {"name": node.name, "labels": node.labels}},
        "Allocatable": amounts(allocatable),
        "Used": amounts(used),
        "Idle": amounts(allocatable - used),
    }


def tasks_json(tasks: Iterable[Task]) -> list[JsonObject]:
    return [task_json(task) for task in tasks]
