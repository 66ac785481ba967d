"""What a Job's podFailurePolicy says of a failed pod, and its successPolicy of the indexes that have succeeded."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from windlass.apis.batch_v1 import JobSpec
from windlass.apis.core_v1 import ContainerStatus, Json, Pod, PodCondition
from windlass.controllers.core.job_indexes import parse_indexes

FAIL_JOB, FAIL_INDEX, IGNORE = "FailJob", "FailIndex", "Ignore"


@dataclass(frozen=True, slots=True)
class Ruling:
    """The action of the first rule that matches; empty where none does, and then the failure counts."""

    action: str = ""
    message: str = ""

    @property
    def counts(self) -> bool:
        return self.action != IGNORE


def ruling(policy: Json | None, pod: Pod) -> Ruling:
    rules: list[Json] = (policy or {}).get("rules") or []
    for number, rule in enumerate(rules):
        action = str(rule.get("action"))
        if rule.get("onExitCodes"):
            message = _exit_code_message(rule["onExitCodes"], pod)
        else:
            message = _condition_message(rule.get("onPodConditions") or [], pod)
        if message:
            return Ruling(action, f"{message} matching {action} rule at index {number}" if action == FAIL_JOB else "")
    return Ruling()


def _exit_code_message(wanted: Json, pod: Pod) -> str:
    for status in (*pod.status.container_statuses, *pod.status.init_container_statuses):
        code = exit_code(status)
        if code and wanted.get("containerName") in (None, status.name) and _is_among(code, wanted):
            name = f"{pod.metadata.namespace}/{pod.metadata.name}"
            return f"Container {status.name} for pod {name} failed with exit code {code}"
    return ""


def exit_code(status: ContainerStatus) -> int | None:
    """Of a container that has ended."""
    ended: Json | None = status.state.get("terminated")
    return int(ended.get("exitCode") or 0) if ended is not None else None


def _is_among(code: int, wanted: Json) -> bool:
    values: list[int] = wanted.get("values") or []
    return (code in values) == (wanted.get("operator") == "In")


def _condition_message(wanted: list[Json], pod: Pod) -> str:
    for pattern in wanted:
        if any(_matches(pattern, condition) for condition in pod.status.conditions):
            return f"Pod {pod.metadata.namespace}/{pod.metadata.name} has condition {pattern['type']}"
    return ""


def _matches(pattern: Json, condition: PodCondition) -> bool:
    return pattern.get("type") == condition.type and (pattern.get("status") or "True") == condition.status


def success_message(spec: JobSpec, succeeded: Collection[int]) -> str:
    """Which rule of the successPolicy is met; empty where none is."""
    rules: list[dict[str, Any]] = (spec.success_policy or {}).get("rules") or []
    for number, rule in enumerate(rules):
        if succeeded and _is_met(rule, spec.completions or 0, succeeded):
            return f"Matched rules at index {number}"
    return ""


def _is_met(rule: Json, completions: int, succeeded: Collection[int]) -> bool:
    named, count = rule.get("succeededIndexes"), rule.get("succeededCount")
    if named is None:
        return count is not None and len(succeeded) >= count
    wanted = parse_indexes(named, completions)
    return len(wanted.intersection(succeeded)) >= (len(wanted) if count is None else count)
