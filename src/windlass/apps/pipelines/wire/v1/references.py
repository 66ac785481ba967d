"""References between resources: v1 says by them what v2 has fields for. Pure."""

from collections.abc import Sequence

from windlass.apps.pipelines.wire.call import Call
from windlass.apps.pipelines.wire.errors import InvalidArgument
from windlass.apps.pipelines.wire.protojson import decode_enum
from windlass.apps.pipelines.wire.v1.shapes import RESOURCE_TYPES
from windlass.kube.json import Object


def reference(type: str, id: str, relationship: str = "OWNER", name: str = "") -> Object:
    return {"key": {"type": type, "id": id}, "name": name, "relationship": relationship}


def referred(references: Sequence[Object], type: str) -> str:
    """The id of the resource of that type; empty if none is referred to."""
    for each in references:
        key: Object = each.get("key", {})
        if key.get("type") == type:
            return str(key.get("id", ""))
    return ""


def scope_of(call: Call, prefix: str = "resource_reference_key") -> tuple[str, str]:
    """The type and id to which a list is restricted; both empty if it is not."""
    type = call.query(f"{prefix}.type")
    if not type:
        return "", ""
    number = int(type) if type.isdecimal() and len(type) < 4 else type
    return decode_enum(RESOURCE_TYPES.numbers, number, f"{prefix}.type"), call.query(f"{prefix}.id")


def namespace_scope(call: Call) -> str:
    """The namespace of a list that is restricted by nothing else."""
    type, id = scope_of(call)
    if type not in ("", "NAMESPACE", "UNKNOWN_RESOURCE_TYPE"):
        raise InvalidArgument("resource_reference_key.type: must be NAMESPACE")
    return id


def run_scope(call: Call) -> tuple[str, str]:
    """The namespace and the experiment of a list of runs or jobs."""
    type, id = scope_of(call)
    match type:
        case "EXPERIMENT":
            return "", id
        case "NAMESPACE" | "" | "UNKNOWN_RESOURCE_TYPE":
            return id, ""
        case _:
            raise InvalidArgument("resource_reference_key.type: must be EXPERIMENT or NAMESPACE")
