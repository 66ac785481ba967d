"""The Profile that `POST /kfam/v1/profiles` asks for, and what of it only a cluster administrator may set. Pure."""

from windlass.apps.profiles.kinds import Profile
from windlass.kube.errors import BadRequest
from windlass.kube.json import Object, dig_object, is_object
from windlass.kube.kind import KINDS

OWNER_KINDS = ("User", "Group", "ServiceAccount")
_METADATA = frozenset({"name", "labels", "annotations"})
_WRITTEN_BY_THE_SERVER = frozenset(
    {"creationTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid"}
)
"""What an object has that was read before: without meaning for a new one, as in the Kubernetes API."""


def profile_for(name: str, user: str) -> Object:
    """The profile of a user, with nothing else set."""
    return profile_of({"metadata": {"name": name}, "spec": {"owner": {"kind": "User", "name": user}}})


def profile_of(body: Object) -> Object:
    """The object to create. Its spec is sent as given: the API server checks it. Raises BadRequest."""
    metadata, owner = dig_object(body, "metadata"), dig_object(body, "spec", "owner")
    if not isinstance(metadata.get("name"), str) or not isinstance(owner.get("name"), str) or not owner["name"]:
        raise BadRequest("metadata.name and spec.owner {kind, name} are required")
    if (owner_kind := owner.get("kind", "User")) not in OWNER_KINDS:
        raise BadRequest(f"spec.owner.kind: {owner_kind!r} is not one of {', '.join(OWNER_KINDS)}")
    if owner_kind == "ServiceAccount" and not owner.get("namespace"):
        raise BadRequest("spec.owner.namespace: a value is required for a ServiceAccount")
    known = _METADATA | _WRITTEN_BY_THE_SERVER
    if unknown := [field for field, value in metadata.items() if value and field not in known]:
        raise BadRequest(f"metadata.{unknown[0]}: cannot be set here")
    kind = KINDS.of(Profile)
    return {
        "apiVersion": kind.api_version,
        "kind": kind.name,
        "metadata": {field: value for field, value in metadata.items() if field in _METADATA and value is not None},
        "spec": {**dig_object(body, "spec"), "owner": {**owner, "kind": owner_kind}},
    }


def for_administrators(profile: Object) -> list[str]:
    """The fields of a new profile that a registrant may not set: all but the name and the owner."""
    parts = (("metadata", "name"), ("spec", "owner"))
    return [
        f"{part}.{field}"
        for part, own in parts
        for field, value in dig_object(profile, part).items()
        if field != own and not _is_empty(value)
    ]


def _is_empty(value: object) -> bool:
    """Whether a value sets nothing: clients in Go send `resourceQuotaSpec: {}` for none."""
    return value is None or value == [] or (is_object(value) and all(map(_is_empty, value.values())))
