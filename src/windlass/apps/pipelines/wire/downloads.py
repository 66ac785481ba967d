"""Download a pipeline or an artifact from a URL that a user gave.

The server must not become a way into networks that the user cannot reach: only public addresses are connected to,
unless the administrator has listed the host, and each redirect is checked as the first URL was.
"""

from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import aiohttp

from windlass.apps.pipelines.wire.call import MAX_BODY, PIPELINE_URL
from windlass.apps.pipelines.wire.errors import InvalidArgument
from windlass.kube.address_ranges import is_address, is_public
from windlass.kube.public_addresses import PublicResolver

MAX_REDIRECTS = 5
REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, kw_only=True)
class DownloadRules:
    allowed_domains: tuple[str, ...] = ()
    """Hosts that may be used, with all that is below them, at whatever address; empty for all public hosts."""
    allow_http: bool = False
    timeout_seconds: float = 30.0
    is_validated: bool = True
    """Whether URLs are checked at all; without, the server connects to any address."""


async def download(url: str, rules: DownloadRules, *, field: str = PIPELINE_URL) -> tuple[str, bytes]:
    """The file name and content of a URL, which a client gave in `field`. Raises InvalidArgument."""
    timeout = aiohttp.ClientTimeout(total=rules.timeout_seconds)
    connector = aiohttp.TCPConnector(
        resolver=PublicResolver(lambda host: not rules.is_validated or is_listed(host, rules)), use_dns_cache=False
    )
    try:
        async with aiohttp.ClientSession(timeout=timeout, connector=connector) as session:
            for _ in range(MAX_REDIRECTS + 1):
                check(url, rules, field)
                async with session.get(url, allow_redirects=False) as response:
                    if response.status in REDIRECTS and "Location" in response.headers:
                        url = urljoin(url, response.headers["Location"])
                        continue
                    return urlsplit(url).path.rpartition("/")[2], await content_of(response, field)
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        reason = str(error) or type(error).__name__
        raise InvalidArgument(f"{field}: {url[:200]} cannot be downloaded: {reason}") from error
    raise InvalidArgument(f"{field}: more than {MAX_REDIRECTS} redirects")


async def content_of(response: aiohttp.ClientResponse, field: str) -> bytes:
    if response.status != 200:
        raise InvalidArgument(f"{field}: the server answers {response.status}")
    content = bytearray()
    async for chunk in response.content.iter_any():
        content += chunk
        if len(content) > MAX_BODY:
            raise InvalidArgument(f"{field}: the file has more than {MAX_BODY >> 20} MiB")
    return bytes(content)


def check(url: str, rules: DownloadRules, field: str = PIPELINE_URL) -> None:
    """Raise InvalidArgument for a URL that the rules do not allow. Names are checked again when they are resolved."""
    if not rules.is_validated:
        return
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError as error:
        raise InvalidArgument(f"{field}: is not a URL") from error
    schemes = ("https", "http") if rules.allow_http else ("https",)
    if parts.scheme not in schemes or not host or parts.username is not None:
        raise InvalidArgument(f"{field}: must be a URL with {' or '.join(schemes)} and without a user")
    if rules.allowed_domains and not is_listed(host, rules):
        raise InvalidArgument(f"{field}: {host!r} is not one of the hosts that the administrator allows")
    if is_address(host) and not is_public(host) and not is_listed(host, rules):
        raise InvalidArgument(f"{field}: {host} is not a public address")


def is_listed(host: str, rules: DownloadRules) -> bool:
    return any(host == domain or host.endswith(f".{domain}") for domain in rules.allowed_domains)
