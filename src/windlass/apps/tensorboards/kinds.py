"""tensorboard.kubeflow.org/v1alpha1: TensorBoards over a path of logs."""

from typing import Literal

from windlass.apis.fields import Int32, Moment
from windlass.kube.kind import Column, kind
from windlass.kube.meta import Object, Struct

GROUP = "tensorboard.kubeflow.org"


class TensorboardSpec(Struct):
    logspath: str


class TensorboardCondition(Struct):
    """One state of the Deployment, and when it was observed."""

    deployment_state: Literal["Available", "Progressing", "ReplicaFailure"]
    last_probe_time: Moment | None = None


class TensorboardStatus(Struct):
    """Observed state, written by the controller: both fields, also where they are empty."""

    conditions: list[TensorboardCondition] | None = None
    ready_replicas: Int32 | None = None


@kind(
    f"{GROUP}/v1alpha1",
    plural="tensorboards",
    columns=(
        Column("Logspath", ".spec.logspath"),
        Column("Ready", ".status.readyReplicas", "integer"),
        Column("Age", ".metadata.creationTimestamp", "date"),
    ),
)
class Tensorboard(Object):
    """A TensorBoard server over a volume or an object store."""

    spec: TensorboardSpec
    status: TensorboardStatus = TensorboardStatus()
