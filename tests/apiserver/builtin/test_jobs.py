"""Jobs and CronJobs: defaults, the selector that is made from the uid, and schedules."""

from typing import Any

import pytest

from tests.apiserver.builtin.kinds_builders import (
    UID,
    a_job,
    causes_of,
    changed,
    created,
    defaulted,
    example,
    strategy_of,
    update_causes,
)
from windlass.kube.cron import schedule_problem
from windlass.kube.json import Object

OWN_LABELS = {
    "batch.kubernetes.io/controller-uid": UID,
    "controller-uid": UID,
    "batch.kubernetes.io/job-name": "a",
    "job-name": "a",
}


def test_a_job_gets_its_defaults() -> None:
    spec = defaulted(a_job())["spec"]

    assert {field: value for field, value in spec.items() if field != "template"} == {
        "completions": 1,
        "parallelism": 1,
        "backoffLimit": 6,
        "completionMode": "NonIndexed",
        "manualSelector": False,
        "podReplacementPolicy": "TerminatingOrFailed",
        "suspend": False,
    }


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"parallelism": 3}, (None, 3)),
        ({"completions": 3}, (3, 1)),
    ],
)
def test_completions_are_left_open_when_only_parallelism_is_given(given: Object, wanted: Any) -> None:
    spec = defaulted(a_job(**given))["spec"]

    assert (spec.get("completions"), spec["parallelism"]) == wanted


def test_a_new_job_selects_only_its_own_pods() -> None:
    job = created(a_job())
    spec = job["spec"]

    assert spec["template"]["metadata"]["labels"] == OWN_LABELS == job["metadata"]["labels"]
    assert spec["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": UID}}


def test_a_manual_selector_is_left_alone_and_must_be_there() -> None:
    assert causes_of(a_job(manualSelector=True)) == [("spec.selector", "Required value")]


def test_labels_of_another_job_are_refused() -> None:
    job = changed(a_job(), "spec.template.metadata", {"labels": {"controller-uid": "other"}})

    labels = '{"controller-uid":"other"'
    [(field, message)] = causes_of(job)
    assert field == "spec.template.metadata.labels[controller-uid]"
    assert message.startswith(f"Invalid value: {labels}")
    assert message.endswith(f"must be '{UID}'")


def test_a_selector_of_ones_own_is_refused() -> None:
    causes = causes_of(a_job(selector={"matchLabels": {"app": "b"}}))

    assert ("spec.selector", "`selector` not auto-generated") in [(f, m.rpartition(": ")[2]) for f, m in causes]


@pytest.mark.parametrize(
    ("path", "value", "cause"),
    [
        (
            "spec.template.spec.restartPolicy",
            None,
            ("spec.template.spec.restartPolicy", 'Required value: valid values: "OnFailure", "Never"'),
        ),
        ("spec.backoffLimit", -1, ("spec.backoffLimit", "Invalid value: -1: must be greater than or equal to 0")),
        (
            "spec.completionMode",
            "Random",
            ("spec.completionMode", 'Unsupported value: "Random": supported values: "NonIndexed", "Indexed"'),
        ),
    ],
)
def test_a_bad_job_is_told_what_is_wrong(path: str, value: Any, cause: tuple[str, str]) -> None:
    assert causes_of(changed(a_job(), path, value)) == [cause]


def test_the_template_of_a_job_may_not_change() -> None:
    new = changed(a_job(), "spec.template.spec.containers.0.image", "other")

    [(field, message)] = update_causes(new, a_job())

    assert field == "spec.template"
    assert message.endswith(": field is immutable")


def test_a_suspended_job_may_still_be_steered() -> None:
    old = a_job(suspend=True)

    assert update_causes(changed(old, "spec.template.spec.nodeSelector", {"gpu": "yes"}), old) == []
    assert update_causes(changed(old, "spec.suspend", False), old) == []


def test_parallelism_may_change() -> None:
    assert update_causes(a_job(parallelism=5, completions=5), a_job(parallelism=1, completions=5)) == []


def test_a_cron_job_gets_its_defaults() -> None:
    spec = defaulted(example("CronJob", "batch"))["spec"]

    assert spec["concurrencyPolicy"] == "Allow"
    assert (spec["successfulJobsHistoryLimit"], spec["failedJobsHistoryLimit"], spec["suspend"]) == (3, 1, False)
    assert spec["jobTemplate"]["spec"]["template"]["spec"]["dnsPolicy"] == "ClusterFirst"


@pytest.mark.parametrize(
    ("path", "value", "cause"),
    [
        ("spec.schedule", "", ("spec.schedule", "Required value")),
        (
            "spec.schedule",
            "* * *",
            ("spec.schedule", 'Invalid value: "* * *": expected exactly 5 fields, found 3: [* * *]'),
        ),
        (
            "spec.schedule",
            "TZ=UTC * * * * *",
            (
                "spec.schedule",
                'Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
            ),
        ),
        ("spec.timeZone", "Mars/Base", ("spec.timeZone", 'Invalid value: "Mars/Base": unknown time zone Mars/Base')),
        (
            "spec.concurrencyPolicy",
            "Never",
            ("spec.concurrencyPolicy", 'Unsupported value: "Never": supported values: "Allow", "Forbid", "Replace"'),
        ),
        (
            "metadata.name",
            "a" * 53,
            ("metadata.name", f'Invalid value: "{"a" * 53}": must be no more than 52 characters'),
        ),
        (
            "spec.jobTemplate.spec.template.spec.restartPolicy",
            "Always",
            (
                "spec.jobTemplate.spec.template.spec.restartPolicy",
                'Required value: valid values: "OnFailure", "Never"',
            ),
        ),
    ],
)
def test_a_bad_cron_job_is_told_what_is_wrong(path: str, value: Any, cause: tuple[str, str]) -> None:
    assert causes_of(changed(example("CronJob", "batch"), path, value)) == [cause]


@pytest.mark.parametrize(
    "schedule",
    [
        "* * * * *",
        "*/15 0-6,22 1 jan-MAR mon",
        "0 0 ? * 1-5/2",
        "5/10 * * * *",
        "@hourly",
        "@midnight",
        "@every 1h30m",
    ],
)
def test_a_good_schedule_has_no_problem(schedule: str) -> None:
    assert schedule_problem(schedule) == ""


@pytest.mark.parametrize(
    ("schedule", "problem"),
    [
        ("60 * * * *", "end of range (60) above maximum (59): 60"),
        ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
        ("5-2 * * * *", "beginning of range (5) beyond end of range (2): 5-2"),
        ("*/0 * * * *", "step of range should be a positive number: */0"),
        ("x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'),
        ("1/2/3 * * * *", "too many slashes: 1/2/3"),
        ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
        ("@sometimes", "unrecognized descriptor: @sometimes"),
        ("@every day", 'failed to parse duration @every day: time: invalid duration "day"'),
    ],
)
def test_a_bad_schedule_is_told_what_is_wrong(schedule: str, problem: str) -> None:
    assert schedule_problem(schedule) == problem


def test_jobs_can_be_selected_by_success() -> None:
    job = changed(a_job(), "status.succeeded", 2)

    assert strategy_of(job).selectable_fields(job) == {"status.successful": "2"}
