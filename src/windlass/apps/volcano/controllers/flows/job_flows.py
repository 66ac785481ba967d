"""JobFlow -> the Jobs of its flows, each when those that it waits for are done, or are as its probe wants them.

Whether pods answer at their ports is found out by `flow_probes`, which notes it on the JobFlow.
"""

from collections.abc import Iterable, Mapping
from datetime import timedelta

from windlass.apps.volcano.controllers.flows.flow_jobs import FROM_TEMPLATE, job_from, job_name, label_value
from windlass.apps.volcano.controllers.flows.flow_status import SUCCEED, status_of
from windlass.apps.volcano.controllers.names import COMPONENT
from windlass.apps.volcano.kinds.batch import Job
from windlass.apps.volcano.kinds.flow import DependsOn, Flow, JobFlow, JobTemplate, JobTemplateStatus
from windlass.kube.controller import ALL_OBJECTS, Controller, Observed
from windlass.kube.meta import Key
from windlass.kube.objects import key_of
from windlass.kube.plan import Create, Delete, Event, Outcome, Plan

PROBED = "volcano.sh/probed-flows"
"""Annotation of a JobFlow: the flows, parted by commas, whose pods have answered as their probes want it."""
COMPLETED = "Completed"
SAME = {"Completed": "Succeeded"}
LATER = {"Pending": ("Running", "Succeeded"), "Running": ("Succeeded",)}
"""Phases of pods that come after another, and so mean that it was reached."""
TEMPLATE_AGAIN = timedelta(seconds=30)


def reconcile(flow: JobFlow, observed: Observed) -> Plan:
    jobs = {job.metadata.name: job for job in observed.owned(Job)}
    if flow.metadata.deletion_timestamp is not None:
        return Plan()
    if flow.status.state.phase == SUCCEED:
        return Plan([*map(Delete, jobs.values())] if flow.spec.job_retain_policy == "delete" else [])
    missing = [one for one in flow.spec.flows if job_name(flow, one.name) not in jobs]
    due = _each_once(one for one in missing if may_start(flow, one, jobs))
    templates = {one.name: observed.one(JobTemplate, one.name) for one in due}
    absent = [name for name, template in templates.items() if template is None]
    status = status_of(flow, list(jobs.values()), observed.now)
    return Plan(
        [*(Create(job_from(flow, one, template)) for one in due if (template := templates[one.name]) is not None)],
        status=status,
        status_if_refused=lambda _: status,  # a closed queue refuses one job: the status still counts the others
        events=[_no_template(name) for name in absent],
        again_in=TEMPLATE_AGAIN if absent else None,
    )


def _each_once(flows: Iterable[Flow]) -> list[Flow]:
    """The first of those with one name, which make the same job."""
    return list({one.name: one for one in reversed(list(flows))}.values())[::-1]


def _no_template(name: str) -> Event:
    message = f'there is no JobTemplate "{name}" in this namespace, so its job cannot be created'
    return Event(reason="JobTemplateNotFound", message=message, warning=True)


# --- what a flow waits for


def may_start(flow: JobFlow, one: Flow, jobs: Mapping[str, Job]) -> bool:
    """A target that has completed is waited for no more, whatever a probe would say of pods that are gone."""
    waits_for = one.depends_on
    if waits_for is None:
        return True
    targets = [jobs.get(job_name(flow, name)) for name in waits_for.targets]
    running = [job for job in targets if job is None or job.status.state.phase != COMPLETED]
    if not running:
        return True
    alive = [job for job in running if job is not None]
    if waits_for.probe is None or len(alive) < len(running):
        return False
    return task_probes_hold(waits_for, alive) and (not asks_pods(waits_for) or one.name in probed(flow))


def task_probes_hold(waits_for: DependsOn, targets: list[Job]) -> bool:
    """Whether the tasks that a probe names are in the phases that it names, in each target that has them."""
    probes = waits_for.probe.task_status_list if waits_for.probe is not None else []
    return all(
        _reached(job, name, SAME.get(probe.phase, probe.phase))
        for probe in probes
        for job in targets
        for name in tasks_of(job, probe.task_name)
    )


def _reached(job: Job, task: str, phase: str) -> bool:
    """Whether as many pods of a task as it needs are in a phase, or past it."""
    spec = next(one for one in job.spec.tasks if one.name == task)
    counts = job.status.task_status_count[task].phase if task in job.status.task_status_count else {}
    needed = spec.replicas if spec.min_available is None else spec.min_available
    return sum(counts.get(each, 0) for each in (phase, *LATER.get(phase, ()))) >= max(1, needed)


def tasks_of(job: Job, named: str) -> list[str]:
    """Which tasks of a job a probe means: the one that it names, or all."""
    return [task.name for task in job.spec.tasks if named in ("", task.name)]


def asks_pods(waits_for: DependsOn) -> bool:
    probe = waits_for.probe
    return probe is not None and bool(probe.http_get_list or probe.tcp_socket_list)


def probed(flow: JobFlow) -> frozenset[str]:
    return frozenset(filter(None, flow.metadata.annotations.get(PROBED, "").split(",")))


def event_for(_: JobFlow, outcome: Outcome) -> Event | None:
    name = key_of(outcome.obj).name
    if outcome.verb == "create" and outcome.error is None:
        return Event(reason="Created", message=f"create a job named {name}!")
    if outcome.verb == "create" and outcome.error is not None:
        return Event(
            reason="FailedCreate", message=f"failed to create job {name}: {outcome.error.message}", warning=True
        )
    return None


CONTROLLER = Controller(
    "volcano-jobflow",
    JobFlow,
    reconcile,
    owns=[Job],
    watches=[(JobTemplate, ALL_OBJECTS)],
    event_for=event_for,
    component=COMPONENT,
)


# --- which jobs were made from a template


def list_jobs(template: JobTemplate, observed: Observed) -> Plan:
    made = observed.labelled(Job, {FROM_TEMPLATE: label_value(template.metadata.key)})
    return Plan(status=JobTemplateStatus(job_depends_on_list=[job.metadata.name for job in made]))


def template_of(job: Job) -> Key | None:
    namespace, _, name = job.metadata.annotations.get(FROM_TEMPLATE, "").partition(".")
    return Key(namespace, name) if name else None


TEMPLATES = Controller("volcano-jobtemplate", JobTemplate, list_jobs, watches=[(Job, template_of)], component=COMPONENT)
