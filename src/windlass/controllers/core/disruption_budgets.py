"""PodDisruptionBudget -> its status: how many of its pods are healthy, how many must be, and how many may go now.

The server's eviction takes from `disruptionsAllowed` and notes the pod in `disruptedPods`; a pod noted there does not
count as healthy, until it is gone or two minutes have passed and it is there still.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from windlass.apis.apps_v1 import Deployment, ReplicaSet, StatefulSet
from windlass.apis.core_v1 import Pod, ReplicationController
from windlass.apis.policy_v1 import PodDisruptionBudget, PodDisruptionBudgetStatus
from windlass.controllers.core.pod_state import is_ready
from windlass.kube import meta
from windlass.kube.conditions import with_condition
from windlass.kube.controller import Controller, Key, Matching, Observed, matches
from windlass.kube.meta import Condition, OwnerReference, parse_time
from windlass.kube.plan import Event, Plan

DELETION_TIMEOUT = timedelta(minutes=2)
TRY_AGAIN = timedelta(seconds=30)
ALLOWED = "DisruptionAllowed"
SCALABLE = {"ReplicaSet": ReplicaSet, "StatefulSet": StatefulSet, "ReplicationController": ReplicationController}


class NoScale(Exception):
    """Some pod's controller does not say how many pods it wants."""


@dataclass(frozen=True, slots=True)
class Expected:
    pods: int
    healthy: int
    unmanaged: bool = False


def reconcile(budget: PodDisruptionBudget, observed: Observed) -> Plan:
    pods = [pod for pod in observed.all(Pod) if selects(budget, pod)]
    events = [] if pods else [Event(reason="NoPods", message="No matching pods found")]
    try:
        expected = expected_of(budget, pods, observed)
    except NoScale as why:
        message = f"Failed to calculate the number of expected pods: {why}"
        events.append(Event(reason="CalculateExpectedPodCountFailed", message=message, warning=True))
        return Plan(status=_failed(budget, str(why), observed.now), events=events, again_in=TRY_AGAIN)
    if expected.unmanaged:
        events.append(_unmanaged(budget))
    disrupted = disrupted_pods(budget, pods, observed.now)
    healthy = sum(
        is_ready(pod) for pod in pods if pod.metadata.deletion_timestamp is None and pod.metadata.name not in disrupted
    )
    timeouts = [parse_time(moment) + DELETION_TIMEOUT - observed.now for moment in disrupted.values()]
    return Plan(
        status=_status(budget, expected, healthy, disrupted, observed.now),
        events=events if _is_news(budget) else [],
        again_in=min(timeouts, default=None),
    )


def selects(budget: PodDisruptionBudget, pod: Pod) -> bool:
    selector = budget.spec.selector
    return selector is not None and matches(selector, pod.metadata.labels)


def _is_news(budget: PodDisruptionBudget) -> bool:
    """Said once for each change of the budget, and not whenever a pod moves."""
    return budget.status.observed_generation != budget.metadata.generation


# --- how many there should be


def expected_of(budget: PodDisruptionBudget, pods: Sequence[Pod], observed: Observed) -> Expected:
    most_missing, least = budget.spec.max_unavailable, budget.spec.min_available
    if most_missing is not None:
        count, unmanaged = scale_of(pods, observed)
        return Expected(count, max(count - share(most_missing, count), 0), unmanaged)
    if isinstance(least, str):
        count, unmanaged = scale_of(pods, observed)
        return Expected(count, share(least, count), unmanaged)
    return Expected(len(pods), least or 0)


def share(value: int | str, total: int) -> int:
    """A number, or a percentage rounded up."""
    return -(-int(value.removesuffix("%")) * total // 100) if isinstance(value, str) else value


def scale_of(pods: Sequence[Pod], observed: Observed) -> tuple[int, bool]:
    """The sum of what the pods' controllers want, each counted once; and whether some pod has none."""
    wanted: dict[str, int] = {}
    unmanaged = False
    for pod in pods:
        controller = pod.metadata.controller
        if controller is None:
            unmanaged = True
        elif controller.uid not in wanted:
            uid, count = _replicas(pod, controller, observed)
            wanted[uid] = count
    return sum(wanted.values()), unmanaged


def _replicas(pod: Pod, controller: OwnerReference, observed: Observed) -> tuple[str, int]:
    """Who decides how many pods like this there are, and how many that is; a Deployment decides for its ReplicaSets."""
    found = _find(controller, observed)
    if isinstance(found, ReplicaSet) and (above := found.metadata.controller) is not None:
        deployment = observed.one(Deployment, above.name) if above.kind == "Deployment" else None
        if deployment is not None and deployment.metadata.uid == above.uid:
            return deployment.metadata.uid, _count(deployment.spec.replicas)
    if found is None:
        if controller.kind in SCALABLE:
            raise NoScale(f'found no controllers for pod "{pod.metadata.name}"')
        group = controller.api_version.rpartition("/")[0]
        plural = f"{controller.kind.lower()}s"
        raise NoScale(f"{plural}.{group} does not implement the scale subresource")
    return found.metadata.uid, _count(found.spec.replicas)


def _find(reference: OwnerReference, observed: Observed) -> "ReplicaSet | StatefulSet | ReplicationController | None":
    kind = SCALABLE.get(reference.kind)
    found = observed.one(kind, reference.name) if kind is not None else None
    return found if found is not None and found.metadata.uid == reference.uid else None


def _count(replicas: int | None) -> int:
    return 1 if replicas is None else replicas


# --- how many there are


def disrupted_pods(budget: PodDisruptionBudget, pods: Sequence[Pod], now: datetime) -> dict[str, str]:
    """Those whose eviction was allowed and that are still to go."""
    noted = budget.status.disrupted_pods
    return {
        name: noted[name]
        for pod in pods
        if pod.metadata.deletion_timestamp is None
        and (name := pod.metadata.name) in noted
        and parse_time(noted[name]) + DELETION_TIMEOUT > now
    }


def _status(
    budget: PodDisruptionBudget, expected: Expected, healthy: int, disrupted: dict[str, str], now: datetime
) -> PodDisruptionBudgetStatus:
    allowed = max(healthy - expected.healthy, 0) if expected.pods > 0 else 0
    generation = budget.metadata.generation
    reason = "SufficientPods" if allowed else "InsufficientPods"
    condition = Condition(
        type=ALLOWED, status="True" if allowed else "False", reason=reason, observed_generation=generation
    )
    return PodDisruptionBudgetStatus(
        observed_generation=generation,
        disrupted_pods=disrupted,
        disruptions_allowed=allowed,
        current_healthy=healthy,
        desired_healthy=expected.healthy,
        expected_pods=expected.pods,
        conditions=with_condition(budget.status.conditions, condition, now),
    )


def _failed(budget: PodDisruptionBudget, why: str, now: datetime) -> PodDisruptionBudgetStatus:
    """When the numbers are not known, nothing may be evicted; the old numbers stay."""
    was = budget.status
    condition = Condition(
        type=ALLOWED, status="False", reason="SyncFailed", message=why, observed_generation=was.observed_generation
    )
    return PodDisruptionBudgetStatus(
        observed_generation=was.observed_generation,
        disrupted_pods=was.disrupted_pods,
        disruptions_allowed=0,
        current_healthy=was.current_healthy,
        desired_healthy=was.desired_healthy,
        expected_pods=was.expected_pods,
        conditions=with_condition(was.conditions, condition, now),
    )


def _unmanaged(budget: PodDisruptionBudget) -> Event:
    selector = budget.spec.selector or meta.LabelSelector()
    shown = ",".join(f"{name}={value}" for name, value in sorted(selector.match_labels.items()))
    return Event(
        reason="UnmanagedPods",
        message=f"Pods selected by this PodDisruptionBudget (selector: {shown}) were found to be unmanaged. As a "
        "result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To "
        'account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.',
        warning=True,
    )


def nobody(_: meta.Object) -> tuple[Key, ...]:
    """How many a controller wants is read when its pods change."""
    return ()


CONTROLLER = Controller(
    "controllermanager",
    PodDisruptionBudget,
    reconcile,
    watches=[
        (Pod, Matching(selects)),
        *((kind, nobody) for kind in (Deployment, ReplicaSet, StatefulSet, ReplicationController)),
    ],
)
