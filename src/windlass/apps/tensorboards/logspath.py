"""What `spec.logspath` of a Tensorboard means."""

from dataclasses import dataclass
from typing import TypeAlias

from windlass.apis.wellknown import CLAIM_SCHEME

GCS = "gs://"
STORES = ("s3://", "/cns/")
LEGACY_CLAIM = "tb-volume"


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
