"""Where the store has the artifacts of Workflows. An `s3` without a bucket is in the default one. Pure."""

from windlass.apis.pipelines.artifact_stores import s3_problems
from windlass.apis.pipelines.names import DEFAULT_BUCKET
from windlass.kube.json import Object, dig_object
from windlass.pipelines.artifacts.uris import claim_path


def place_problem(artifact: Object) -> str:
    """Why the `s3` of an artifact, whose tags were replaced, cannot be used; empty if it can."""
    return next(s3_problems(dig_object(artifact, "s3"), f"{artifact.get('name')}.s3"), "")


def output_place(artifact: Object, default_key: str = "") -> Object:
    """The bucket and key of an output artifact, which may name them itself."""
    named = dig_object(artifact, "s3")
    bucket, key = str(named.get("bucket") or DEFAULT_BUCKET), str(named.get("key") or default_key)
    return {"bucket": bucket, "key": key.rstrip("/")}


def uri_of(place: Object) -> str:
    """The URI of a place."""
    return f"minio://{place.get('bucket') or DEFAULT_BUCKET}/{str(place.get('key') or '').rstrip('/')}"


def path_of(place: Object) -> str:
    """The path of a place in the claim of its namespace. Raises ValueError."""
    uri = uri_of(place)
    path = claim_path(uri)
    if path is None:
        raise ValueError(f"{uri} is not the URI of an artifact")
    return path
