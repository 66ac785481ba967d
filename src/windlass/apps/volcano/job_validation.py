"""Validation of new Volcano Jobs, with the messages of Volcano's webhook, which lists all errors in one sentence.

Pure functions on plain JSON that has passed schema validation and defaulting.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from windlass.apps.volcano.graph import is_acyclic
from windlass.apps.volcano.job_policies import events_of, policy_problems
from windlass.apps.volcano.queue_references import job_queue_problems
from windlass.apps.volcano.task_validation import TWO_LIMITS, has_two_limits, task_problems
from windlass.apps.volcano.wording import listed
from windlass.kube.errors import Cause
from windlass.kube.json import Json, Object, dig, dig_list, dig_object
from windlass.kube.names import dns_subdomain_errors, label_key_errors

PLUGINS = ("env", "svc", "ssh", "tensorflow", "pytorch", "mpi", "ray", "hcclrank")
_CLAIM_CONFLICT = (
    "conflict: If you want to use an existing PVC, just specify VolumeClaimName."
    "If you want to create a new PVC, you do not need to specify VolumeClaimName"
)

TemplateCheck: TypeAlias = Callable[[Object], list[Cause]]
"""The server's own validation of a pod template; its paths begin with `template`."""


def creation_problems(job: Object, queues: Mapping[str, Object], check_template: TemplateCheck) -> str:
    """Return all errors of a new job; empty if it is valid."""
    name = str(dig(job, "metadata", "name") or "")
    return spec_problems(dig_object(job, "spec"), queues, check_template, job=name).strip()


def spec_problems(spec: Object, queues: Mapping[str, Object], check_template: TemplateCheck, *, job: str = "") -> str:
    """Return all errors of a job spec; without a `job`, names of the job and its pods are not validated."""
    found = _unusable(spec)
    if found:
        return found
    tasks = dig_list(spec, "tasks")
    found = "".join(_tasks(tasks, job, check_template))
    if job and (errors := label_key_errors(job)):
        found += f" create job with name {job} validate failed {listed(errors)};"
    if sum(task.get("replicas", 0) for task in tasks) < spec.get("minAvailable", 0):
        found += " job 'minAvailable' should not be greater than total replicas in tasks;"
    found += policy_problems(dig_list(spec, "policies"), "spec.policies")
    found += "".join(
        f" unable to find job plugin: {name};" for name in dig_object(spec, "plugins") if name not in PLUGINS
    )
    found += next(_volumes(dig_list(spec, "volumes")), "")
    found += job_queue_problems(str(spec.get("queue") or "default"), queues)
    if any(task.get("dependsOn") for task in tasks):
        waits = {task["name"]: dig_list(task, "dependsOn", "name") for task in tasks}
        if not is_acyclic(waits):
            found += " job has dependencies between tasks, but doesn't form a directed acyclic graph(DAG);"
    return found + (f" {TWO_LIMITS};" if has_two_limits(spec) else "")


def job_warnings(job: Object) -> list[str]:
    """Return warnings for fields that are accepted and have no effect, by name."""
    spec, found = dig_object(job, "spec"), list[str]()
    holders = [("spec", spec), *((f"spec.tasks[{i}]", task) for i, task in enumerate(dig_list(spec, "tasks")))]
    for path, holder in holders:
        if holder.get("topologyPolicy", "none") != "none":
            found.append(f"{path}.topologyPolicy: has no effect, NUMA nodes are not considered for scheduling")
        for index, policy in enumerate(dig_list(holder, "policies")):
            if "PodPending" in events_of(policy) and not policy.get("timeout"):
                found.append(f"{path}.policies[{index}]: PodPending has an effect only with a timeout")
    return found


def argument(arguments: Iterable[str], flag: str, default: str) -> str:
    """The value of a plugin's `--flag=value` or `--flag value`; the last occurrence applies."""
    found, words = default, list(arguments)
    for index, word in enumerate(words):
        name, equals, value = word.lstrip("-").partition("=")
        if word.startswith("-") and name == flag:
            found = value if equals else words[index + 1] if index + 1 < len(words) else default
    return found


def _unusable(spec: Object) -> str:
    """Return a fundamental error, which makes further validation meaningless."""
    tasks = dig_list(spec, "tasks")
    if not tasks:
        return "No task specified in job spec"
    if "mpi" in dig_object(spec, "plugins"):
        master = argument(dig_list(spec, "plugins", "mpi"), "master", "master")
        if all(task.get("name") != master for task in tasks):
            return "The specified mpi master task was not found"
    return ""


def _tasks(tasks: list[Json], job: str, check_template: TemplateCheck) -> Iterator[str]:
    names: set[str] = set()
    for index, task in enumerate(tasks):
        yield from task_problems(index, task, job)
        if task["name"] in names:
            yield f" duplicated task name {task['name']};"
            return
        names.add(task["name"])
        yield policy_problems(dig_list(task, "policies"), "spec.tasks.policies")
        yield _template(index, check_template(dig_object(task, "template")))


def _template(index: int, causes: list[Cause]) -> str:
    if not causes:
        return ""
    return f" spec.task[{index}]." + " ".join(f"{cause.field}: {cause.message}." for cause in causes)


def _volumes(volumes: list[Json]) -> Iterator[str]:
    paths: set[str] = set()
    for volume in volumes:
        path, name = volume["mountPath"], volume.get("volumeClaimName")
        if path in paths:
            yield f" duplicated mountPath: {path};"
        paths.add(path)
        if not name and volume.get("volumeClaim") is None:
            yield " either VolumeClaim or VolumeClaimName must be specified;"
        if name and volume.get("volumeClaim") is not None:
            yield f" {_CLAIM_CONFLICT};"
        if name and (errors := dns_subdomain_errors(name)):
            yield f" invalid VolumeClaimName {name} : {listed(errors)};"
