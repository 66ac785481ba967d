"""Tensorboard -> a Deployment of one pod, a Service before it, a route to it, and why it shows nothing."""

from datetime import datetime
from functools import partial
from typing import Any

from windlass.apis.apps_v1 import Deployment
from windlass.apis.core_v1 import ContainerStatus, PersistentVolumeClaim, Pod, Service
from windlass.apis.networking_istio_v1alpha3 import VirtualService
from windlass.apps.profiles.kinds import PodDefault
from windlass.apps.tensorboards.children import deployment, service, virtual_service
from windlass.apps.tensorboards.controllers import google_key
from windlass.apps.tensorboards.controllers.fallback import image_of
from windlass.apps.tensorboards.controllers.runs import board_of
from windlass.apps.tensorboards.kinds import Tensorboard, TensorboardCondition, TensorboardStatus, claim_of
from windlass.apps.tensorboards.names import APP_LABEL, CLAIM_NOT_FOUND, CONTAINER, FAILED_SCHEDULING, SERVER_TOKENS
from windlass.apps.tensorboards.options import Options
from windlass.controllers.claim_nodes import is_of_one_node, node_in_use, preferring
from windlass.controllers.name_conflicts import is_controlled_by, report_conflict
from windlass.controllers.server_tokens import has_token, view_of
from windlass.kube.conditions import find
from windlass.kube.controller import Controller, Matching, Observed
from windlass.kube.json import Object as Json
from windlass.kube.json import dig, dig_list, timestamp
from windlass.kube.objects import is_deleting
from windlass.kube.plan import Apply, Event, Plan
from windlass.kube.refusals import REPLICA_FAILURE

STARTING = frozenset({"", "ContainerCreating", "PodInitializing"})
STATES = ("Available", "Progressing", REPLICA_FAILURE)


def reconcile(options: Options, board: Tensorboard, observed: Observed) -> Plan:
    if is_deleting(board):
        return Plan()
    existing = observed.one(Deployment, board.metadata.name)
    own = existing if existing is not None and is_controlled_by(board, existing) else None
    image = image_of(options, board, own, observed.labelled(Pod, {APP_LABEL: board.metadata.name}))
    affinity = _affinity(options, board, own, observed)
    problem = problem_of(board, own, observed)
    workload = deployment(board, affinity, image, google_key.key_file(board, observed))
    return Plan(
        [
            Apply(service(board)),
            *([Apply(workload)] if has_token(SERVER_TOKENS, board, observed) else []),
            *([Apply(virtual_service(board, options))] if options.routing.use_istio else []),
        ],
        status=observed_status(board.status, own, observed.now),
        events=[problem] if problem else [],
    )


def problem_of(board: Tensorboard, own: Deployment | None, observed: Observed) -> Event | None:
    """Why no TensorBoard can start, where that is known. `own` is the board's Deployment."""
    claim = claim_of(board.spec.logspath)
    if claim and observed.one(PersistentVolumeClaim, claim) is None:
        message = f'PersistentVolumeClaim "{claim}" does not exist. Create it, or change spec.logspath'
        return Event(reason=CLAIM_NOT_FOUND, message=message, warning=True)
    if missing := google_key.missing_secret(board, observed):
        return missing
    refused = find(own.status.conditions, REPLICA_FAILURE) if own is not None else None
    if refused is not None and refused.status == "True":
        return Event(reason=refused.reason or REPLICA_FAILURE, message=refused.message, warning=True)
    problems = (_problem_of_pod(pod) for pod in observed.labelled(Pod, {APP_LABEL: board.metadata.name}))
    return next((problem for problem in problems if problem is not None), None)


def _problem_of_pod(pod: Pod) -> Event | None:
    for status in pod.status.container_statuses:
        reason = str(dig(status.state, "waiting", "reason") or "")
        if status.name == CONTAINER and reason not in STARTING:
            return Event(reason=reason, message=waiting_message(status), warning=True)
    scheduled = find(pod.status.conditions, "PodScheduled")
    if scheduled is not None and scheduled.status == "False" and scheduled.message:
        return Event(reason=FAILED_SCHEDULING, message=scheduled.message, warning=True)
    return None


def waiting_message(status: ContainerStatus) -> str:
    """Why a container waits; for one that keeps ending, the last lines that it wrote."""
    message = str(dig(status.state, "waiting", "message") or "")
    ended = str(dig(status.last_state, "terminated", "message") or "").strip()
    return f"{ended.splitlines()[-1]} ({message})" if ended else message


def observed_status(before: TensorboardStatus, workload: Deployment | None, now: datetime) -> TensorboardStatus:
    """The Deployment's state; a condition is appended whenever the type of its first condition changes."""
    conditions = list(before.conditions or ())
    state: Any = next((one.type for one in workload.status.conditions if one.type in STATES), "") if workload else ""
    if state and (not conditions or conditions[-1].deployment_state != state):
        conditions.append(TensorboardCondition(deployment_state=state, last_probe_time=timestamp(now)))
    ready = workload.status.ready_replicas if workload else 0
    return TensorboardStatus(conditions=conditions, ready_replicas=ready)


def _affinity(options: Options, board: Tensorboard, own: Deployment | None, observed: Observed) -> Json | None:
    """Chosen when the claim is new to the Deployment and kept afterwards: a changed one would restart the pod."""
    name = claim_of(board.spec.logspath)
    if own is not None and name == _mounted_claim(own):
        return dig(own.spec.template, "spec", "affinity")
    claim = observed.one(PersistentVolumeClaim, name) if name and options.rwo_scheduling else None
    if claim is None or not is_of_one_node(claim):
        return None
    others = [pod for pod in observed.all(Pod) if pod.metadata.labels.get(APP_LABEL) != board.metadata.name]
    node = node_in_use(name, others)
    return preferring(node) if node else None


def _mounted_claim(workload: Deployment) -> str:
    volumes = dig_list(workload.spec.template, "spec", "volumes")
    return next((claim for one in volumes if (claim := dig(one, "persistentVolumeClaim", "claimName"))), "")


def _is_over(board: Tensorboard, claim: PersistentVolumeClaim) -> bool:
    return claim_of(board.spec.logspath) == claim.metadata.name


def controller(options: Options) -> Controller[Tensorboard]:
    return Controller(
        "tensorboard-controller",
        Tensorboard,
        partial(reconcile, options),
        owns=[Deployment, Service, view_of(SERVER_TOKENS), *([VirtualService] if options.routing.use_istio else [])],
        watches=[
            (Pod, board_of),
            (PersistentVolumeClaim, Matching(_is_over)),
            (google_key.SECRETS, Matching(google_key.reads_key)),
            (PodDefault, Matching(google_key.is_for)),
        ],
        changes_orphans=False,
        event_for=report_conflict,
    )
