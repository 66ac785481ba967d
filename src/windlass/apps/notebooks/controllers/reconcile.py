"""Notebook -> a StatefulSet of one pod, a Service before it, a route to it, and the pod's state mirrored back."""

from functools import partial

from windlass.apis.apps_v1 import StatefulSet
from windlass.apis.core_v1 import Pod, Service
from windlass.apis.networking_istio_v1alpha3 import VirtualService
from windlass.apps.notebooks.children import service, stateful_set, virtual_service
from windlass.apps.notebooks.controllers.metrics import NotebookMetrics
from windlass.apps.notebooks.controllers.status import observed_status
from windlass.apps.notebooks.controllers.tokens import needs_token
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.notebooks.names import NOTEBOOK_LABEL, SERVER_TOKENS
from windlass.apps.notebooks.options import Options
from windlass.controllers.name_conflicts import is_controlled_by, report_conflict
from windlass.controllers.server_tokens import has_token, view_of
from windlass.kube.controller import Controller, Key, Observed
from windlass.kube.objects import is_deleting
from windlass.kube.plan import Apply, Event, Outcome, Plan


def reconcile(options: Options, notebook: Notebook, observed: Observed) -> Plan:
    if is_deleting(notebook):
        return Plan()
    name = notebook.metadata.name
    workload, pod = observed.one(StatefulSet, name), observed.one(Pod, f"{name}-0")
    own = workload if workload is not None and is_controlled_by(notebook, workload) else None
    may_start = not needs_token(notebook) or has_token(SERVER_TOKENS, notebook, observed)
    return Plan(
        [
            Apply(service(notebook)),
            *([Apply(stateful_set(notebook, own, options))] if may_start else []),
            *([Apply(virtual_service(notebook, options))] if options.routing.use_istio else []),
        ],
        status=observed_status(name, own, pod if own else None, notebook.status, observed.now),
    )


def report(metrics: NotebookMetrics, notebook: Notebook, outcome: Outcome) -> Event | None:
    """A child of another owner is left alone, and the Notebook says so."""
    if outcome.error is not None and isinstance(outcome.obj, StatefulSet) and outcome.before is None:
        metrics.record_failure(notebook.metadata.key)
    return report_conflict(notebook, outcome)


def notebook_of(pod: Pod) -> Key | None:
    name = pod.metadata.labels.get(NOTEBOOK_LABEL)
    return Key(pod.metadata.namespace, name) if name else None


def controller(options: Options, metrics: NotebookMetrics) -> Controller[Notebook]:
    return Controller(
        "notebook-controller",
        Notebook,
        partial(reconcile, options),
        owns=[StatefulSet, Service, view_of(SERVER_TOKENS), *([VirtualService] if options.routing.use_istio else [])],
        watches=[(Pod, notebook_of)],
        changes_orphans=False,
        event_for=partial(report, metrics),
        workers=2,
    )
