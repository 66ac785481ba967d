"""tensorboard.kubeflow.org/v1alpha1: TensorBoards over a path of logs, and what `spec.logspath` means."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from windlass.apis.fields import Int32, Moment
from windlass.apis.wellknown import CLAIM_SCHEME
from windlass.kube.kind import Column, kind
from windlass.kube.meta import Object, Struct

GROUP = "tensorboard.kubeflow.org"
GCS = "gs://"
STORES = ("s3://", "/cns/")
LEGACY_CLAIM = "tb-volume"


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


@dataclass(frozen=True, slots=True)
class ClaimPath:
    """A folder of a volume, mounted read-only at `mount_path`."""

    claim: str
    sub_path: str
    mount_path: str


@dataclass(frozen=True, slots=True)
class Store:
    """A path that TensorBoard opens itself; with `is_gcs`, as the service account of a Secret."""

    url: str
    is_gcs: bool = False


Logs: TypeAlias = ClaimPath | Store


def logs_of(logspath: str) -> Logs:
    """`pvc://claim[/folder]`, a path of an object store, or a folder of the claim `tb-volume` (the first releases)."""
    if logspath.startswith(CLAIM_SCHEME):
        claim, _, sub_path = logspath.removeprefix(CLAIM_SCHEME).partition("/")
        return ClaimPath(claim, sub_path.strip("/"), "/tensorboard_logs/")
    if is_gcs(logspath):
        return Store(logspath, is_gcs=True)
    if logspath.startswith(STORES):
        return Store(logspath)
    return ClaimPath(LEGACY_CLAIM, "", logspath)


def is_gcs(logspath: str) -> bool:
    return logspath.startswith(GCS)


def claim_of(logspath: str) -> str:
    """The claim that the logs are on; empty for an object store."""
    logs = logs_of(logspath)
    return logs.claim if isinstance(logs, ClaimPath) else ""
