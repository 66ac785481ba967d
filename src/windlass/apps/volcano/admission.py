"""Admission of Volcano's kinds, with the names, paths and messages of Volcano's webhooks."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from windlass.apis.admission import CREATE, DELETE, UPDATE, Facts, Mutation, Request, Rule, Validation, Verdict, refused
from windlass.apis.core_v1 import Namespace, Pod
from windlass.apis.scheduling_volcano_v1beta1 import PodGroup, Queue
from windlass.apis.topology_volcano_v1alpha1 import HyperNode
from windlass.apps.volcano import job_defaults, pod_group_validation, queue_defaults
from windlass.apps.volcano.cron_job_validation import cron_job_problems
from windlass.apps.volcano.hyper_node_validation import hyper_node_problem, selector_causes
from windlass.apps.volcano.job_flow_validation import job_flow_problem, job_flow_warnings
from windlass.apps.volcano.job_updates import update_problem
from windlass.apps.volcano.job_validation import creation_problems, job_warnings
from windlass.apps.volcano.kinds.batch import CronJob, Job
from windlass.apps.volcano.kinds.flow import JobFlow
from windlass.apps.volcano.pod_validation import SCHEDULER, pod_problem
from windlass.apps.volcano.queue_validation import deletion_problem, queue_problem
from windlass.kube.errors import Invalid
from windlass.kube.json import Object, dig
from windlass.kube.kind import KINDS

VALIDATOR, MUTATOR = "validator.volcano.sh", "mutator.volcano.sh"
_TOPOLOGY = "topology.volcano.sh"
_OF_VOLCANO: Object = {
    "name": "volcano",
    "expression": "has(object.spec.schedulerName) && object.spec.schedulerName == 'volcano'",
}
"""Restricts the webhook to Volcano's pods: others must start whether or not a manager answers."""


def _is_of_volcano(pod: Object) -> bool:
    return pod["spec"].get("schedulerName") == SCHEDULER


def queues(facts: Facts) -> Mapping[str, Object]:
    """Return all queues by name."""
    return {queue["metadata"]["name"]: queue for queue in facts.list(Queue)}


def _fill_in_job(request: Request, facts: Facts) -> Object:
    return job_defaults.with_defaults(request.obj or {})


def _fill_in_queue(request: Request, facts: Facts) -> Object:
    return queue_defaults.with_defaults(request.obj or {})


def _fill_in_pod_group(request: Request, facts: Facts) -> Object:
    return pod_group_validation.with_queue(request.obj or {}, facts.get(Namespace, request.namespace))


_Check: TypeAlias = Callable[[Object, Object | None, Facts], str]
"""Returns why an object is refused, given the object that it replaces; empty if it is accepted."""


def _job(job: Object, old: Object | None, facts: Facts) -> str:
    return creation_problems(job, queues(facts), facts.checks.pod_template) if old is None else update_problem(job, old)


def _cron_job(cron_job: Object, old: Object | None, facts: Facts) -> str:
    return cron_job_problems(cron_job, queues(facts), facts.checks.pod_template)


def _job_flow(flow: Object, old: Object | None, facts: Facts) -> str:
    return job_flow_problem(flow)


def _pod_group(group: Object, old: Object | None, facts: Facts) -> str:
    if old is not None:
        return ""
    return pod_group_validation.creation_problems(group, facts.get(Queue, pod_group_validation.queue_of(group)))


def _queue(queue: Object, old: Object | None, facts: Facts) -> str:
    return queue_problem(queue, old, queues(facts))


def _hyper_node(node: Object, old: Object | None, facts: Facts) -> str:
    causes = selector_causes(node)
    if causes:
        raise Invalid.of("HyperNode", _TOPOLOGY, str(dig(node, "metadata", "name") or ""), causes)
    return hyper_node_problem(node, facts.checks.pattern)


def _pod(pod: Object, old: Object | None, facts: Facts) -> str:
    return pod_problem(pod)


def _warnings(request: Request) -> list[str]:
    """Return the fields that are accepted and have no effect."""
    obj = request.obj or {}
    if request.kind == "Job" and request.old is None:
        return job_warnings(obj)
    if request.kind == "CronJob" and not request.keeps_spec:
        return job_warnings(dig(obj, "spec", "jobTemplate") or {})
    if request.kind == "JobFlow" and not request.keeps_spec:
        return job_flow_warnings(obj)
    return []


def _validation(
    declared: type,
    check: _Check,
    *operations: str,
    conditions: tuple[Object, ...] = (),
    concerns: Callable[[Object], bool] | None = None,
) -> Validation:
    kind = KINDS.of(declared)

    def validate(request: Request, facts: Facts) -> Verdict:
        if request.obj is None:
            return refused(deletion_problem(request.name, queues(facts)), forbidden=False)
        if request.keeps_spec and declared is not Queue:  # a queue's parents and children are checked at every write
            return Verdict(warnings=_warnings(request))
        return refused(check(request.obj, request.old, facts), _warnings(request), forbidden=False)

    return Validation(
        kind=kind,
        name=f"validate{kind.name.lower()}.volcano.sh",
        path=f"/{kind.plural}/validate",
        configuration=VALIDATOR,
        operations=operations,
        conditions=conditions,
        concerns=concerns,
        validate=validate,
    )


def _mutation(declared: type, mutate: Callable[[Request, Facts], Object]) -> Mutation:
    kind = KINDS.of(declared)
    return Mutation(
        kind=kind,
        name=f"mutate{kind.name.lower()}.volcano.sh",
        path=f"/{kind.plural}/mutate",
        configuration=MUTATOR,
        operations=(CREATE,),
        mutate=mutate,
    )


RULES: tuple[Rule, ...] = (
    _mutation(Job, _fill_in_job),
    _validation(Job, _job, CREATE, UPDATE),
    _validation(CronJob, _cron_job, CREATE, UPDATE),
    _validation(JobFlow, _job_flow, CREATE, UPDATE),
    _mutation(PodGroup, _fill_in_pod_group),
    _validation(PodGroup, _pod_group, CREATE),
    _mutation(Queue, _fill_in_queue),
    _validation(Queue, _queue, CREATE, UPDATE, DELETE),
    _validation(HyperNode, _hyper_node, CREATE, UPDATE),
    _validation(Pod, _pod, CREATE, conditions=(_OF_VOLCANO,), concerns=_is_of_volcano),
)
