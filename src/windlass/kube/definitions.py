"""The types of Kubernetes' own kinds: their OpenAPI definitions, which the build takes from kubernetes-validate.

Ask `schema_of` for a compiled type, `definition` for one type's JSON, `kind_names` for which definition is which kind.
The file (`hatch_build.py` writes it) is 1.2 MB of JSON for 735 types, of which a server meets a few dozen: it is split
once, on first use, into one undecoded slice per type, and each slice is decoded only when asked for.
"""

from functools import cache
from pathlib import Path

import msgspec

from windlass.kube.json import Object, decode
from windlass.kube.schema import Schema, from_openapi

FILE = Path(__file__).with_name("kubernetes_definitions.json")

# The file is derived from OpenAPI v2, which leaves out the defaults that list keys need.
_DEFAULTS = {
    "io.k8s.api.core.v1.ContainerPort": {"protocol": "TCP"},
    "io.k8s.api.core.v1.ServicePort": {"protocol": "TCP"},
}


class _Bundle(msgspec.Struct):
    definitions: dict[str, msgspec.Raw] = msgspec.field(name="$defs")


class _Kind(msgspec.Struct):
    kind: str
    group: str = ""
    version: str = ""


class _Tagged(msgspec.Struct):
    """Of a definition, only what says which kinds it is: the rest is skipped unread."""

    kinds: tuple[_Kind, ...] = msgspec.field(name="x-kubernetes-group-version-kind", default=())


@cache
def _bundle() -> dict[str, msgspec.Raw]:
    try:
        content = FILE.read_bytes()
    except FileNotFoundError as error:
        raise RuntimeError(f"{FILE.name} is missing: install Windlass again (in a clone: pip install -e .)") from error
    return msgspec.json.decode(content, type=_Bundle).definitions


def release() -> None:
    """Forget the file: it is read again, within some milliseconds, when a type is asked for that was not before."""
    _bundle.cache_clear()


def names() -> list[str]:
    """All definitions' names, such as `io.k8s.api.apps.v1.Deployment`."""
    return list(_bundle())


def definition(name: str) -> Object:
    """One type as bundled, decoded afresh for every caller. Its references read `#/$defs/<name>`."""
    found: Object = decode(_bundle()[name])
    for field, default in _DEFAULTS.get(name, {}).items():
        found["properties"][field]["default"] = default
    return found


@cache
def schema_of(definition_name: str) -> Schema:
    """The compiled type of a definition, given by its name or by a reference to it."""
    return from_openapi(definition(definition_name.rpartition("/")[2]), schema_of)


@cache
def kind_names() -> dict[tuple[str, str, str], str]:
    """The definition of each (group, version, kind) that is one definition's own (so not of DeleteOptions)."""
    found: dict[tuple[str, str, str], str] = {}
    for name, raw in _bundle().items():
        kinds = msgspec.json.decode(raw, type=_Tagged).kinds
        if len(kinds) == 1:
            found[kinds[0].group, kinds[0].version, kinds[0].kind] = name
    return found
