"""Defaults of JobSets.

Defaulting runs before schema validation: values of a wrong type are left for the schema to refuse.
"""

from collections.abc import Callable

from windlass.kube.json import Json, Object, is_list, is_object


def with_defaults(jobset: Object) -> Object:
    """Return a copy of `jobset` with the defaults of upstream's webhook."""
    spec: Json = _or(jobset.get("spec"), {})
    if not is_object(spec):
        return jobset
    filled = {
        **spec,
        "successPolicy": _or(spec.get("successPolicy"), {"operator": "All"}),
        "startupPolicy": _or(spec.get("startupPolicy"), {"startupPolicyOrder": "AnyOrder"}),
        "network": _with(spec.get("network"), {"enableDNSHostnames": True, "publishNotReadyAddresses": True}),
    }
    if "replicatedJobs" in spec:
        filled["replicatedJobs"] = _each(spec["replicatedJobs"], lambda at, job: _replicated_job(job))
    if is_object(policy := spec.get("failurePolicy")) and "rules" in policy:
        filled["failurePolicy"] = {**policy, "rules": _each(policy["rules"], _rule)}
    if "volumeClaimPolicies" in spec:
        filled["volumeClaimPolicies"] = _each(spec["volumeClaimPolicies"], lambda at, policy: _claim_policy(policy))
    return {**jobset, "spec": filled}


def _or(given: Json, default: Json) -> Json:
    return default if given is None else given


def _with(given: Json, defaults: Object) -> Json:
    """Return the object with `defaults` for its missing or null fields."""
    if given is None:
        return defaults
    return defaults | {name: value for name, value in given.items() if value is not None} if is_object(given) else given


def _each(items: Json, change: Callable[[int, Object], Object]) -> Json:
    if not is_list(items):
        return items
    return [change(at, item) if is_object(item) else item for at, item in enumerate(items)]


def _replicated_job(job: Object) -> Object:
    template = job.get("template")
    spec = template.get("spec") if is_object(template) else None
    if not is_object(template) or not is_object(spec):
        return job
    made = {**spec, "completionMode": _or(spec.get("completionMode"), "Indexed")}
    pods = spec.get("template")
    if is_object(pods) and is_object(pod := pods.get("spec")):
        made["template"] = {**pods, "spec": {**pod, "restartPolicy": pod.get("restartPolicy") or "OnFailure"}}
    return {**job, "template": {**template, "spec": made}}


def _rule(at: int, rule: Object) -> Object:
    return {**rule, "name": rule.get("name") or f"failurePolicyRule{at}"}


def _claim_policy(policy: Object) -> Object:
    return {**policy, "retentionPolicy": _with(policy.get("retentionPolicy"), {"whenDeleted": "Delete"})}
