"""The events of a board's pod that are the only place of a reason, repeated on the Tensorboard."""

from windlass.apis.core_v1 import Event, Pod
from windlass.apps.tensorboards.kinds import Tensorboard
from windlass.apps.tensorboards.names import APP_LABEL
from windlass.controllers.reissued_events import NameOf, Repeated, service
from windlass.kube.api import Runtime
from windlass.kube.controller import Key
from windlass.kube.view import typed

REASONS = frozenset({"FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox"})
"""The status of a pod does not have them. What it has, the controller reports with a better message."""


def board_name(runtime: Runtime) -> NameOf:
    """The Tensorboard whose pod an event is about."""
    pods = runtime.store(typed(Pod))

    def name_of(event: Event) -> str | None:
        if event.reason not in REASONS:
            return ""
        pod = pods.get(Key(event.involved_object.namespace, event.involved_object.name))
        return pod.metadata.labels.get(APP_LABEL, "") if pod is not None else None

    return name_of


REPEATED = Repeated(
    name="tensorboard-events",
    component="tensorboard-controller",
    on=Tensorboard,
    events=(typed(Event).narrowed("involvedObject.kind=Pod,type=Warning"),),
    name_of=board_name,
)
SERVICE = service(REPEATED)
