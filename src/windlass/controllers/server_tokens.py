"""The token between a server and the gateway: 256 random bits in a Secret, made once for each object.

A server without a token would admit every process that reaches its port. Making one is no decision, so it is apart
from the reconciles, which start no server before the Secret is there.
"""

from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Callable
from functools import partial
from secrets import token_hex
from typing import TypeVar

from windlass.apis.core_v1 import Secret
from windlass.apis.server_tokens import SERVER_LABEL, TOKEN_KEY, is_token_secret, secret_label, secret_name
from windlass.apis.wellknown import NAME_CONFLICT
from windlass.apps.notebooks.names import NOTEBOOK_LABEL
from windlass.formats.server_token import VARIABLE
from windlass.kube.controller import Acted, Acting, Api, Observed
from windlass.kube.errors import AlreadyExists, NotFound
from windlass.kube.json import Object as Json
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key, Object, ObjectMeta, PartialObjectMetadata
from windlass.kube.objects import is_deleting, owner_reference
from windlass.kube.plan import Event
from windlass.kube.view import View, metadata_only, typed

TOKEN_BYTES = 32
NOTEBOOK_TOKENS: View[PartialObjectMetadata] = metadata_only(Secret).narrowed(labels=NOTEBOOK_LABEL)
TOKENS: View[PartialObjectMetadata] = metadata_only(Secret).narrowed(labels=SERVER_LABEL)
"""Secrets with tokens, without what they hold."""

K = TypeVar("K", bound=Object)
Make = Callable[[], str]


def view_of(kind: type[Object]) -> View[PartialObjectMetadata]:
    return NOTEBOOK_TOKENS if KINDS.of(kind).plural == "notebooks" else TOKENS


def has_token(obj: Object, observed: Observed) -> bool:
    return observed.one(view_of(type(obj)), _secret_name(obj)) is not None


def variable(obj: Object, name: str = VARIABLE) -> Json:
    """The environment variable by which the object's server learns its token."""
    return {"name": name, "valueFrom": {"secretKeyRef": {"name": _secret_name(obj), "key": TOKEN_KEY}}}


async def read_token(kind: type[Object], key: Key, api: Api) -> str:
    """The token of an object's server; empty where there is none."""
    try:
        secret = await api.get(typed(Secret), secret_name(KINDS.of(kind).plural, key.name), key.namespace)
        return b64decode(secret.data.get(TOKEN_KEY, ""), validate=True).decode("ascii")
    except (NotFound, NotBase64, UnicodeDecodeError):
        return ""


def _secret_name(obj: Object) -> str:
    return secret_name(KINDS.of(type(obj)).plural, obj.metadata.name)


def _secret(obj: Object, token: str) -> Secret:
    kind, name = KINDS.of(type(obj)), obj.metadata.name
    label, value = secret_label(kind.plural, name)
    return Secret(
        metadata=ObjectMeta(
            name=secret_name(kind.plural, name),
            namespace=obj.metadata.namespace,
            labels={label: value},
            owner_references=[owner_reference(obj, kind)],
        ),
        type="Opaque",
        data={TOKEN_KEY: b64encode(token.encode()).decode()},
        immutable=True,
    )


async def provide(make: Make, is_needed: Callable[[K], bool], obj: K, observed: Observed, api: Api) -> Acted | None:
    """Create the object's Secret if it needs one and has none."""
    if is_deleting(obj) or not is_needed(obj) or has_token(obj, observed):
        return None
    try:
        await api.create(_secret(obj, make()))
    except AlreadyExists:
        kind, name = KINDS.of(type(obj)), _secret_name(obj)
        existing = await api.get(metadata_only(Secret), name, obj.metadata.namespace)
        if is_token_secret(kind.plural, obj.metadata.name, existing.metadata):
            return None  # the cache is behind
        message = f"Secret {name} exists and is not of this {kind.name}: the server waits until it is deleted"
        return Acted(events=[Event(reason=NAME_CONFLICT, message=message, warning=True)])
    return None


def controller(name: str, kind: type[K], is_needed: Callable[[K], bool]) -> Acting[K]:
    """The controller that makes the tokens of one kind's servers."""
    act = partial(provide, partial(token_hex, TOKEN_BYTES), is_needed)
    return Acting(name, kind, act, owns=[view_of(kind)])
