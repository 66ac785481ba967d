"""One request with its namespace, and how its parts are answered."""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import ParamSpec, TypeVar
from xml.etree.ElementTree import Element

from aiohttp import ClientPayloadError, web
from aiohttp.http_exceptions import HttpProcessingError

from windlass.apps.pipelines.web.s3.files.store import Store
from windlass.apps.pipelines.web.s3.files.uploads import Uploads
from windlass.apps.pipelines.web.s3.protocol.body import MAX_OBJECT_BYTES, Receiver
from windlass.apps.pipelines.web.s3.protocol.documents import document, parse
from windlass.apps.pipelines.web.s3.protocol.errors import S3Error
from windlass.apps.pipelines.web.s3.protocol.signature import Claim, SentRequest

PIECE_BYTES = 256 << 10
MAX_DOCUMENT_BYTES = 4 << 20
MAX_THREADS = 8
XML = "application/xml"

P = ParamSpec("P")
T = TypeVar("T")


# Threads of its own: a large copy must not delay what the gateway does for people in the default ones.
_threads = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="s3")


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run `work` in a thread, and wait for it even when cancelled: nobody may close a file that it still uses."""
    task = asyncio.get_running_loop().run_in_executor(_threads, partial(work, *args, **kwargs))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # it has been waited for, so nobody else would report it
        raise


@dataclass(frozen=True, kw_only=True)
class Call:
    request: web.Request
    sent: SentRequest
    claim: Claim
    secret_key: str
    store: Store
    bucket: str
    key: str

    @cached_property
    def query(self) -> Mapping[str, str]:
        return dict(self.sent.query)

    @cached_property
    def headers(self) -> dict[str, str]:
        """The headers by name in lower case, with one value each."""
        return {name: ",".join(values) for name, values in self.sent.headers.items()}

    @property
    def uploads(self) -> Uploads:
        return Uploads(self.store)

    def header(self, name: str) -> str:
        return self.sent.header(name)

    def number(self, name: str, default: int, largest: int) -> int:
        """Return a parameter of the query that is a number. Raises S3Error."""
        text = self.query.get(name, "")
        if not text:
            return default
        if not text.isascii() or not text.isdigit() or len(text) > 9:
            raise S3Error("InvalidArgument", f"{name} must be a number from 0 to {largest}.")
        return min(int(text), largest)

    async def receive(self, write: Callable[[bytes], object], max_bytes: int = MAX_OBJECT_BYTES) -> Receiver:
        """Hand the checked content of the body to `write`, in threads. Raises S3Error."""
        receiver = Receiver(self.sent, self.claim, self.secret_key, write, max_bytes)
        try:
            async for data in self.request.content.iter_chunked(PIECE_BYTES):
                await in_thread(receiver.take, data)
        except (ClientPayloadError, HttpProcessingError, ConnectionError) as error:
            raise S3Error("IncompleteBody", "The body ended too early.") from error
        await in_thread(receiver.finish)
        return receiver

    async def document(self, root: str) -> Element:
        """Parse the body, an XML document. Raises S3Error."""
        body = bytearray()
        await self.receive(body.extend, MAX_DOCUMENT_BYTES)
        return parse(bytes(body), root)


def xml_answer(root: Element, status: int = 200) -> web.Response:
    return web.Response(body=document(root), status=status, content_type=XML)


def xml_time(seconds: float) -> str:
    """Return a time as S3's documents have it, in milliseconds."""
    return datetime.fromtimestamp(max(0.0, min(seconds, 253402300799.0)), UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
