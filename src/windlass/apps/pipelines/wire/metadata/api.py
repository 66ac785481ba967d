"""Answers a call of the metadata store: finds its method, and reads in the namespaces that the caller may see."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from typing import TYPE_CHECKING

from windlass.apis.wellknown import PIPELINES_GROUP
from windlass.apps.pipelines.rows.errors import DatabaseError
from windlass.apps.pipelines.wire.call import Caller
from windlass.apps.pipelines.wire.errors import (
    InvalidArgument,
    PermissionDenied,
    Unavailable,
    Unimplemented,
    of_kubernetes,
)
from windlass.apps.pipelines.wire.metadata.methods import READS, WRITES
from windlass.apps.pipelines.wire.metadata.store import MetadataStore
from windlass.formats.protobuf_messages import decode, encode
from windlass.formats.protobuf_wire import BadMessage
from windlass.kube.errors import ApiError

if TYPE_CHECKING:
    from windlass.apps.pipelines.rows.database import Database

log = logging.getLogger(__name__)


class MetadataApi:
    def __init__(self, open_database: Callable[[], Awaitable["Database"]]) -> None:
        self._open_database = open_database

    async def answer(self, method: str, message: bytes, caller: Caller, namespace: str = "") -> bytes:
        """The message that answers a call. Raises WireError.

        `namespace`: the only one that may be read, of callers who have not proven more.
        """
        if method in WRITES:
            raise Unimplemented(f"{method}: the metadata store is read-only, since Windlass records executions itself")
        if method not in READS:
            raise Unimplemented(f"The metadata store has no method {method}")
        known = READS[method]
        try:
            request = decode(known.request, message)
        except BadMessage as error:
            raise InvalidArgument(f"{method}: the message cannot be read: {error}") from error
        try:
            database = await self._open_database()
            namespaces = [namespace] if namespace else await database.namespaces()
            visible = await readable(caller, namespaces)
            if namespace and not visible:
                raise PermissionDenied(f"User {caller.user!r} may not list runs.{PIPELINES_GROUP} in {namespace!r}")
            response = await known.handler(MetadataStore(database.metadata(visible)), request)
        except ApiError as error:
            raise of_kubernetes(error) from error
        except DatabaseError as error:
            log.warning("request refused method=%s error=%s", method, error)
            raise Unavailable("the database of pipelines cannot be used") from error
        return encode(known.response, response)


async def readable(caller: Caller, namespaces: Collection[str]) -> list[str]:
    """The namespaces whose runs the caller may list."""
    answers = await asyncio.gather(*(caller.allows("list", PIPELINES_GROUP, "runs", each) for each in namespaces))
    return [namespace for namespace, is_allowed in zip(namespaces, answers, strict=True) if is_allowed]
