"""What a Job's indexes and policies need."""

from typing import Any

import pytest

from tests.apiserver.builtin.kinds_builders import a_job, causes_of

INDEXED = {"completionMode": "Indexed", "completions": 5, "parallelism": 5}


def a_rule(**rule: Any) -> dict[str, Any]:
    return {"podFailurePolicy": {"rules": [rule]}}


def exit_codes(*values: int, operator: str = "In", **more: Any) -> dict[str, Any]:
    return {"onExitCodes": {"operator": operator, "values": list(values), **more}}


@pytest.mark.parametrize(
    "spec",
    [
        {**INDEXED, "backoffLimitPerIndex": 1, "maxFailedIndexes": 5},
        {**INDEXED, "successPolicy": {"rules": [{"succeededIndexes": "0,2-4", "succeededCount": 4}]}},
        {**INDEXED, "backoffLimitPerIndex": 1, **a_rule(action="FailIndex", **exit_codes(1, 2))},
        a_rule(action="Ignore", onPodConditions=[{"type": "DisruptionTarget"}]),
        a_rule(action="FailJob", **exit_codes(0, 1, operator="NotIn")),
    ],
)
def test_good_policies(spec: Any) -> None:
    assert causes_of(a_job(**spec)) == []


@pytest.mark.parametrize(
    ("spec", "field", "message"),
    [
        ({"backoffLimitPerIndex": 1}, "backoffLimitPerIndex", "Invalid value: 1: requires indexed completion mode"),
        (
            {**INDEXED, "maxFailedIndexes": 1},
            "backoffLimitPerIndex",
            "Required value: when maxFailedIndexes is specified",
        ),
        (
            {**INDEXED, "backoffLimitPerIndex": 1, "maxFailedIndexes": 6},
            "maxFailedIndexes",
            "Invalid value: 6: must be less than or equal to completions",
        ),
        (
            a_rule(action="FailIndex", **exit_codes(1)),
            "podFailurePolicy.rules[0].action",
            'Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
        ),
        (
            a_rule(action="FailJob"),
            "podFailurePolicy.rules[0]",
            "Invalid value: specifying one of OnExitCodes and OnPodConditions is required",
        ),
        (
            a_rule(action="FailJob", **exit_codes(0)),
            "podFailurePolicy.rules[0].onExitCodes.values[0]",
            "Invalid value: 0: must not be 0 for the In operator",
        ),
        (
            a_rule(action="FailJob", **exit_codes(3, 2)),
            "podFailurePolicy.rules[0].onExitCodes.values",
            "Invalid value: [3,2]: must be ordered",
        ),
        (
            a_rule(action="FailJob", **exit_codes(1, containerName="other")),
            "podFailurePolicy.rules[0].onExitCodes.containerName",
            'Invalid value: "other": must be one of the container or initContainer names in the pod template',
        ),
        (
            a_rule(action="Explode", **exit_codes(1)),
            "podFailurePolicy.rules[0].action",
            'Unsupported value: "Explode": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
        ),
        (
            {**a_rule(action="Ignore", **exit_codes(1)), "podReplacementPolicy": "TerminatingOrFailed"},
            "podReplacementPolicy",
            'Unsupported value: "TerminatingOrFailed": supported values: "Failed"',
        ),
        (
            {**INDEXED, "successPolicy": {"rules": []}},
            "successPolicy.rules",
            "Required value: at least one rules must be specified when the successPolicy is specified",
        ),
        (
            {**INDEXED, "successPolicy": {"rules": [{"succeededIndexes": "0-5"}]}},
            "successPolicy.rules[0].succeededIndexes",
            'Invalid value: "0-5": error parsing succeededIndexes: too large index: "5"',
        ),
        (
            {**INDEXED, "successPolicy": {"rules": [{"succeededIndexes": "0,1", "succeededCount": 3}]}},
            "successPolicy.rules[0].succeededCount",
            "Invalid value: 3: must be less than or equal to 2 "
            "(the number of indexes in the specified succeededIndexes field)",
        ),
    ],
)
def test_a_bad_policy_is_told_what_is_wrong(spec: Any, field: str, message: str) -> None:
    assert causes_of(a_job(**spec)) == [(f"spec.{field}", message)]
