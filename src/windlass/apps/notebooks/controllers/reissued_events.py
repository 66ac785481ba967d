"""The events of a notebook's StatefulSet and pod, repeated on the Notebook."""

from windlass.apis.apps_v1 import StatefulSet
from windlass.apis.core_v1 import Event, Pod
from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.notebooks.names import NOTEBOOK_LABEL
from windlass.controllers.reissued_events import NameOf, Repeated, service
from windlass.kube.api import Runtime
from windlass.kube.controller import Key
from windlass.kube.kind import KINDS
from windlass.kube.objects import controller_of
from windlass.kube.view import typed

WATCHED = ("Pod", "StatefulSet")


def notebook_name(runtime: Runtime) -> NameOf:
    """The Notebook whose StatefulSet or pod an event is about."""
    pods, workloads = runtime.store(typed(Pod)), runtime.store(typed(StatefulSet))

    def name_of(event: Event) -> str | None:
        about = event.involved_object
        key = Key(about.namespace, about.name)
        if about.kind == "Pod":
            pod = pods.get(key)
            return pod.metadata.labels.get(NOTEBOOK_LABEL, "") if pod is not None else None
        workload = workloads.get(key)
        if workload is None:
            return None
        owner = controller_of(workload)
        return owner.name if owner is not None and owner.kind == KINDS.of(Notebook).name else ""

    return name_of


REPEATED = Repeated(
    name="notebook-events",
    component="notebook-controller",
    on=Notebook,
    events=tuple(typed(Event).narrowed(f"involvedObject.kind={kind}") for kind in WATCHED),
    name_of=notebook_name,
)
SERVICE = service(REPEATED)
