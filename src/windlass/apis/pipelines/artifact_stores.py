"""Stores that the artifacts of a Workflow may name in `s3`: that of Windlass, which is a claim of the namespace."""

from collections.abc import Iterator

from windlass.apis.pipelines.names import STORE_PORT, STORE_SERVICE, SYSTEM_NAMESPACE
from windlass.kube.json import Object

_OWN_HOST = f"{STORE_SERVICE}.{SYSTEM_NAMESPACE}"
_OWN_HOSTS = (_OWN_HOST, f"{_OWN_HOST}.svc", f"{_OWN_HOST}.svc.cluster.local")
SUPPORTED = f"leave it out, or name {_OWN_HOST}:{STORE_PORT}: artifacts of Workflows are kept in the store of Windlass"


def is_own_store(endpoint: str) -> bool:
    """Whether an endpoint is the Service `minio-service.kubeflow`, by one of its names in the DNS of pods."""
    return endpoint.partition(":")[0].rstrip(".").lower() in _OWN_HOSTS


def s3_problems(place: Object, path: str) -> Iterator[str]:
    """Problems of an artifact's `s3`. Tags are replaced later, so a text with one may still become valid."""
    endpoint, key = str(place.get("endpoint") or ""), str(place.get("key") or "")
    if not key:
        yield f"{path}.key: Required value"
    if endpoint and "{{" not in endpoint and not is_own_store(endpoint):
        yield f"{path}.endpoint: Unsupported value: {endpoint!r}: {SUPPORTED}"
    for field in ("bucket", "key"):
        parts = str(place.get(field) or "x").rstrip("/").split("/")
        if any(part in ("", ".", "..") for part in parts) or (field == "bucket" and len(parts) > 1):
            yield f"{path}.{field}: Invalid value: {place[field]!r}: it is empty, or has an empty, . or .. part"
