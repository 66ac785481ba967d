"""Where artifacts of a Workflow may be: in the store of Windlass, in stores that they name, in git and at URLs."""

from collections.abc import Iterator

from windlass.apis.proxied_identity import SYSTEM_NAMESPACE
from windlass.apps.pipelines.names import STORE_SERVICE
from windlass.kube.json import Object, dig, dig_object

_OWN_HOST = f"{STORE_SERVICE}.{SYSTEM_NAMESPACE}"
_OWN_HOSTS = (_OWN_HOST, f"{_OWN_HOST}.svc", f"{_OWN_HOST}.svc.cluster.local")
STORES = ("s3", "gcs", "azure")
DOWNLOADS = ("http", "git")
LOCATIONS = ("raw", *STORES, *DOWNLOADS)
"""Fields of an artifact that say where its content is."""
_REQUIRED = {
    "s3": ("key",),
    "gcs": ("key",),
    "azure": ("blob",),
    "http": ("url",),
    "git": ("repo",),
}
_COMPLETED = {"gcs": ("bucket",), "azure": ("endpoint", "container")}
"""Fields that a repository may have instead."""
_PATHS = {"s3": ("bucket", "key"), "gcs": ("bucket", "key"), "azure": ("container", "blob")}
"""Fields that become parts of a path: the bucket, and the key in it."""


def is_own_store(endpoint: str) -> bool:
    """Whether an endpoint is the Service `minio-service.kubeflow`, by one of its names in the DNS of pods."""
    host = endpoint.partition("://")[2] if "://" in endpoint else endpoint
    return host.partition(":")[0].rstrip("./").lower() in _OWN_HOSTS


def artifact_problems(artifact: Object, path: str, *, is_output: bool = False) -> Iterator[str]:
    """Problems of where an artifact is. Tags are replaced later, so a text with one may still become valid."""
    given = [name for name in (*LOCATIONS, "from", "fromExpression") if artifact.get(name) is not None]
    if len(given) > 1:
        yield f"{path}.{given[1]}: Forbidden: an artifact has one of {' and '.join(given)}"
    for name in (one for one in given if one in _REQUIRED):
        if is_output and name in DOWNLOADS:
            yield f"{path}.{name}: Forbidden: only an input can be there"
        yield from store_problems(name, dig_object(artifact, name), f"{path}.{name}")


def incomplete_problems(artifact: Object, path: str) -> Iterator[str]:
    """What the location of an artifact lacks in a Workflow without a repository, which would complete it."""
    for store, names in _COMPLETED.items():
        place = dig_object(artifact, store)
        for field in names if place else ():
            if not place.get(field):
                yield f"{path}.{store}.{field}: Required value"


def store_problems(store: str, place: Object, path: str) -> Iterator[str]:
    """Problems of one location, such as an artifact's `s3`."""
    for field in _REQUIRED[store]:
        if not place.get(field):
            yield f"{path}.{field}: Required value"
    endpoint = str(place.get("endpoint") or "")
    is_named = bool(endpoint) and "{{" not in endpoint and not (store == "s3" and is_own_store(endpoint))
    if is_named and store == "s3" and not place.get("bucket"):
        yield f"{path}.bucket: Required value"
    keys = [name for name in ("accessKeySecret", "secretKeySecret") if dig(place, name, "name")]
    if is_named and len(keys) == 1:
        missing = "secretKeySecret" if keys == ["accessKeySecret"] else "accessKeySecret"
        yield f"{path}.{missing}: Required value: with {keys[0]}"
    for index, field in enumerate(_PATHS.get(store, ())):
        parts = str(place.get(field) or "x").rstrip("/").split("/")
        if any(part in ("", ".", "..") for part in parts) or (index == 0 and len(parts) > 1):
            yield f"{path}.{field}: Invalid value: {place[field]!r}: it is empty, or has an empty, . or .. part"
