"""Validation of training jobs, with the messages of the training operator's webhooks, and warnings.

The functions are pure and take plain JSON: the embedded server calls them on every write. All errors are reported at
once. Jobs that the operator accepts and then fails on are refused here too, with the name of the field.
"""

from collections.abc import Iterator

from windlass.apis.bounds import MAX_INDEXED_PODS, TOO_MANY
from windlass.apps.training.frameworks import BY_KIND
from windlass.apps.training.job_manifest import JobManifest, containers
from windlass.apps.training.rules import RULES, chainer_rules, container_problems, long_name, ssh_rules
from windlass.kube.errors import Cause, duplicate, invalid, not_supported, required
from windlass.kube.json import Json, Object, dig, dig_object, is_object
from windlass.kube.names import dns1035_label_errors

RESTART_POLICIES = ("Always", "OnFailure", "Never", "ExitCode")
CLEAN_POD_POLICIES = ("None", "Running", "All")
MANAGERS = ("kubeflow.org/training-operator", "kueue.x-k8s.io/multikueue")
SSH_MANAGERS = ("kubeflow.org/mpi-operator", "kueue.x-k8s.io/multikueue")
_HOISTED = ("cleanPodPolicy", "ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit")
"""Fields of the run policy that are also accepted beside it."""
_NOT_NEGATIVE = ("ttlSecondsAfterFinished", "activeDeadlineSeconds", "backoffLimit")


def problems(obj: Object, old: Object | None) -> list[Cause]:
    """Return all errors of a job in its v1 form, an MPIJob at v2beta1, or a ChainerJob; `old` is what it replaces.

    An update that leaves the spec unchanged is not validated: jobs accepted earlier can always be labelled and deleted.
    """
    if old is not None and obj.get("spec") == old.get("spec"):
        return []
    if obj.get("kind") == "ChainerJob":
        return list(chainer_rules(obj))
    framework = BY_KIND.get(str(obj.get("kind")))
    if framework is None:
        return []
    job = JobManifest(framework, obj)
    rules = ssh_rules if job.by_ssh else RULES.get(framework.name)
    found = [*_name(job), *_replica_map(job), *_roles(job), *_run_policy(job), *_manager(job, old)]
    return [*found, *(rules(job) if rules else ())]


def warnings(obj: Object) -> list[str]:
    """Return warnings for a job that is accepted. The job may have any served version."""
    framework = BY_KIND.get(str(obj.get("kind")))
    if framework is None:
        return []
    job = JobManifest(framework, obj)
    return [*_overwritten_policies(job), *_without_effect(job)]


def _name(job: JobManifest) -> Iterator[Cause]:
    if job.by_ssh:
        return  # the name of its last worker is what counts there
    if job.framework.services and (errors := dns1035_label_errors(job.name)):
        yield invalid("metadata.name", job.name, f"should match: {','.join(errors)}")
    names = [job.pod_name(key, job.count(key) - 1) for key in job.replicas if job.count(key) > 0]
    yield from long_name(job.name, max(names, key=len, default=""))


def _replica_map(job: JobManifest) -> Iterator[Cause]:
    if not job.replicas:
        yield required(job.specs_path, "must be specified")
    seen: set[str] = set()
    for key in job.replicas:
        replica_type = job.canonical(key)
        if not replica_type:
            yield not_supported(job.path(key), key, job.framework.replica_types)
        elif replica_type in seen:
            yield duplicate(job.path(key), key)
        seen.add(replica_type)


def _roles(job: JobManifest) -> Iterator[Cause]:
    for key, role in job.replicas.items():
        at = job.path(key)
        if not is_object(role):
            yield required(at, "must be specified")
            continue
        policies = ("Never", "OnFailure") if job.by_ssh else RESTART_POLICIES
        if (policy := role.get("restartPolicy")) and policy not in policies:
            yield not_supported(f"{at}.restartPolicy", policy, policies)
        if job.count(key) < 0:
            yield invalid(f"{at}.replicas", job.count(key), "must be greater than or equal to 0")
        if job.count(key) > MAX_INDEXED_PODS:
            yield invalid(f"{at}.replicas", job.count(key), TOO_MANY)
        yield from _containers(job, role.get("template"), f"{at}.template.spec.containers")


def _containers(job: JobManifest, template: Json, at: str) -> Iterator[Cause]:
    yield from container_problems(template, at)
    names, wanted = [container.get("name") for container in containers(template)], job.framework.container
    if names and wanted not in names and job.framework.name != "MPIJob":
        yield required(at, f"must have at least one container with name {wanted}")


def _run_policy(job: JobManifest) -> Iterator[Cause]:
    for at, holder in (("spec.runPolicy", dig_object(job.spec, "runPolicy")), ("spec", job.spec)):
        policy = holder.get("cleanPodPolicy")
        if policy and policy not in CLEAN_POD_POLICIES:
            yield not_supported(f"{at}.cleanPodPolicy", policy, CLEAN_POD_POLICIES)
        for field in _NOT_NEGATIVE:
            if isinstance(value := holder.get(field), int) and value < 0:
                yield invalid(f"{at}.{field}", value, "must be greater than or equal to 0")
    members = dig(job.spec, "runPolicy", "schedulingPolicy", "minAvailable")
    if isinstance(members, int) and members < 0:
        at = "spec.runPolicy.schedulingPolicy.minAvailable"
        yield invalid(at, members, "must be greater than or equal to 0")


def _manager(job: JobManifest, old: Object | None) -> Iterator[Cause]:
    at = "spec.runPolicy.managedBy"
    manager = dig(job.spec, "runPolicy", "managedBy")
    known = SSH_MANAGERS if job.by_ssh else MANAGERS
    if manager is not None and manager not in known:
        yield not_supported(at, manager, known)
    if old is not None and manager != dig(old, "spec", "runPolicy", "managedBy"):
        yield invalid(at, manager, "field is immutable")


def _overwritten_policies(job: JobManifest) -> Iterator[str]:
    for key, role in job.replicas.items():
        written = dig(role, "template", "spec", "restartPolicy")
        if written:
            at, used = f"{job.path(key)}.template.spec.restartPolicy", job.policy(key)
            source = "restartPolicy" if dig(role, "restartPolicy") else "default restart policy"
            yield f"{at}: {written} is overwritten by the replica's {source}, {used}"


def _without_effect(job: JobManifest) -> Iterator[str]:
    policy = dig_object(job.spec, "runPolicy")
    for field in _HOISTED:
        if job.spec.get(field) is not None and policy.get(field) is not None:
            yield f"spec.{field}: spec.runPolicy.{field} is used instead"
    elastic = dig_object(job.spec, "elasticPolicy")
    if elastic.get("nProcPerNode") is not None:
        yield "spec.elasticPolicy.nProcPerNode is deprecated, use spec.nprocPerNode instead"
    if job.framework.name == "PaddleJob":
        for field in ("minReplicas", "maxReplicas", "metrics"):
            if elastic.get(field):
                yield f"spec.elasticPolicy.{field}: has no effect, the number of workers of a PaddleJob is fixed"
