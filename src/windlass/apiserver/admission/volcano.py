"""Volcano's kinds are filled in and checked as its webhooks do it, in the same words and without a webhook."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import ClassVar

from windlass.apis.volcano import job_defaults, pod_group_validation, queue_defaults
from windlass.apis.volcano.cron_job_validation import cron_job_problems
from windlass.apis.volcano.hyper_node_validation import hyper_node_problem, selector_causes
from windlass.apis.volcano.job_flow_validation import job_flow_problem
from windlass.apis.volcano.job_updates import update_problem
from windlass.apis.volcano.job_validation import creation_problems, job_warnings
from windlass.apis.volcano.pod_validation import pod_problem
from windlass.apis.volcano.queue_validation import deletion_problem, queue_problem
from windlass.apiserver.admission.chain import Attributes, Plugin
from windlass.apiserver.admission.reviews import Refusal
from windlass.apiserver.api import Api
from windlass.apiserver.builtin.pod_defaults import default_template
from windlass.apiserver.builtin.pod_validation import check_template
from windlass.apiserver.crds import patterns
from windlass.kube.errors import Cause, Invalid
from windlass.kube.json import Object, dig

_CRDS = "apiextensions.k8s.io/customresourcedefinitions"
_QUEUES = "scheduling.volcano.sh/queues"


class VolcanoObjects(Plugin):
    """Each kind is looked at by one method, which answers why it may not be so; empty where it may."""

    operations: ClassVar[frozenset[str]] = frozenset({"CREATE", "UPDATE", "DELETE"})
    kinds = frozenset(
        {
            "batch.volcano.sh/jobs",
            "batch.volcano.sh/cronjobs",
            "flow.volcano.sh/jobflows",
            "scheduling.volcano.sh/podgroups",
            _QUEUES,
            "topology.volcano.sh/hypernodes",
        }
    )

    def __init__(self, api: Api) -> None:
        self._api = api
        self._checks: Mapping[str, Callable[[Attributes, Object], str]] = {
            "Job": self._job,
            "CronJob": self._cron_job,
            "JobFlow": self._job_flow,
            "PodGroup": self._pod_group,
            "Queue": self._queue,
            "HyperNode": self._hyper_node,
        }

    def mutate(self, attributes: Attributes) -> None:
        obj = attributes.obj
        if obj is None or attributes.operation != "CREATE":
            return
        match attributes.resource.kind:
            case "Job":
                obj.update(job_defaults.with_defaults(obj))
            case "Queue":
                obj.update(queue_defaults.with_defaults(obj))
            case "PodGroup":
                namespace = self._api.read("/namespaces", "", attributes.namespace)
                obj.update(pod_group_validation.with_queue(obj, namespace))
            case _:
                pass

    def validate(self, attributes: Attributes) -> None:
        kind, obj, old = attributes.resource.kind, attributes.obj, attributes.old
        if obj is None:
            found = self._deletion(attributes.name) if kind == "Queue" else ""
        elif old is not None and kind != "Queue" and obj.get("spec") == old.get("spec"):
            found = ""  # what was accepted once must not keep an object from being marked or deleted
        else:
            found = self._checks[kind](attributes, obj)
        if found:
            raise Refusal(f"validate{kind.lower()}.volcano.sh", {"message": found})

    def _deletion(self, queue: str) -> str:
        definition = self._api.read(_CRDS, "", "queues.scheduling.volcano.sh")
        if dig(definition, "metadata", "deletionTimestamp"):
            return ""  # all queues go with their kind
        return deletion_problem(queue, self._queues())

    def _job(self, attributes: Attributes, job: Object) -> str:
        if attributes.old is not None:
            return update_problem(job, attributes.old)
        _warn(attributes, job_warnings(job))
        return creation_problems(job, self._queues(), _check_template)

    def _cron_job(self, attributes: Attributes, cron_job: Object) -> str:
        _warn(attributes, job_warnings(dig(cron_job, "spec", "jobTemplate") or {}))
        return cron_job_problems(cron_job, self._queues(), _check_template)

    def _job_flow(self, attributes: Attributes, flow: Object) -> str:
        return job_flow_problem(flow)

    def _pod_group(self, attributes: Attributes, group: Object) -> str:
        if attributes.old is not None:
            return ""
        queue = self._api.read(_QUEUES, "", pod_group_validation.queue_of(group))
        return pod_group_validation.creation_problems(group, queue)

    def _queue(self, attributes: Attributes, queue: Object) -> str:
        return queue_problem(queue, attributes.old, self._queues())

    def _hyper_node(self, attributes: Attributes, node: Object) -> str:
        resource, causes = attributes.resource, selector_causes(node)
        if causes:
            raise Invalid.of(resource.kind, resource.group, attributes.name, causes)
        return hyper_node_problem(node, _check_pattern)

    def _queues(self) -> Mapping[str, Object]:
        return {queue["metadata"]["name"]: queue for queue in self._api.read_all(_QUEUES)}


class VolcanoPods(Plugin):
    """Pods that name Volcano's scheduler."""

    kinds = frozenset({"/pods"})

    def validate(self, attributes: Attributes) -> None:
        found = pod_problem(attributes.obj or {})
        if found:
            raise Refusal("validatepod.volcano.sh", {"message": found})


def _warn(attributes: Attributes, found: list[str]) -> None:
    """Once, however often this is asked: twice, where webhooks are configured."""
    attributes.warnings += [told for told in found if told not in attributes.warnings]


def _check_template(template: Object) -> list[Cause]:
    causes: list[Cause] = []
    filled = deepcopy(template)
    default_template(filled)
    check_template("template", filled, causes)
    return causes


def _check_pattern(pattern: str) -> str:
    try:
        patterns.check(pattern)
    except patterns.BadPattern as bad:
        return str(bad)
    return ""
