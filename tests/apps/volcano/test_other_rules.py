"""PodGroups, pods, cron jobs, flows and hypernodes: what is wrong with them, in the words of Volcano's webhooks."""

from typing import Any

import pytest

from windlass.apps.volcano.cron_job_validation import cron_job_problems
from windlass.apps.volcano.hyper_node_validation import hyper_node_problem, selector_causes
from windlass.apps.volcano.job_flow_validation import job_flow_problem, job_flow_warnings
from windlass.apps.volcano.pod_group_validation import creation_problems, with_queue
from windlass.apps.volcano.pod_validation import pod_problem

from .builders import a_queue, a_task, any_template, queues

BOTH = {"highestTierAllowed": 1, "highestTierName": "rack"}
TWO_LIMITS = "must not specify 'highestTierAllowed' and 'highestTierName' in networkTopology simultaneously."


@pytest.mark.parametrize(
    ("spec", "annotation", "queue"),
    [
        ({"queue": "default"}, "night", "night"),
        ({}, "night", "night"),
        ({"queue": "day"}, "night", "day"),
        ({"queue": "default"}, None, "default"),
    ],
)
def test_a_pod_group_that_names_no_queue_goes_to_that_of_its_namespace(spec: Any, annotation: Any, queue: str) -> None:
    namespace = {"metadata": {"annotations": {"scheduling.volcano.sh/queue-name": annotation}}}

    assert with_queue({"spec": spec}, namespace)["spec"]["queue"] == queue
    assert with_queue({"spec": spec}, None) == {"spec": spec}
    assert with_queue({"spec": 5}, namespace) == {"spec": 5}


@pytest.mark.parametrize(
    ("spec", "queue", "told"),
    [
        ({"queue": "q"}, a_queue("q"), ""),
        ({"queue": "q"}, a_queue("q", status={}), ""),
        ({"queue": "q"}, None, 'unable to find queue: queue.scheduling.volcano.sh "q" not found'),
        ({"queue": "q"}, a_queue("q", status={"state": "Closing"}),
         "can only submit PodGroup to queue with state `Open`, queue `q` status is `Closing`."),
        ({"queue": "q", "networkTopology": BOTH}, a_queue("q"), TWO_LIMITS),
        ({"queue": "q", "subGroupPolicy": [{"name": "s", "networkTopology": BOTH}]}, None,
         'unable to find queue: queue.scheduling.volcano.sh "q" not found; '
         f"in subGroupPolicy 's': {TWO_LIMITS}"),
    ],
)  # fmt: skip
def test_a_pod_group_goes_to_an_open_queue_and_has_one_limit(spec: Any, queue: Any, told: str) -> None:
    assert creation_problems({"spec": spec}, queue) == told


LEAST, MOST = "volcano.sh/jdb-min-available", "volcano.sh/jdb-max-unavailable"


@pytest.mark.parametrize(
    ("annotations", "told"),
    [
        ({}, ""),
        ({LEAST: "1"}, ""),
        ({MOST: "25%"}, ""),
        ({LEAST: "0"}, f'invalid value <"0"> for {LEAST}, it must be a positive integer'),
        ({MOST: "100%"}, f'invalid value <"100%"> for {MOST}, it must be a valid percentage which between 1% ~ 99%'),
        ({MOST: "few"}, f'invalid value strconv.Atoi: parsing "few": invalid syntax for {MOST}'),
        ({LEAST: "1", MOST: "1"}, f"not allow configure multiple annotations <[{LEAST} {MOST}]> at same time"),
    ],
)
def test_a_pod_of_volcanos_scheduler_has_one_good_budget(annotations: Any, told: str) -> None:
    pod = {"metadata": {"annotations": annotations}, "spec": {"schedulerName": "volcano"}}

    assert pod_problem(pod) == told
    assert pod_problem({**pod, "spec": {"schedulerName": "default-scheduler"}}) == ""


def a_cron_job(name: str = "nightly", job: Any = None, **spec: Any) -> Any:
    job = {"tasks": [a_task()]} if job is None else job
    return {"metadata": {"name": name}, "spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": job}, **spec}}


@pytest.mark.parametrize(
    ("cron_job", "told"),
    [
        (a_cron_job(), ""),
        (a_cron_job(timeZone="Europe/Berlin"), ""),
        (a_cron_job(job={"tasks": [{"replicas": 1}]}), ""),
        (a_cron_job(schedule=""), "schedule is required, but got empty"),
        (a_cron_job(schedule="TZ=UTC 0 3 * * *"),
         "schedule should not contain TZ or CRON_TZ, TZ should only be set in the timeZone field"),
        (a_cron_job(schedule="0 3 * *"),
         "schedule is not a valid cron expression: expected exactly 5 fields, found 4: [0 3 * *]"),
        (a_cron_job(timeZone=""), "timeZone must be nil or non-empty string, got empty string"),
        (a_cron_job(timeZone="local"),
         "timeZone can't be Local, and must be defined in https://www.iana.org/time-zones"),
        (a_cron_job(timeZone="Mars/Base"), "invalid timeZone: Mars/Base"),
        (a_cron_job(timeZone="../etc"), "invalid timeZone: ../etc"),
        (a_cron_job("n" * 53),
         "cronJob name must be no more than 52 characters to accommodate job name suffix (max 63 total)"),
        (a_cron_job(job={}), "No task specified in job spec"),
        (a_cron_job(job={"tasks": [a_task(minAvailable=1), a_task()], "queue": "nope"}, timeZone="x"),
         "invalid timeZone: x duplicated task name worker;"
         ' unable to find job queue: queue.scheduling.volcano.sh "nope" not found;'),
    ],
)  # fmt: skip
def test_a_cron_job_has_a_schedule_a_zone_and_a_good_job(cron_job: Any, told: str) -> None:
    assert cron_job_problems(cron_job, queues(), any_template) == told


def a_flow(**targets: list[str]) -> Any:
    flows = [{"name": name, **({"dependsOn": {"targets": needs}} if needs else {})} for name, needs in targets.items()]
    return {"spec": {"flows": flows}}


def patched(**job_spec: Any) -> Any:
    return {"spec": {"flows": [{"name": "a", "patch": {"jobSpec": job_spec}}]}}


@pytest.mark.parametrize(
    ("flow", "told"),
    [
        ({}, ""),
        (a_flow(a=[], b=["a"], c=["a"], d=["b", "c"]), ""),
        (a_flow(a=["b"], b=["a"]), "jobflow Flow is not DAG"),
        (a_flow(a=["a"]), "jobflow Flow is not DAG"),
        (a_flow(a=[], b=["c"]), "jobflow Flow is not DAG: vertex is not defined: c"),
        ({"spec": {"flows": [{"name": "a"}, {"name": "a"}]}}, ""),
        (patched(queue="night", tasks=[{"name": "w", "replicas": 3}]), ""),
        (patched(queue="Not A Queue"),
         "patch.jobSpec of flow a: Expected `str` matching regex"
         r" '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$' - at `$.queue`"),
        (patched(tasks=[{"replicas": "three"}]),
         "patch.jobSpec of flow a: Expected `int`, got `str` - at `$.tasks[0].replicas`"),
    ],
)  # fmt: skip
def test_flows_come_one_after_the_other(flow: Any, told: str) -> None:
    assert job_flow_problem(flow) == told


def test_flows_with_one_name_are_warned_of() -> None:
    flow = {"spec": {"flows": [{"name": "a"}, {"name": "b"}, {"name": "a"}]}}

    assert job_flow_warnings(flow) == ["spec.flows[2].name: a is defined twice and creates one job"]


def a_member(kind: str = "Node", **selector: Any) -> Any:
    return {"type": kind, "selector": selector}


def a_hyper_node(*members: Any) -> Any:
    return {"spec": {"tier": 1, "members": list(members)}}


def no_brackets(pattern: str) -> str:
    return "it has a bracket" if "[" in pattern else ""


EXACT, REGEX, LABELS = {"name": "node-1"}, {"pattern": "^node-.*$"}, {"matchLabels": {"rack": "1"}}
AT = "spec.members.selector"


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ([], "spec.members: Invalid value: []: member must have at least one member"),
        ([a_member(exactMatch=EXACT), a_member(regexMatch=REGEX), a_member(labelMatch=LABELS)], ""),
        ([a_member("HyperNode", exactMatch={"name": "leaf-1"})], ""),
        ([a_member(exactMatch={})], f'{AT}.exactMatch.name: Invalid value: "": member exactMatch name is required'),
        ([a_member(regexMatch={"pattern": ""})],
         f'{AT}.regexMatch.pattern: Invalid value: "": member regexMatch pattern is required'),
        ([a_member(regexMatch={"pattern": "a["})],
         f'{AT}.regexMatch.pattern: Invalid value: "a[": member regexMatch pattern is invalid: it has a bracket'),
        ([a_member("HyperNode", labelMatch={})],
         f"{AT}.labelMatch: Invalid value: {{}}: labelMatch selects members of type Node only"),
    ],
)  # fmt: skip
def test_a_member_is_selected_by_something_that_can_be(members: Any, told: str) -> None:
    assert hyper_node_problem(a_hyper_node(*members), no_brackets) == told


def test_a_name_that_no_node_can_have_is_refused() -> None:
    found = hyper_node_problem(a_hyper_node(a_member(exactMatch={"name": "a b"})), no_brackets)

    assert found.startswith(f'{AT}.exactMatch.name: Invalid value: "a b": member exactMatch validate failed [name part')


@pytest.mark.parametrize(
    ("selector", "told"),
    [
        ({"exactMatch": EXACT}, []),
        ({"labelMatch": {}}, []),
        ({}, ["Either ExactMatch or RegexMatch or LabelMatch must be specified"]),
        ({"exactMatch": EXACT, "regexMatch": REGEX},
         ["Only one of ExactMatch, RegexMatch, or LabelMatch can be specified"]),
    ],
)  # fmt: skip
def test_a_member_has_one_selector(selector: Any, told: list[str]) -> None:
    causes = selector_causes(a_hyper_node(a_member(exactMatch=EXACT), a_member(**selector)))

    assert [(cause.field, cause.message) for cause in causes] == [
        ("spec.members[1].selector", f'Invalid value: "object": {text}') for text in told
    ]
