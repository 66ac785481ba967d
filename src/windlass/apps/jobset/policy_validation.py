"""Validation of a JobSet's failure policy and coordinator."""

import re
from collections.abc import Iterator

from windlass.apps.jobset.kinds import FailurePolicy, FailurePolicyRule, JobSet, JobSetSpec
from windlass.apps.jobset.names import COORDINATOR, coordinator_endpoint
from windlass.apps.jobset.patterns import pattern_problem, size_problem
from windlass.kube.json import dig
from windlass.kube.names import label_value_errors

LONGEST_RULE_NAME = 128
MAX_COUNTED_JOBS = 1024
FAILURE_REASONS = (
    "BackoffLimitExceeded",
    "DeadlineExceeded",
    "FailedIndexes",
    "MaxFailedIndexesExceeded",
    "PodFailurePolicy",
)
SINGLE = ("RestartJob", "RestartJobAndIgnoreMaxRestarts")
"""Actions that restart one Job and leave the others running."""

_rule_name = re.compile(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?").fullmatch
_RULE_NAME = (
    "a failure policy rule name must start with an alphabetic character, optionally followed by a string of "
    "alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'"
)


def failure_policy_problems(spec: JobSetSpec, names: set[str]) -> Iterator[str]:
    policy = spec.failure_policy
    if policy is None:
        return
    if policy.max_restarts < 0:
        yield f"spec.failurePolicy.maxRestarts: Invalid value: {policy.max_restarts}: must not be negative"
    if why := size_problem([pattern for rule in policy.rules for pattern in rule.on_job_failure_message_patterns]):
        yield f"spec.failurePolicy.rules: Invalid value: onJobFailureMessagePatterns {why}"
        return  # the patterns may take long to check
    for at, rule in enumerate(policy.rules):
        yield from _rule(rule, f"spec.failurePolicy.rules[{at}]", names)
    yield from _names_twice(policy)
    if any(rule.action in SINGLE for rule in policy.rules):
        for job in spec.replicated_jobs:
            if job.replicas > MAX_COUNTED_JOBS:
                why = f"replicatedJob '{job.name}' must not have more than {MAX_COUNTED_JOBS} replicas"
                yield f"{why} when a failure policy rule has the action {' or '.join(SINGLE)}"


def _rule(rule: FailurePolicyRule, where: str, names: set[str]) -> Iterator[str]:
    if not 1 <= len(rule.name) <= LONGEST_RULE_NAME:
        limits = f"at least 1 characters long and at most {LONGEST_RULE_NAME} characters long"
        yield f"invalid failure policy rule name of length {len(rule.name)}, the rule name must be {limits}"
    if not _rule_name(rule.name):
        yield f"invalid failure policy rule name '{rule.name}', {_RULE_NAME}"
    for target in rule.target_replicated_jobs:
        if target not in names:
            yield f"invalid replicatedJob name '{target}' in failure policy does not appear in .spec.ReplicatedJobs"
    for reason in rule.on_job_failure_reasons:
        if reason not in FAILURE_REASONS:
            yield f"invalid job failure reason '{reason}' in failure policy is not a recognized job failure reason"
    for pattern in rule.on_job_failure_message_patterns:
        if why := pattern_problem(pattern):
            yield f'{where}.onJobFailureMessagePatterns: Invalid value: "{pattern}": {why}'


def _names_twice(policy: FailurePolicy) -> Iterator[str]:
    places: dict[str, list[int]] = {}
    for at, rule in enumerate(policy.rules):
        places.setdefault(rule.name, []).append(at)
    for name, found in places.items():
        if len(found) > 1:
            listed = " ".join(map(str, found))
            yield f"rule names are not unique, rules with indices [{listed}] all have the same name '{name}'"


def coordinator_problems(jobset: JobSet) -> Iterator[str]:
    """Check that the pod exists and that its address fits into a label."""
    if jobset.spec.coordinator is None:
        return
    if why := _coordinator_problem(jobset.spec):
        yield why
    endpoint = coordinator_endpoint(jobset)
    if errors := label_value_errors(endpoint):
        value = f'spec will lead to invalid label value "{endpoint}" for coordinator label "{COORDINATOR}"'
        yield f"{value} (long JobSet / ReplicatedJob / SubDomain name?): {', '.join(errors)}"


def _coordinator_problem(spec: JobSetSpec) -> str:
    coordinator = spec.coordinator
    assert coordinator is not None
    job = next((job for job in spec.replicated_jobs if job.name == coordinator.replicated_job), None)
    if job is None:
        return f"coordinator replicatedJob {coordinator.replicated_job} does not exist"
    if not 0 <= coordinator.job_index < job.replicas:
        return f"coordinator job index {coordinator.job_index} is invalid for replicatedJob {job.name}"
    completions = dig(job.template, "spec", "completions")
    if dig(job.template, "spec", "completionMode") != "Indexed" or completions is None:
        return "job for coordinator pod must be indexed completion mode, and completions number must be set"
    if not 0 <= coordinator.pod_index < int(completions):
        where = f"replicatedJob {job.name} job index {coordinator.job_index}"
        return f"coordinator pod index {coordinator.pod_index} is invalid for {where}"
    return ""
