"""What a JobSet leaves out."""

from windlass.kube.json import Object, dig_list, dig_object


def with_defaults(jobset: Object) -> Object:
    """`jobset` as upstream's webhook fills it in; the one that is given is left alone."""
    spec = dig_object(jobset, "spec")
    filled = {
        **spec,
        "successPolicy": spec.get("successPolicy") or {"operator": "All"},
        "startupPolicy": spec.get("startupPolicy") or {"startupPolicyOrder": "AnyOrder"},
        "network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True, **_said(spec.get("network"))},
    }
    if "replicatedJobs" in spec:
        filled["replicatedJobs"] = [_replicated_job(job) for job in dig_list(spec, "replicatedJobs")]
    if dig_list(spec, "failurePolicy", "rules"):
        filled["failurePolicy"] = _failure_policy(dig_object(spec, "failurePolicy"))
    if "volumeClaimPolicies" in spec:
        filled["volumeClaimPolicies"] = [_claim_policy(policy) for policy in dig_list(spec, "volumeClaimPolicies")]
    return {**jobset, "spec": filled}


def _said(network: Object | None) -> Object:
    return {name: value for name, value in (network or {}).items() if value is not None}


def _replicated_job(job: Object) -> Object:
    template = dig_object(job, "template")
    spec = dig_object(template, "spec")
    pods = dig_object(spec, "template")
    pod = dig_object(pods, "spec")
    pod = {**pod, "restartPolicy": pod.get("restartPolicy") or "OnFailure"}
    spec = {**spec, "completionMode": spec.get("completionMode") or "Indexed", "template": {**pods, "spec": pod}}
    return {**job, "template": {**template, "spec": spec}}


def _failure_policy(policy: Object) -> Object:
    rules = [{**rule, "name": rule.get("name") or f"failurePolicyRule{at}"} for at, rule in enumerate(policy["rules"])]
    return {**policy, "rules": rules}


def _claim_policy(policy: Object) -> Object:
    return {**policy, "retentionPolicy": {"whenDeleted": "Delete", **dig_object(policy, "retentionPolicy")}}
