"""`pdb`: who is made to go must not break a PodDisruptionBudget."""

from collections.abc import Sequence

from windlass.apis.policy_v1 import PodDisruptionBudget
from windlass.kube.controller import matches
from windlass.scheduler.framework.plugin import Plugin
from windlass.scheduler.framework.session import Session
from windlass.scheduler.model.jobs import Task
from windlass.scheduler.model.pod_info import PodInfo


class Pdb(Plugin):
    NAME = "pdb"

    def open(self, session: Session) -> None:
        self._budgets = session.cluster.snapshot.budgets

    def preemptable(self, preemptor: Task, candidates: Sequence[Task]) -> Sequence[Task]:
        return self.may_go(candidates)

    def reclaimable(self, reclaimer: Task, candidates: Sequence[Task]) -> Sequence[Task]:
        return self.may_go(candidates)

    def may_go(self, tasks: Sequence[Task]) -> Sequence[Task]:
        """As many, in their order, as each budget still allows."""
        left = {key: budget.status.disruptions_allowed or 0 for key, budget in self._budgets.items()}
        found: list[Task] = []
        for task in tasks:
            concerned = [key for key, budget in self._budgets.items() if covers(budget, task.pod)]
            if any(left[key] <= 0 for key in concerned):
                continue
            for key in concerned:
                left[key] -= 1
            found.append(task)
        return found


def covers(budget: PodDisruptionBudget, pod: PodInfo) -> bool:
    """Whether a pod that goes counts against the budget; one that is known to go does already."""
    selector = budget.spec.selector
    if budget.metadata.namespace != pod.key.namespace or selector is None:
        return False
    return pod.key.name not in budget.status.disrupted_pods and matches(selector, pod.pod.metadata.labels)
