# pyright: strict
"""A client of registries: the pull half of the OCI's distribution API.

Users name registries, and the node reaches more than users do. So nothing of an answer but a manifest, a verified layer
or a registry's own error is ever shown, and a registry may send the client only to itself or to an https URL. One with
TLS may not send it to itself without: its name may have another address by then. Loopback addresses are for registries
that images.yaml names: other programs that listen there may accept every local client.
"""

import asyncio
import hashlib
import socket
import ssl
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
from yarl import URL

from windlass.kube.address_ranges import reached_address
from windlass.kube.json import BadJson, dig, dig_list
from windlass.kube.json import parse as parse_json
from windlass.node.images.catalogue import RegistrySettings
from windlass.node.images.image import PullFailed
from windlass.node.images.reference import HUB, Reference
from windlass.node.oci.challenges import Challenge, parse
from windlass.node.oci.credentials import Credential
from windlass.node.oci.manifests import ACCEPT, MAX_MANIFEST, Descriptor, check_digest

HUB_HOST = "registry-1.docker.io"
TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=30, sock_read=60)
MAX_REDIRECTS = 5
MAX_ERROR = 64 << 10
CHUNK = 1 << 20


class Denied(PullFailed):
    """The registry refuses the credentials; other ones may do."""


def is_loopback(registry: str) -> bool:
    """Whether a registry is at a loopback address, in any form that the resolver accepts: `127.1`, `0.0.0.0`, `::1`."""
    host = (URL(f"http://{registry}").host or "").lower().rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = reached_address(host if ":" in host else socket.inet_ntoa(socket.inet_aton(host)))
    except (OSError, ValueError):  # a name
        return False
    return address.is_loopback or address.is_unspecified


def check_place(registry: str, registries: Mapping[str, RegistrySettings]) -> None:
    """Raises PullFailed for a registry at a loopback address that images.yaml does not name."""
    if is_loopback(registry) and registry not in registries:
        raise PullFailed(
            f"{registry} is a loopback address of the node, and images.yaml there does not name this registry: add "
            f'registries: {{"{registry}": {{plain_http: true}}}}'
        )


class Registry:
    """Reads one repository with one credential, or anonymously."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        reference: Reference,
        settings: RegistrySettings,
        credential: Credential | None = None,
    ) -> None:
        self._session, self._reference, self._credential = session, reference, credential
        host = HUB_HOST if reference.registry == HUB else reference.registry
        scheme = "http" if settings.plain_http else "https"
        self._base = URL(f"{scheme}://{host}/v2/{reference.repository}/", encoded=True)
        self._ssl = _trust(settings.ca)
        self._authorization = ""

    async def manifest(self, name: str) -> bytes:
        """Return the manifest of a tag or digest as it is. Raises PullFailed."""
        async with self._get(self._base / "manifests" / name, {"Accept": ACCEPT}) as answer:
            content = await answer.content.read(MAX_MANIFEST + 1)
            while len(content) <= MAX_MANIFEST and (more := await answer.content.read(MAX_MANIFEST)):
                content += more
        if len(content) > MAX_MANIFEST:
            raise PullFailed(f"its manifest exceeds {MAX_MANIFEST} bytes")
        return content

    async def layer(self, layer: Descriptor, folder: Path, progress: Callable[[str], None]) -> Path:
        """Download a layer, unless `folder` has it. A file of its name is complete and verified. Raises PullFailed."""
        target = folder / layer.file_name
        if target.exists():
            return target
        partial = target.with_suffix(".partial")
        async with self._get(self._base / "blobs" / layer.digest, {}) as answer:
            await _save(answer, layer, partial, progress)
        partial.rename(target)
        return target

    @asynccontextmanager
    async def _get(self, url: URL, headers: dict[str, str]) -> AsyncGenerator[aiohttp.ClientResponse]:
        """Send a request, and again with a token if the registry asks for one."""
        try:
            async with self._follow(url, headers) as answer:
                if answer.status != 401:
                    await _check(answer)
                    yield answer
                    return
                challenge = parse(answer.headers.get("WWW-Authenticate", ""))
            self._authorization = await self._authorize(challenge)
            async with self._follow(url, headers) as answer:
                await _check(answer)
                yield answer
        except (aiohttp.ClientError, TimeoutError, ssl.SSLError) as error:
            reason = str(error) or "the connection timed out"
            raise PullFailed(f"{self._reference.registry} cannot be reached: {reason}") from error

    @asynccontextmanager
    async def _follow(self, url: URL, headers: dict[str, str]) -> AsyncGenerator[aiohttp.ClientResponse]:
        """Follow redirects. Credentials are for the registry alone, not for where it stores its blobs."""
        for _ in range(MAX_REDIRECTS):
            own = url.origin() == self._base.origin()
            given = {**headers, **({"Authorization": self._authorization} if own and self._authorization else {})}
            trust = self._ssl if own else True
            async with self._session.get(url, headers=given, allow_redirects=False, ssl=trust) as answer:
                if answer.status not in (301, 302, 303, 307, 308):
                    yield answer
                    return
                url = self._permitted(url.join(URL(answer.headers.get("Location", ""))))
        raise PullFailed(f"{self._reference.registry} redirects more than {MAX_REDIRECTS} times")

    def _permitted(self, url: URL) -> URL:
        if url.scheme != "https" and (url.scheme, url.host) != (self._base.scheme, self._base.host):
            raise PullFailed(f"{self._reference.registry} refers to {url.origin()}, which is not an https URL")
        if is_loopback(url.authority) and url.host != self._base.host:
            raise PullFailed(f"{self._reference.registry} refers to {url.origin()}, a loopback address of the node")
        return url

    async def _authorize(self, challenge: Challenge | None) -> str:
        """Return the header Authorization that a registry asks for. Raises PullFailed."""
        if challenge is None or challenge.scheme not in ("basic", "bearer"):
            raise PullFailed(f"{self._reference.registry} asks for credentials in a way that is not supported")
        basic = self._credential.basic if self._credential is not None else ""
        if challenge.scheme == "basic":
            if not basic:
                raise Denied("no basic auth credentials")
            return basic
        realm = self._permitted(self._base.join(URL(challenge.parameters.get("realm", ""))))
        query = {key: challenge.parameters[key] for key in ("service", "scope") if key in challenge.parameters}
        headers = {"Authorization": basic} if basic else {}
        trust = self._ssl if realm.origin() == self._base.origin() else True
        async with self._session.get(
            realm.update_query(query), headers=headers, allow_redirects=False, ssl=trust
        ) as answer:
            await _check(answer)
            given = await _decoded(answer)
        token = str(dig(given, "token") or dig(given, "access_token") or "")
        if not token or not token.isprintable():
            raise PullFailed(f"{realm.host} gave no token")
        return f"Bearer {token}"


def _trust(ca: str) -> ssl.SSLContext | bool:
    """Return which certificates to trust. Raises PullFailed."""
    if not ca:
        return True
    try:
        return ssl.create_default_context(cafile=ca)
    except (OSError, ssl.SSLError) as error:
        raise PullFailed(f"cannot read the certificates in {ca}: {error}") from error


async def _check(answer: aiohttp.ClientResponse) -> None:
    if answer.status < 300:
        return
    errors = dig_list(await _decoded(answer), "errors")
    words = [str(dig(each, "message") or dig(each, "code") or "") for each in errors]
    text = "; ".join(word[:200] for word in words if word) or f"the registry answered {answer.status}"
    if answer.status in (401, 403):
        raise Denied(f"pull access denied, repository does not exist or may require authorization: {text}")
    raise PullFailed(text, "not found" if answer.status == 404 else "")


async def _decoded(answer: aiohttp.ClientResponse) -> Any:
    content = await answer.content.read(MAX_ERROR)
    try:
        return parse_json(content)
    except BadJson:
        return {}


async def _save(answer: aiohttp.ClientResponse, layer: Descriptor, path: Path, progress: Callable[[str], None]) -> None:
    """Write a layer to a file while its digest is verified. Raises PullFailed and OSError."""
    digest, done = hashlib.new(check_digest(layer.digest)), 0
    with path.open("wb") as file:
        async for chunk in answer.content.iter_chunked(CHUNK):
            done += len(chunk)
            if done > layer.size:
                break
            digest.update(chunk)
            await asyncio.to_thread(file.write, chunk)
            progress(f"{layer.digest[:19]}: {done} of {layer.size} bytes")
    found = f"{digest.name}:{digest.hexdigest()}"
    if done != layer.size or found != layer.digest:
        raise PullFailed(f"the layer {layer.digest} is damaged: the registry sent {done} bytes of the digest {found}")
