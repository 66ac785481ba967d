"""Conversion of training jobs between their versions: the answer to a ConversionReview."""

from windlass.apis.training.conversion import OLD_VERSIONS, STORED, convert
from windlass.kube.json import Json, Object, dig_list, is_object
from windlass.webhooks.stored import prune


def convert_all(request: Object) -> Object:
    """All objects of the request in the version that it desires, or none of them and the reason."""
    desired = str(request.get("desiredAPIVersion") or "")
    try:
        made = [_converted(obj, desired) for obj in dig_list(request, "objects")]
    except ValueError as error:
        return {"result": {"status": "Failure", "message": str(error)}, "convertedObjects": []}
    return {"result": {"status": "Success"}, "convertedObjects": made}


def _converted(obj: Json, desired: str) -> Object:
    if not is_object(obj):
        raise ValueError("what is to be converted must be an object")
    kind = str(obj.get("kind"))
    versions = (STORED, *OLD_VERSIONS.get(kind, ()))
    if len(versions) == 1:
        raise ValueError(f"there is no conversion of the kind {kind}")
    for version in (str(obj.get("apiVersion")).rpartition("/")[2], desired.rpartition("/")[2]):
        if version not in versions:
            raise ValueError(f'{kind} has no version "{version}": it has {", ".join(versions)}')
    return {**convert(obj, desired, prune), "apiVersion": desired}
