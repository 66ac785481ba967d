"""How training jobs of old versions are stored: as v1, and of that only what v1 knows."""

from functools import cache

from windlass.apis import crd
from windlass.apis.training.common import GROUP
from windlass.apis.training.conversion import STORED, convert
from windlass.apis.training.frameworks import BY_KIND
from windlass.kube.json import Object, decode, encode
from windlass.kube.schema import Schema, check, drop_unknown, from_crd


@cache
def _schema(kind: str) -> Schema:
    return from_crd(crd.schema(BY_KIND[kind].kind))


def prune(obj: Object) -> None:
    """Take out of a v1 object, in place, what v1 does not know."""
    drop_unknown(_schema(str(obj["kind"])), obj)


def as_stored(obj: Object) -> Object:
    """A job of any version as its v1 object; `obj` is left alone."""
    return convert(obj, f"{GROUP}/{STORED}", prune)


def misfit(stored: Object) -> str:
    """The first value of a v1 object that is of a wrong type; empty where there is none."""
    copy: Object = decode(encode(stored))
    return check(_schema(str(stored["kind"])), copy).type_error or ""
