"""`conformance`: what the cluster itself needs is never made to go."""

from collections.abc import Sequence

from windlass.scheduler.framework.plugin import Plugin
from windlass.scheduler.model.jobs import Task

CRITICAL = ("system-cluster-critical", "system-node-critical")


class Conformance(Plugin):
    NAME = "conformance"

    def preemptable(self, preemptor: Task, candidates: Sequence[Task]) -> Sequence[Task]:
        return [task for task in candidates if not is_critical(task)]

    def reclaimable(self, reclaimer: Task, candidates: Sequence[Task]) -> Sequence[Task]:
        return [task for task in candidates if not is_critical(task)]


def is_critical(task: Task) -> bool:
    pod = task.pod.pod
    return pod.metadata.namespace == "kube-system" or pod.spec.priority_class_name in CRITICAL
