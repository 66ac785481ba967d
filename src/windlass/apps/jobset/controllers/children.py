"""What is made for a JobSet: its Jobs, a headless service by which pods find each other, and claims they share."""

from windlass.apps.jobset import names
from windlass.apps.jobset.claims import name_of, with_volumes
from windlass.apps.jobset.controllers import labels
from windlass.apps.jobset.controllers.placement import placed
from windlass.apps.jobset.kinds import JobSet, Network, ReplicatedJob, VolumeClaimPolicy
from windlass.kube.json import Object, dig_object


def has_hostnames(jobset: JobSet) -> bool:
    enabled = (jobset.spec.network or Network()).enable_dns_hostnames
    return enabled is None or enabled


def service(jobset: JobSet) -> Object:
    published = (jobset.spec.network or Network()).publish_not_ready_addresses
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": names.subdomain(jobset), "namespace": jobset.metadata.namespace},
        "spec": {
            "clusterIP": "None",
            "selector": {names.JOBSET_NAME: jobset.metadata.name},
            "publishNotReadyAddresses": published is None or published,
        },
    }


def job(jobset: JobSet, replicated: ReplicatedJob, index: int, own_restarts: int = 0) -> Object:
    """One Job of a replicated job, of the current attempt; `own_restarts` is how often it alone was recreated."""
    metadata = labels.of_job(jobset, replicated, index, jobset.status.restarts or 0, own_restarts)
    placement = labels.of_placement(jobset, replicated)
    name = names.job_name(jobset.metadata.name, replicated.name, index)
    spec = dig_object(replicated.template, "spec")
    pods = dig_object(spec, "template")
    pod = _pod(jobset, dig_object(pods, "spec"))
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": name,
            "namespace": jobset.metadata.namespace,
            **_with_metadata(dig_object(replicated.template, "metadata"), metadata, placement),
        },
        "spec": {
            **spec,
            "suspend": bool(jobset.spec.suspend),
            "template": {
                **pods,
                "metadata": {
                    **dig_object(pods, "metadata"),
                    **_with_metadata(dig_object(pods, "metadata"), metadata, placement),
                },
                "spec": placed(pod, placement, jobset.metadata.namespace, name, metadata[names.JOB_KEY]),
            },
        },
    }


def _with_metadata(given: Object, metadata: dict[str, str], placement: dict[str, str]) -> Object:
    return {
        "labels": {**dig_object(given, "labels"), **metadata},
        "annotations": {**dig_object(given, "annotations"), **metadata, **placement},
    }


def _pod(jobset: JobSet, spec: Object) -> Object:
    """With the subdomain that its hostname needs, and the shared claims that its containers mount."""
    templates = [template for policy in jobset.spec.volume_claim_policies for template in policy.templates]
    made = with_volumes(spec, jobset.metadata.name, templates)
    return {**made, "subdomain": names.subdomain(jobset)} if has_hostnames(jobset) else made


def claims(jobset: JobSet) -> tuple[list[Object], list[Object]]:
    """Those that go with the set, and those that outlive it."""
    with_it: list[Object] = []
    kept: list[Object] = []
    for policy in jobset.spec.volume_claim_policies:
        (kept if _is_kept(policy) else with_it).extend(_claim(jobset, template) for template in policy.templates)
    return with_it, kept


def _is_kept(policy: VolumeClaimPolicy) -> bool:
    return policy.retention_policy is not None and policy.retention_policy.when_deleted == "Retain"


def _claim(jobset: JobSet, template: Object) -> Object:
    given = dig_object(template, "metadata")
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": names.claim_name(jobset.metadata.name, name_of(template)),
            "namespace": jobset.metadata.namespace,
            "labels": {**dig_object(given, "labels"), names.JOBSET_NAME: jobset.metadata.name},
            "annotations": dig_object(given, "annotations"),
        },
        "spec": dig_object(template, "spec"),
    }
