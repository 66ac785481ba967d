from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from windlass.apps.volcano.controllers.flows.flow_jobs import FROM_FLOW, FROM_TEMPLATE, label_value, merged
from windlass.apps.volcano.controllers.flows.flow_probes import Question, questions
from windlass.apps.volcano.controllers.flows.job_flows import PROBED, list_jobs, reconcile, template_of
from windlass.apps.volcano.kinds.batch import Job, JobSpec, JobState, JobStatus, TaskSpec, TaskState
from windlass.apps.volcano.kinds.flow import (
    DependsOn,
    Flow,
    FlowState,
    HttpGet,
    HttpHeader,
    JobFlow,
    JobFlowSpec,
    JobFlowStatus,
    JobTemplate,
    JobTemplateStatus,
    Patch,
    Probe,
    TaskStatus,
    TcpSocket,
)
from windlass.kube.controller import Observed
from windlass.kube.meta import Key, ObjectMeta, OwnerReference
from windlass.kube.plan import Plan
from windlass.kube.testing import created, deleted

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
OWNER = OwnerReference(api_version="flow.volcano.sh/v1alpha1", kind="JobFlow", name="f", uid="flow", controller=True)
POD: Any = {"spec": {"containers": [{"name": "c", "image": "i", "env": [{"name": "A", "value": "1"}]}]}}


def a_flow(*flows: Flow, phase: Any = None, probed: str = "", policy: Any = None) -> JobFlow:
    return JobFlow(
        metadata=ObjectMeta(name="f", namespace="n", uid="flow", annotations={PROBED: probed} if probed else {}),
        spec=JobFlowSpec(flows=list(flows), job_retain_policy=policy),
        status=JobFlowStatus(state=FlowState(phase=phase)),
    )


def after(name: str, *targets: str, probe: Probe | None = None) -> Flow:
    return Flow(name=name, depends_on=DependsOn(targets=list(targets), probe=probe) if targets else None)


def a_template(name: str, tasks: int = 1) -> JobTemplate:
    made = [TaskSpec(name=f"t{at}", replicas=2, template=POD) for at in range(tasks)]
    return JobTemplate(metadata=ObjectMeta(name=name, namespace="n"), spec=JobSpec(queue="q", tasks=made))


def a_job(name: str, phase: Any = None, pods: dict[str, int] | None = None) -> Job:
    """The job of the flow's template `name`, with a task t0 of two pods."""
    metadata = ObjectMeta(
        name=f"f-{name}",
        namespace="n",
        uid=f"uid-{name}",
        owner_references=[OWNER],
        creation_timestamp="2026-01-01T11:00:00Z",
    )
    state = JobState(phase=phase, last_transition_time="2026-01-01T11:30:00Z")
    counts = {"t0": TaskState(phase=pods)} if pods else {}
    return Job(
        metadata=metadata,
        spec=JobSpec(tasks=[TaskSpec(name="t0", replicas=2)]),
        status=JobStatus(state=state, task_status_count=counts, retry_count=1),
    )


def look(flow: JobFlow, *observed: Job | JobTemplate, now: datetime = NOW) -> Plan:
    return reconcile(flow, Observed.just(*observed, of=flow, now=now))


def made(plan: Plan) -> list[str]:
    return [obj["metadata"]["name"] for obj in created(plan) if isinstance(obj, dict)]


def status_of(plan: Plan) -> JobFlowStatus:
    assert isinstance(plan.status, JobFlowStatus)
    return plan.status


TEMPLATES = [a_template(name) for name in ("a", "b", "c")]
DIAMOND = [after("a"), after("b", "a"), after("c", "a", "b")]


@pytest.mark.parametrize(
    ("jobs", "starts"),
    [
        ([], ["f-a"]),
        ([a_job("a", "Running")], []),
        ([a_job("a", "Failed")], []),
        ([a_job("a", "Completed")], ["f-b"]),
        ([a_job("a", "Completed"), a_job("b", "Running")], []),
        ([a_job("a", "Completed"), a_job("b", "Completed")], ["f-c"]),
    ],
)
def test_a_job_is_made_when_all_that_it_waits_for_have_completed(jobs: list[Job], starts: list[str]) -> None:
    assert made(look(a_flow(*DIAMOND), *TEMPLATES, *jobs)) == starts


def test_flows_with_one_name_make_one_job() -> None:
    twice = a_flow(after("a"), after("b", "a"), after("a"))

    assert made(look(twice, *TEMPLATES)) == ["f-a"]
    assert status_of(look(twice, *TEMPLATES, a_job("a", "Completed"), a_job("b", "Completed"))).state.phase == "Succeed"


def test_a_job_is_its_template_and_says_where_it_comes_from() -> None:
    [job] = created(look(a_flow(after("a")), *TEMPLATES))

    assert isinstance(job, dict)
    assert job["metadata"]["labels"] == {FROM_FLOW: "n.f", FROM_TEMPLATE: "n.a"}
    assert job["metadata"]["annotations"] == {FROM_FLOW: "n.f", FROM_TEMPLATE: "n.a"}
    assert job["spec"] == {"queue": "q", "tasks": [{"name": "t0", "replicas": 2, "template": POD}]}


def test_a_flow_changes_its_template_by_its_patch() -> None:
    changes = {"queue": "fast", "tasks": [{"name": "t0", "replicas": 5}, {"name": "extra", "replicas": 1}]}
    flow = Flow(name="a", patch=Patch(job_spec=changes))

    [job] = created(look(a_flow(flow), *TEMPLATES))

    assert isinstance(job, dict)
    assert job["spec"] == {
        "queue": "fast",
        "tasks": [{"name": "t0", "replicas": 5, "template": POD}, {"name": "extra", "replicas": 1}],
    }


@pytest.mark.parametrize(
    ("base", "patch", "gives"),
    [
        ({"a": 1, "b": 2}, {"b": None, "c": 3}, {"a": 1, "c": 3}),
        ({"a": {"b": 1}}, {"a": {"c": 2}}, {"a": {"b": 1, "c": 2}}),
        ({"policies": [1, 2]}, {"policies": [3]}, {"policies": [3]}),
        ({"env": [{"name": "A", "v": 1}]}, {"env": [{"name": "A", "v": 2}]}, {"env": [{"name": "A", "v": 2}]}),
        (
            {"volumes": [{"mountPath": "/a", "x": 1}]},
            {"volumes": [{"mountPath": "/b"}]},
            {"volumes": [{"mountPath": "/a", "x": 1}, {"mountPath": "/b"}]},
        ),
        ({}, {"tasks": [{"name": "t"}]}, {"tasks": [{"name": "t"}]}),
    ],
)
def test_what_a_patch_makes_of_a_spec(base: Any, patch: Any, gives: Any) -> None:
    assert merged(base, patch) == gives


def test_a_label_that_would_be_too_long_is_cut() -> None:
    assert len(label_value(Key("n" * 40, "m" * 40))) == 63
    assert label_value(Key("n" * 62, "m")) == "n" * 62


def test_a_template_that_is_not_there_is_told_of_and_looked_for_again() -> None:
    plan = look(a_flow(after("a"), after("missing")), *TEMPLATES)

    assert made(plan) == ["f-a"]
    assert [(note.reason, note.warning) for note in plan.events] == [("JobTemplateNotFound", True)]
    assert '"missing"' in plan.events[0].message
    assert plan.again_in is not None


@pytest.mark.parametrize(
    ("phases", "becomes"),
    [
        ([], "Pending"),
        (["Pending"], "Pending"),
        (["Running"], "Running"),
        (["Completed"], "Running"),
        (["Completed", "Aborted"], "Running"),
        (["Completed", "Failed"], "Failed"),
        (["Completed", "Terminated"], "Failed"),
        (["Completed", "Completed"], "Running"),
        (["Completed", "Completed", "Completed"], "Succeed"),
    ],
)
def test_the_phase_of_a_flow(phases: list[str], becomes: str) -> None:
    jobs = [a_job(name, phase) for name, phase in zip("abc", phases, strict=False)]

    assert status_of(look(a_flow(*DIAMOND), *TEMPLATES, *jobs)).state.phase == becomes


def test_the_status_lists_jobs_by_phase_and_keeps_their_histories() -> None:
    first = status_of(look(a_flow(*DIAMOND), *TEMPLATES, a_job("a", "Running"), a_job("b")))
    flow = msgspec.structs.replace(a_flow(*DIAMOND), status=first)
    later = NOW + timedelta(minutes=1)

    second = status_of(look(flow, *TEMPLATES, a_job("a", "Completed"), now=later))
    again = status_of(look(msgspec.structs.replace(flow, status=second), *TEMPLATES, a_job("a", "Completed")))

    assert (first.running_jobs, first.un_know_jobs, second.completed_jobs) == (["f-a"], ["f-b"], ["f-a"])
    [of_a, of_b] = second.job_status_list
    assert (of_a.state, of_a.end_timestamp, of_a.restart_count) == ("Completed", "2026-01-01T11:30:00Z", 1)
    assert [(one.state, one.end_timestamp) for one in of_a.running_histories] == [
        ("Running", "2026-01-01T12:01:00Z"),
        ("Completed", None),
    ]
    assert of_b.name == "f-b"
    assert second.conditions["f-a"].phase == "Completed"
    assert again == second


@pytest.mark.parametrize(("policy", "goes"), [("delete", 1), ("retain", 0), (None, 0)])
def test_jobs_of_a_flow_that_succeeded_go_if_it_says_so_and_none_is_made_again(policy: Any, goes: int) -> None:
    plan = look(a_flow(*DIAMOND, phase="Succeed", policy=policy), *TEMPLATES, a_job("a", "Completed"))

    assert (len(deleted(plan)), made(plan), plan.status) == (goes, [], None)


# --- probes

RUNNING = Probe(task_status_list=[TaskStatus(task_name="t0", phase="Running")])
LISTENING = Probe(
    http_get_list=[HttpGet(task_name="t0", path="ready", port=80, http_header=HttpHeader(name="X", value="y"))],
    tcp_socket_list=[TcpSocket(port=22)],
)


@pytest.mark.parametrize(
    ("job", "starts"),
    [
        (None, False),
        (a_job("a", "Running", {"Pending": 2}), False),
        (a_job("a", "Running", {"Running": 1, "Pending": 1}), False),
        (a_job("a", "Running", {"Running": 2}), True),
        (a_job("a", "Running", {"Running": 1, "Succeeded": 1}), True),
        (a_job("a", "Completed"), True),
    ],
)
def test_a_flow_may_wait_for_a_phase_of_the_pods_of_a_task(job: Job | None, starts: bool) -> None:
    flow = a_flow(after("a"), after("b", "a", probe=RUNNING))

    assert ("f-b" in made(look(flow, *TEMPLATES, *([job] if job else [])))) == starts


def test_a_flow_that_asks_pods_starts_when_that_was_noted() -> None:
    flows = [after("a"), after("b", "a", probe=LISTENING)]
    running, completed = a_job("a", "Running"), a_job("a", "Completed")

    assert made(look(a_flow(*flows), *TEMPLATES, running)) == []
    assert made(look(a_flow(*flows, probed="x,b"), *TEMPLATES, running)) == ["f-b"]
    assert made(look(a_flow(*flows), *TEMPLATES, completed)) == ["f-b"]


def test_every_pod_of_the_tasks_that_a_probe_names_is_asked() -> None:
    one = after("b", "a", probe=LISTENING)
    flow = a_flow(after("a"), one)

    asked = questions(flow, one, Observed.just(a_job("a", "Running"), of=flow))

    assert asked == [
        Question(Key("n", "f-a-t0-0"), 80, "/ready", (("X", "y"),)),
        Question(Key("n", "f-a-t0-1"), 80, "/ready", (("X", "y"),)),
        Question(Key("n", "f-a-t0-0"), 22),
        Question(Key("n", "f-a-t0-1"), 22),
    ]
    assert questions(flow, one, Observed.just(of=flow)) is None


def test_a_template_lists_the_jobs_that_were_made_from_it() -> None:
    template = a_template("a")
    job = a_job("a")
    metadata = msgspec.structs.replace(job.metadata, labels={FROM_TEMPLATE: "n.a"}, annotations={FROM_TEMPLATE: "n.a"})
    job = msgspec.structs.replace(job, metadata=metadata)

    plan = list_jobs(template, Observed.just(job, a_job("b"), of=template))

    assert plan.status == JobTemplateStatus(job_depends_on_list=["f-a"])
    assert template_of(job) == Key("n", "a")
    assert template_of(a_job("b")) is None
