"""Requests to the hosts of connectors.

The administrator has named one host, which may be at any address. Other hosts that it names for its keys and tokens
must be at public ones: a connector is no way into the networks of the gateway. Redirects are not followed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from windlass.gateway.identity.connectors.departure import ConnectorFailed
from windlass.gateway.identity.connectors.trust import MACHINE_TRUST, Trust
from windlass.kube.address_ranges import is_address, is_public
from windlass.kube.json import parse

if TYPE_CHECKING:
    import ssl

TIMEOUT = timedelta(seconds=10)
LARGEST_ANSWER = 1 << 20  # bytes


@dataclass(frozen=True)
class JsonAnswer:
    url: str
    document: Any
    next_url: str
    """The following page of a list; empty where there is none."""

    def object(self) -> dict[str, Any]:
        document = self.document
        if not isinstance(document, dict):
            raise ConnectorFailed(f"{self.url} does not answer with an object")
        return cast(dict[str, Any], document)

    def objects(self) -> list[dict[str, Any]]:
        document = self.document
        listed: list[Any] = cast(list[Any], document) if isinstance(document, list) else [None]
        if not all(isinstance(item, dict) for item in listed):
            raise ConnectorFailed(f"{self.url} does not answer with a list of objects")
        return cast(list[dict[str, Any]], listed)


@dataclass(frozen=True)
class ConnectorClient:
    """`named_host` is the one that may be at any address."""

    named_host: str
    trust: Trust

    async def fetch(
        self, url: str, form: dict[str, str] | None = None, headers: Mapping[str, str] | None = None
    ) -> JsonAnswer:
        """POST a form, or GET. Raises ConnectorFailed for anything but JSON with 200."""
        import aiohttp

        from windlass.kube.public_addresses import PublicResolver

        try:
            connector = aiohttp.TCPConnector(
                resolver=PublicResolver(lambda host: host == self.named_host),
                use_dns_cache=False,
                ssl=self._tls(),
            )
            async with (
                aiohttp.ClientSession(
                    timeout=aiohttp.ClientTimeout(total=TIMEOUT.total_seconds()), connector=connector
                ) as session,
                session.request(
                    "POST" if form else "GET",
                    url,
                    data=form,
                    allow_redirects=False,
                    headers={"Accept": "application/json", **(headers or {})},
                ) as answer,
            ):
                body = await answer.content.read(LARGEST_ANSWER)
                status, following = answer.status, answer.links.get("next")
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            raise ConnectorFailed(f"{url} does not answer: {error or type(error).__name__}") from error
        if status != 200:
            raise ConnectorFailed(f"{url} answers {status}")
        try:
            return JsonAnswer(url, parse(body), str(following["url"]) if following else "")
        except ValueError as error:
            raise ConnectorFailed(f"{url} does not answer in JSON") from error

    def _tls(self) -> "ssl.SSLContext | bool":
        return self.trust.context() if self.trust != MACHINE_TRUST else True


def check_endpoint(issuer: str, name: str, url: str) -> None:
    """Raise ConnectorFailed for an address of an endpoint that is not used.

    It must be HTTP, and HTTPS where the issuer is, since a client secret is sent there. An address in figures must be
    public unless it is that of the issuer; names are checked when they are resolved.
    """
    try:
        own, parts = urlsplit(issuer), urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise ConnectorFailed(f"{issuer} names a {name} that is no URL") from error
    schemes = ("https",) if own.scheme == "https" else ("https", "http")
    if parts.scheme not in schemes or not host or parts.username is not None:
        raise ConnectorFailed(f"{issuer} names a {name} that cannot be used: {url[:200]!r}")
    if host != own.hostname and is_address(host) and not is_public(host):
        raise ConnectorFailed(f"{issuer} names a {name} at {host}, which is not a public address")
