"""What Volcano's webhooks make of its kinds and what they refuse, by kind: for the server and for webhooks alike. Pure.

`Facts` is what must be known of the cluster besides the object, `Checks` what is the API server's own to say.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from windlass.apis.volcano import job_defaults, pod_group_validation, queue_defaults
from windlass.apis.volcano.cron_job_validation import cron_job_problems
from windlass.apis.volcano.hyper_node_validation import PatternCheck, hyper_node_problem, selector_causes
from windlass.apis.volcano.job_flow_validation import job_flow_problem, job_flow_warnings
from windlass.apis.volcano.job_updates import update_problem
from windlass.apis.volcano.job_validation import TemplateCheck, creation_problems, job_warnings
from windlass.apis.volcano.queue_validation import deletion_problem, queue_problem
from windlass.kube.errors import Invalid
from windlass.kube.json import Object, dig

TOPOLOGY = "topology.volcano.sh"


class Facts(Protocol):
    """Of the cluster as it is now."""

    def queues(self) -> Mapping[str, Object]:
        """All there are, by name."""
        ...

    def queue(self, name: str) -> Object | None: ...

    def namespace(self, name: str) -> Object | None: ...


@dataclass(frozen=True)
class Checks:
    """Of a pod template, and of a regular expression."""

    template: TemplateCheck
    pattern: PatternCheck


def filled(kind: str, obj: Object, namespace: str, facts: Facts) -> Object:
    """An object that is made, with what it leaves out; `obj` is left alone."""
    match kind:
        case "Job":
            return job_defaults.with_defaults(obj)
        case "Queue":
            return queue_defaults.with_defaults(obj)
        case "PodGroup":
            return pod_group_validation.with_queue(obj, facts.namespace(namespace))
        case _:
            return obj


def problem(kind: str, obj: Object, old: Object | None, facts: Facts, checks: Checks) -> str:
    """Why an object may not be made, or changed from `old`; empty where it may. Raises Invalid.

    What was accepted once must not keep an object from being marked or deleted.
    """
    if old is not None and kind != "Queue" and obj.get("spec") == old.get("spec"):
        return ""
    return _PROBLEMS[kind](obj, old, facts, checks)


def removal_problem(kind: str, name: str, facts: Facts) -> str:
    """Why an object may not be deleted; empty where it may."""
    return deletion_problem(name, facts.queues()) if kind == "Queue" else ""


def warnings(kind: str, obj: Object, old: Object | None) -> list[str]:
    """What is accepted and has no effect, by its name."""
    if kind == "Job" and old is None:
        return job_warnings(obj)
    if kind == "CronJob" and (old is None or obj.get("spec") != old.get("spec")):
        return job_warnings(dig(obj, "spec", "jobTemplate") or {})
    if kind == "JobFlow" and (old is None or obj.get("spec") != old.get("spec")):
        return job_flow_warnings(obj)
    return []


def _job(job: Object, old: Object | None, facts: Facts, checks: Checks) -> str:
    return creation_problems(job, facts.queues(), checks.template) if old is None else update_problem(job, old)


def _cron_job(cron_job: Object, old: Object | None, facts: Facts, checks: Checks) -> str:
    return cron_job_problems(cron_job, facts.queues(), checks.template)


def _job_flow(flow: Object, old: Object | None, facts: Facts, checks: Checks) -> str:
    return job_flow_problem(flow)


def _pod_group(group: Object, old: Object | None, facts: Facts, checks: Checks) -> str:
    if old is not None:
        return ""
    return pod_group_validation.creation_problems(group, facts.queue(pod_group_validation.queue_of(group)))


def _queue(queue: Object, old: Object | None, facts: Facts, checks: Checks) -> str:
    return queue_problem(queue, old, facts.queues())


def _hyper_node(node: Object, old: Object | None, facts: Facts, checks: Checks) -> str:
    causes = selector_causes(node)
    if causes:
        raise Invalid.of("HyperNode", TOPOLOGY, str(dig(node, "metadata", "name") or ""), causes)
    return hyper_node_problem(node, checks.pattern)


_Problem: TypeAlias = Callable[[Object, Object | None, Facts, Checks], str]
_PROBLEMS: Mapping[str, _Problem] = {
    "Job": _job,
    "CronJob": _cron_job,
    "JobFlow": _job_flow,
    "PodGroup": _pod_group,
    "Queue": _queue,
    "HyperNode": _hyper_node,
}
