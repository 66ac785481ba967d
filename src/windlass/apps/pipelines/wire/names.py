"""Names, namespaces and tags that clients give. Pure."""

import re

from windlass.apps.pipelines.wire.errors import InvalidArgument

NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
OBJECT_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")
MAX_TAGS, MAX_TAG = 20, 63
MAX_DESCRIPTION = 65_535


def check_name(name: str, field: str, limit: int) -> str:
    if not name.strip():
        raise InvalidArgument(f"{field}: is required")
    if len(name) > limit:
        raise InvalidArgument(f"{field}: must not be longer than {limit} characters")
    return name


def check_description(text: str) -> str:
    if len(text) > MAX_DESCRIPTION:
        raise InvalidArgument(f"description: must not be longer than {MAX_DESCRIPTION} characters")
    return text


def check_namespace(namespace: str) -> str:
    """A namespace's name, or empty. `-` stands for no namespace in some clients' paths."""
    if namespace in ("", "-"):
        return ""
    if NAMESPACE.fullmatch(namespace) is None:
        raise InvalidArgument(f"namespace: {namespace[:80]!r} is not the name of a namespace")
    return namespace


def check_service_account(name: str) -> str:
    if name and OBJECT_NAME.fullmatch(name) is None:
        raise InvalidArgument(f"service_account: {name[:80]!r} is not the name of a service account")
    return name


def check_tags(tags: dict[str, str]) -> dict[str, str]:
    if len(tags) > MAX_TAGS:
        raise InvalidArgument(f"tags: at most {MAX_TAGS} are allowed")
    for key, value in tags.items():
        if not key or "." in key or len(key) > MAX_TAG:
            raise InvalidArgument(f"tags: the key {key[:80]!r} must have 1 to {MAX_TAG} characters and no dot")
        if len(value) > MAX_TAG:
            raise InvalidArgument(f"tags: the value of {key!r} must not be longer than {MAX_TAG} characters")
    return tags


def dns_name(name: str) -> str:
    """The name in lower case, with a dash for each run of characters that names of objects do not have."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
