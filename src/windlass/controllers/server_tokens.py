"""The token between a server and the gateway: 256 random bits in a Secret, made once for each object.

A server without a token would admit every process that reaches its port. Making one is no decision, so it is apart
from the reconciles, which start no server before the Secret is there.
"""

from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Callable
from functools import cache, partial
from secrets import token_hex
from typing import TypeVar

from windlass.apis.core_v1 import Secret
from windlass.apis.server_tokens import TOKEN_KEY, TokenSecrets
from windlass.apis.wellknown import NAME_CONFLICT
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

K = TypeVar("K", bound=Object)
Make = Callable[[], str]


@cache
def view_of(secrets: TokenSecrets) -> View[PartialObjectMetadata]:
    """The view of Secrets with tokens, without the tokens."""
    return metadata_only(Secret).narrowed(labels=secrets.label)


def has_token(secrets: TokenSecrets, obj: Object, observed: Observed) -> bool:
    return observed.one(view_of(secrets), secrets.secret_name(obj.metadata.name)) is not None


def variable(secrets: TokenSecrets, obj: Object, name: str = VARIABLE) -> Json:
    """The environment variable by which the object's server learns its token."""
    secret = secrets.secret_name(obj.metadata.name)
    return {"name": name, "valueFrom": {"secretKeyRef": {"name": secret, "key": TOKEN_KEY}}}


async def read_token(secrets: TokenSecrets, key: Key, api: Api) -> str:
    """The token of an object's server; empty where there is none."""
    try:
        secret = await api.get(typed(Secret), secrets.secret_name(key.name), key.namespace)
        return b64decode(secret.data.get(TOKEN_KEY, ""), validate=True).decode("ascii")
    except (NotFound, NotBase64, UnicodeDecodeError):
        return ""


def _secret(secrets: TokenSecrets, obj: Object, token: str) -> Secret:
    name = obj.metadata.name
    return Secret(
        metadata=ObjectMeta(
            name=secrets.secret_name(name),
            namespace=obj.metadata.namespace,
            labels=secrets.secret_labels(name),
            owner_references=[owner_reference(obj, KINDS.of(type(obj)))],
        ),
        type="Opaque",
        data={TOKEN_KEY: b64encode(token.encode()).decode()},
        immutable=True,
    )


async def provide(
    make: Make, secrets: TokenSecrets, is_needed: Callable[[K], bool], obj: K, observed: Observed, api: Api
) -> Acted | None:
    """Create the object's Secret if it needs one and has none."""
    if is_deleting(obj) or not is_needed(obj) or has_token(secrets, obj, observed):
        return None
    try:
        await api.create(_secret(secrets, obj, make()))
    except AlreadyExists:
        name = secrets.secret_name(obj.metadata.name)
        existing = await api.get(metadata_only(Secret), name, obj.metadata.namespace)
        if secrets.is_token_secret(obj.metadata.name, existing.metadata):
            return None  # the cache is behind
        kind = KINDS.of(type(obj)).name
        message = f"Secret {name} exists and is not of this {kind}: the server waits until it is deleted"
        return Acted(events=[Event(reason=NAME_CONFLICT, message=message, warning=True)])
    return None


def controller(name: str, kind: type[K], secrets: TokenSecrets, is_needed: Callable[[K], bool]) -> Acting[K]:
    """The controller that makes the tokens of one kind's servers."""
    act = partial(provide, partial(token_hex, TOKEN_BYTES), secrets, is_needed)
    return Acting(name, kind, act, owns=[view_of(secrets)])
