"""Where artifacts of Workflows are: in the store of Windlass, or in stores that they name. Pure.

An `s3` without an endpoint is in the store of Windlass, and there without a bucket in the default one.
"""

from collections.abc import Mapping
from posixpath import basename

from windlass.apps.pipelines.argo.artifacts.archive_formats import archive_format
from windlass.apps.pipelines.artifact_stores import DOWNLOADS, STORES, is_own_store, store_problems
from windlass.apps.pipelines.artifacts.stores.place_providers import provider_of_place
from windlass.apps.pipelines.artifacts.stores.store_locations import (
    DEFAULT_LEVEL,
    Place,
    PlacedArtifact,
    Scheme,
    SecretKey,
)
from windlass.apps.pipelines.artifacts.uris import claim_path
from windlass.apps.pipelines.names import DEFAULT_BUCKET
from windlass.kube.json import Object, dig, dig_object

SCHEMES: Mapping[str, Scheme] = {"s3": "s3", "gcs": "gs", "azure": "az"}
KEY_FIELDS = {"s3": "key", "gcs": "key", "azure": "blob"}
"""The field of a store's location that names the object."""


def store_of(artifact: Object) -> str:
    """The field that names the store of an artifact; empty if none does."""
    return next((store for store in STORES if artifact.get(store) is not None), "")


def is_download(artifact: Object) -> bool:
    """Whether a container of the pod gets the artifact."""
    return any(artifact.get(name) is not None for name in DOWNLOADS)


def is_in_own_store(artifact: Object) -> bool:
    endpoint = str(dig(artifact, "s3", "endpoint") or "")
    return artifact.get("s3") is not None and (not endpoint or is_own_store(endpoint))


def is_placed(artifact: Object) -> bool:
    """Whether the artifact is in a store that it names itself."""
    return bool(store_of(artifact)) and not is_in_own_store(artifact)


def place_problem(artifact: Object) -> str:
    """Why the location of an artifact, whose tags were replaced, cannot be used; empty if it can."""
    store = store_of(artifact)
    if not store:
        return ""
    where = f"{artifact.get('name')}.{store}"
    problem = next(store_problems(store, dig_object(artifact, store), where), "")
    if problem or not is_placed(artifact):
        return problem
    try:
        provider_of_place(place_of(artifact))
    except ValueError as error:
        return f"{where}.{error}"
    return ""


def place_of(artifact: Object) -> Place:
    """The place of an artifact that `is_placed`. Raises ValueError that names a field."""
    store = store_of(artifact)
    found = dig_object(artifact, store)
    key = str(found.get(KEY_FIELDS[store]) or "").rstrip("/")
    match store:
        case "s3":
            bucket, names = found.get("bucket"), ("accessKeySecret", "secretKeySecret")
        case "gcs":
            bucket, names = found.get("bucket"), ("serviceAccountKeySecret",)
        case _:
            bucket, names = found.get("container"), ("accountKeySecret",)
    if not bucket:
        raise ValueError(f"{'container' if store == 'azure' else 'bucket'}: Required value")
    secrets = [dig_object(found, name) for name in names if dig(found, name, "name")]
    return Place(
        scheme=SCHEMES[store],
        bucket=str(bucket),
        key=key,
        endpoint=str(found.get("endpoint") or ""),
        region=str(found.get("region") or ""),
        insecure=bool(found.get("insecure")),
        secrets=tuple(SecretKey(name=str(secret["name"]), key=str(secret.get("key") or "")) for secret in secrets),
    )


def placed_artifact(artifact: Object, path: str) -> PlacedArtifact:
    """An artifact that `is_placed`, with its path in the claim. Raises ValueError that names a field."""
    level = dig(artifact, "archive", "tar", "compressionLevel")
    return PlacedArtifact(
        place=place_of(artifact),
        path=path,
        archive=archive_format(artifact),
        level=level if isinstance(level, int) and 0 <= level <= 9 else DEFAULT_LEVEL,
        name=basename(str(artifact.get("path") or "")) or str(artifact["name"]),
    )


def with_sub_path(artifact: Object, sub_path: str) -> Object:
    """The artifact at a path below another."""
    store = store_of(artifact)
    if not store or not sub_path:
        return artifact
    field = KEY_FIELDS[store]
    key = f"{str(dig(artifact, store, field) or '').rstrip('/')}/{sub_path.strip('/')}"
    return {**artifact, store: {**dig_object(artifact, store), field: key}}


def output_place(artifact: Object, default_key: str = "") -> Object:
    """The bucket and key of an output artifact in the store of Windlass, which may name them itself."""
    named = dig_object(artifact, "s3")
    bucket, key = str(named.get("bucket") or DEFAULT_BUCKET), str(named.get("key") or default_key)
    return {"bucket": bucket, "key": key.rstrip("/")}


def uri_of(place: Object) -> str:
    """The URI of a place in the store of Windlass."""
    return f"minio://{place.get('bucket') or DEFAULT_BUCKET}/{str(place.get('key') or '').rstrip('/')}"


def artifact_uri(artifact: Object) -> str:
    """The URI of an artifact in any store; empty for one that is in none, or whose place is incomplete."""
    if is_in_own_store(artifact):
        return uri_of(dig_object(artifact, "s3"))
    try:
        return place_of(artifact).uri if store_of(artifact) else ""
    except ValueError:
        return ""


def path_of(place: Object) -> str:
    """The path of a place in the claim of its namespace. Raises ValueError."""
    uri = uri_of(place)
    path = claim_path(uri)
    if path is None:
        raise ValueError(f"{uri} is not the URI of an artifact")
    return path
