"""Artifacts in object stores: fetched into the claim of their namespace before a pod reads them, published after.

What users name (endpoints, buckets, Secrets) is used with the rights of this process: see `egress` for what is
refused. obstore is imported for the first remote URI.
"""

import asyncio
import copy
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from windlass.apps.pipelines.artifacts.claim_folders import NoFolder
from windlass.apps.pipelines.artifacts.reader import Content
from windlass.apps.pipelines.artifacts.stores.egress import EgressProxy, Refused, resolve
from windlass.apps.pipelines.artifacts.stores.providers import Provider
from windlass.apps.pipelines.artifacts.stores.remote_records import forget_version, is_whole
from windlass.apps.pipelines.artifacts.stores.store_settings import Credentials
from windlass.apps.pipelines.artifacts.uris import claim_path, split_uri
from windlass.apps.pipelines.names import ARTIFACTS_CLAIM
from windlass.kube.errors import ApiError

if TYPE_CHECKING:
    from windlass.apps.pipelines.artifacts.stores.remote_transfers import Access
    from windlass.apps.pipelines.artifacts.stores.store_client import Client

MAX_CLIENTS = 32
_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,221}")


class StoreError(Exception):
    """An artifact cannot be transferred; the message names its URI and the reason."""


class Settings(Protocol):
    """How stores are reached, and with which credentials."""

    async def provider(self, namespace: str, uri: str) -> Provider | None:
        """Return the provider of a URI; None if it is in no store. Raises ValueError and ApiError."""
        ...

    async def credentials(self, namespace: str, provider: Provider) -> Credentials:
        """Raises ValueError and ApiError."""
        ...


class Folders(Protocol):
    """The folders into which artifacts are fetched, and from which they are published. Its methods raise NoFolder."""

    async def folder(self, namespace: str, claim: str = ARTIFACTS_CLAIM) -> Path: ...

    async def make(self, namespace: str, claim: str = ARTIFACTS_CLAIM) -> Path: ...


class NoFolders:
    """The folders of claims on a cluster: none is on the machine of this process."""

    async def folder(self, namespace: str, claim: str = ARTIFACTS_CLAIM) -> Path:
        raise NoFolder(f"the claim {namespace}/{claim} is not on this machine")

    async def make(self, namespace: str, claim: str = ARTIFACTS_CLAIM) -> Path:
        return await self.folder(namespace, claim)


class RemoteStore:
    """Transfers between object stores and the claims of namespaces, with the credentials of each namespace.

    Methods may be repeated, and run side by side. For a URI that is in the claim alone they raise StoreError.
    """

    def __init__(self, settings: Settings, folders: Folders, *, allow_local: bool = False) -> None:
        """`allow_local` permits endpoints on this machine."""
        self._settings, self._folders, self._allow_local = settings, folders, allow_local
        self._proxy = EgressProxy(allow_local=allow_local)
        self._clients: dict[tuple[Provider, str, Credentials], Client] = {}
        self._locks: WeakValueDictionary[tuple[str, str, str], asyncio.Lock] = WeakValueDictionary()

    def with_settings(self, settings: Settings) -> "RemoteStore":
        """The same store for another reader of ConfigMaps and Secrets, such as one with the rights of a person."""
        other = copy.copy(self)
        other._settings = settings
        return other

    async def close(self) -> None:
        await self._proxy.close()

    async def is_remote(self, namespace: str, uri: str) -> bool:
        """Whether a URI is in an object store. Raises ValueError for settings that are not valid, and ApiError."""
        return await self._settings.provider(namespace, uri) is not None

    async def is_fetched(self, namespace: str, uri: str) -> bool:
        """Whether the claim has the whole content of a URI, in whatever version."""
        path = claim_path(uri)
        if path is None:
            return False
        try:
            folder = await self._folders.folder(namespace)
        except NoFolder:
            return False
        return await asyncio.to_thread(is_whole, folder, path)

    async def fetch(
        self,
        namespace: str,
        uri: str,
        *,
        claim: str = ARTIFACTS_CLAIM,
        path: str = "",
        must_exist: bool = True,
        is_recorded: bool = True,
    ) -> None:
        """Put the present content of a URI into a claim, unless it is there. Raises StoreError.

        `path` is that in the claim; empty for the path that belongs to the URI. Content that does not exist is no
        error unless it must. Without a record, content that is fetched again is copied again.
        """
        from windlass.apps.pipelines.artifacts.stores.remote_transfers import download

        async with self._accessing(namespace, uri, "fetch") as access:
            target = path or _path_of(uri)
            folder = await self._folders.make(namespace, claim)
            lock = self._locks.setdefault((namespace, claim, target), asyncio.Lock())
            async with lock:
                await download(access, folder, target, must_exist=must_exist)
                if not is_recorded:
                    await asyncio.to_thread(forget_version, folder, target)

    async def publish(self, namespace: str, uri: str, *, path: str = "") -> None:
        """Put what the claim has for a URI, or at a path, into its store; nothing is no error. Raises StoreError."""
        from windlass.apps.pipelines.artifacts.stores.remote_transfers import upload

        async with self._accessing(namespace, uri, "publish") as access:
            await upload(access, await self._folders.folder(namespace), path or _path_of(uri))

    async def exists(self, namespace: str, uri: str) -> bool:
        """Whether the store has an object at a URI or below it. Raises StoreError."""
        from windlass.apps.pipelines.artifacts.stores.remote_transfers import version_of

        async with self._accessing(namespace, uri, "find") as access:
            return bool(await version_of(access))

    async def names(self, namespace: str, uri: str) -> list[str]:
        """Names of all objects below a URI, in their order; "" is the object at the URI itself. Raises StoreError."""
        from windlass.apps.pipelines.artifacts.stores.remote_transfers import version_of

        async with self._accessing(namespace, uri, "list") as access:
            return sorted(await version_of(access))

    async def remove(self, namespace: str, uri: str) -> None:
        """Delete the object at a URI, or all below it; nothing is no error. Raises StoreError."""
        from windlass.apps.pipelines.artifacts.stores.remote_transfers import delete

        async with self._accessing(namespace, uri, "delete") as access:
            await delete(access)

    async def open(self, namespace: str, uri: str) -> Content | None:
        """The content of an object, read part by part; None if there is none. Raises StoreError."""
        from windlass.apps.pipelines.artifacts.stores.remote_reader import open_object

        async with self._accessing(namespace, uri, "read") as access:
            return await asyncio.to_thread(open_object, access) if access.key else None

    @asynccontextmanager
    async def _accessing(self, namespace: str, uri: str, verb: str) -> "AsyncGenerator[Access]":
        """Open the store of a URI; whatever fails inside becomes a StoreError that names the URI."""
        from windlass.apps.pipelines.artifacts.stores.remote_transfers import Access
        from windlass.apps.pipelines.artifacts.stores.store_client import CLIENT_ERRORS, endpoint_url, reason_of

        source = host = ""
        try:
            provider = await self._settings.provider(namespace, uri)
            if provider is None:
                raise ValueError("it is in no object store")
            credentials = await self._settings.credentials(namespace, provider)
            source = f" {credentials.source}"
            bucket, _, key = split_uri(uri)[1].partition("/")
            host = urlsplit(endpoint_url(provider, bucket, credentials)).hostname or ""
            yield Access(await self._open(provider, bucket, credentials), key.rstrip("/"))
        except ApiError as error:
            raise StoreError(f"Cannot {verb} {uri}: {error.message}") from error
        except CLIENT_ERRORS as error:
            reason = self._proxy.failure(host) or reason_of(error)
            raise StoreError(f"Cannot {verb} {uri}{source}: {reason}") from error
        except (NoFolder, OSError, ValueError) as error:
            raise StoreError(f"Cannot {verb} {uri}{source}: {error}") from error

    async def _open(self, provider: Provider, bucket: str, credentials: Credentials) -> "Client":
        """Raises ValueError, and Refused for an endpoint that is not permitted."""
        from windlass.apps.pipelines.artifacts.stores.store_client import open_client

        if not _BUCKET.fullmatch(bucket):
            raise ValueError(f"{bucket!r} is not the name of a bucket")
        await self._check(provider)
        name = (provider, bucket, credentials)
        if name not in self._clients:
            while len(self._clients) >= MAX_CLIENTS:
                self._clients.pop(next(iter(self._clients)))
            self._clients[name] = open_client(provider, bucket, credentials, await self._proxy.url())
        return self._clients[name]

    async def _check(self, provider: Provider) -> None:
        """Refuse an endpoint early, with a clear message; the proxy then checks each connection.

        A name that cannot be resolved now is left to the client, which tries again.
        """
        if not provider.url:
            return
        parts = urlsplit(provider.url)
        try:
            await resolve(parts.hostname or "", parts.port or 443, allow_local=self._allow_local)
        except Refused:
            raise
        except OSError:
            return


def _path_of(uri: str) -> str:
    path = claim_path(uri)
    if path is None:
        raise ValueError("its path is empty, or has an empty, . or .. part")
    return path
