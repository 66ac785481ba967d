"""Prototypes of object series: a body that differs from an earlier one only in the name is not processed again.

A ReplicaSet or a Job sends one body many times. The object just before admission is cached by everything that it
depends on, and the next ones are copies with their own name, uid and time. Admission and validation, which depend on
the cluster, run for each of them.
"""

from typing import Final, NamedTuple

import msgspec

from windlass.apiserver.call import Call
from windlass.apiserver.verbs.write import generate_name, new_uid, now
from windlass.kube.json import Object, decode, encode
from windlass.kube.series import Series

_NAME: Final = b'"\0"'  # which no JSON contains


class Prototype(NamedTuple):
    """An object as JSON, and separately the fields that its manager owns, which are not read before the end."""

    document: bytes
    owned: msgspec.Raw


_FIRST_OF_SERIES: Final = Prototype(b"", msgspec.Raw())


class Likeness(NamedTuple):
    """What an object has in common with others of its series, and what it does not."""

    prototypes: Series[Prototype]
    key: bytes
    name: str


class _Named(msgspec.Struct):
    name: str = ""


class _Outline(msgspec.Struct):
    metadata: _Named


_outline = msgspec.json.Decoder(_Outline).decode


def likeness_of(call: Call) -> Likeness | None:
    """Return the cache key of the body.

    None for kinds that do not come in series, and for a body in which the name is not found exactly once.
    """
    prototypes = call.resource.strategy.prototypes
    if prototypes is None:
        return None
    request = call.request
    body, headers = request.body, request.headers
    try:
        name = _outline(body).metadata.name
    except (msgspec.MsgspecError, RecursionError):  # YAML, protobuf, or what is to be refused
        return None
    if name:
        quoted = b'"%b"' % name.encode()
        if body.count(quoted) != 1:
            return None
        body = body.replace(quoted, _NAME)
    agent, media = headers.get(b"user-agent", b""), headers.get(b"content-type", b"")
    key = b"\n".join((call.path.namespace.encode(), request.query_string, agent, media, body))
    return Likeness(prototypes, key, name)


def copied(likeness: Likeness) -> Object | None:
    """Return a new object of the series, as `prepare_new` and `record` leave it; None without a prototype."""
    prototype = likeness.prototypes.get(likeness.key)
    if prototype is None or prototype is _FIRST_OF_SERIES:
        return None
    obj: Object = decode(prototype.document)
    metadata = obj["metadata"]
    metadata["name"] = likeness.name or generate_name(metadata["generateName"])
    metadata["uid"] = new_uid()
    metadata["creationTimestamp"] = now()
    (owner,) = metadata["managedFields"]
    owner["time"] = now()
    owner["fieldsV1"] = prototype.owned
    return obj


def remember(likeness: Likeness, obj: Object) -> None:
    """Keep the second object of a series as a prototype: most objects are the only one of theirs."""
    prototypes, key, _ = likeness
    metadata = obj["metadata"]
    if prototypes.get(key) is None:
        prototypes.put(key, _FIRST_OF_SERIES)
    elif metadata.get("name") and metadata.get("managedFields"):
        (owner,) = metadata["managedFields"]
        fields = owner.pop("fieldsV1")
        prototypes.put(key, Prototype(encode(obj), msgspec.Raw(encode(fields))))
        owner["fieldsV1"] = fields
