"""Client of webhooks: resolves a clientConfig, and sends one HTTPS POST with a timeout.

Connections are kept open between calls, as long as the `caBundle` stays the same. Errors have Kubernetes' wording.
"""

import asyncio
import base64
import binascii
import errno
import ssl
from functools import lru_cache
from typing import TYPE_CHECKING

from windlass.apis.wellknown import SERVICE_NAME_LABEL
from windlass.apiserver import pod_dialing
from windlass.apiserver.api import Api
from windlass.kube.json import BadJson, Object, dig, dig_list, dig_object, encode, is_object, parse

if TYPE_CHECKING:
    import aiohttp

_LARGEST_ANSWER = 3 * 1024 * 1024
_HEADERS = {"content-type": "application/json", "accept": "application/json", "user-agent": "windlass/server"}
_sessions: dict[asyncio.AbstractEventLoop, "aiohttp.ClientSession"] = {}


class Unreachable(Exception):
    """A webhook could not be called, or its response was invalid; the message is Kubernetes'."""


async def post_review(api: Api, config: Object, review: Object, seconds: float) -> Object:
    """Send a review to the webhook of a clientConfig and decode the response. Raises `Unreachable`."""
    query = f"?timeout={seconds:g}s"
    posting = f'Post "{_shown(config)}{query}"'
    try:
        url, server_name = address_of(api, config)
        trust = _trust(base64.b64decode(str(config.get("caBundle") or "")))
        async with asyncio.timeout(seconds):
            status, body = await _post(url + query, encode(review), trust, server_name)
    except TimeoutError as error:
        raise Unreachable(f"{posting}: context deadline exceeded") from error
    except Unreachable as error:
        raise Unreachable(f"{posting}: {error}") from error
    except (OSError, binascii.Error, ValueError) as error:
        raise Unreachable(f"{posting}: {_explained(error)}") from error
    if status != 200:
        raise Unreachable(_refused(status, body))
    return _decoded(body)


async def _post(url: str, body: bytes, trust: ssl.SSLContext, server_name: str | None) -> tuple[int, bytes]:
    import aiohttp

    session = _session()
    for last in (False, True):
        try:
            async with session.post(
                url,
                data=body,
                headers=_HEADERS,
                ssl=trust,
                server_hostname=server_name,
                allow_redirects=False,
            ) as answer:
                return answer.status, await answer.content.read(_LARGEST_ANSWER)
        except aiohttp.ServerDisconnectedError as error:  # a kept connection that the other side gave up: once more
            if last:
                raise OSError("EOF") from error
        except aiohttp.ClientSSLError as error:
            raise OSError(f"tls: failed to verify certificate: {error}") from error
        except aiohttp.ClientError as error:
            raise error if isinstance(error, OSError) else OSError(str(error)) from error
    raise AssertionError("unreachable")


def _session() -> "aiohttp.ClientSession":
    import aiohttp

    loop = asyncio.get_running_loop()
    session = _sessions.get(loop)
    if session is None:
        session = _sessions[loop] = aiohttp.ClientSession(
            cookie_jar=aiohttp.DummyCookieJar(), connector=aiohttp.TCPConnector(socket_factory=pod_dialing.socket_for)
        )
    return session


async def close() -> None:
    """Close the connections of this event loop."""
    session = _sessions.pop(asyncio.get_running_loop(), None)
    if session is not None:
        await session.close()


def _explained(error: Exception) -> str:
    cause = getattr(error, "os_error", error)
    if getattr(cause, "errno", None) == errno.ECONNREFUSED:
        return f"dial tcp {getattr(error, 'host', '')}:{getattr(error, 'port', '')}: connect: connection refused"
    return str(error)


def _refused(status: int, body: bytes) -> str:
    if status == 404:
        return "the server could not find the requested resource"
    if status >= 500:
        text = body[:2048].decode("utf-8", "replace").strip() or "unknown"
        return f'an error on the server ("{text}") has prevented the request from succeeding'
    return f"the server responded with the status code {status} but did not return more information"


def _decoded(body: bytes) -> Object:
    try:
        answer = parse(body)
    except BadJson as error:
        raise Unreachable(f"couldn't get response: {error}") from error
    if not is_object(answer):
        raise Unreachable("couldn't get response: it is not an object")
    return answer


@lru_cache(maxsize=64)
def _trust(bundle: bytes) -> ssl.SSLContext:
    return ssl.create_default_context(cadata=bundle.decode() if bundle else None)


def _shown(config: Object) -> str:
    """The name of a webhook for messages: behind a Service that is the Service's name."""
    if config.get("url"):
        return str(config["url"])
    service = dig_object(config, "service")
    path = str(service.get("path") or "").lstrip("/")
    return f"https://{service.get('name')}.{service.get('namespace')}.svc:{service.get('port') or 443}/{path}"


def address_of(api: Api, config: Object) -> tuple[str, str | None]:
    """The URL of a clientConfig, and the name in its certificate if that differs from the URL's host."""
    if config.get("url"):
        return str(config["url"]), None
    service = dig_object(config, "service")
    namespace, name, port = str(service.get("namespace")), str(service.get("name")), int(service.get("port") or 443)
    host, target = service_endpoint(api, namespace, name, port)
    path = str(service.get("path") or "").lstrip("/")
    bracketed = f"[{host}]" if ":" in host else host
    return f"https://{bracketed}:{target}/{path}", f"{name}.{namespace}.svc"


def service_endpoint(api: Api, namespace: str, name: str, port: int) -> tuple[str, int]:
    """A ready address of a Service, from its EndpointSlices."""
    service = api.read("/services", namespace, name)
    if service is None:
        raise Unreachable(f'service "{name}" not found')
    if dig(service, "spec", "type") == "ExternalName":
        return str(dig(service, "spec", "externalName")), port
    wanted = next((p for p in dig_list(service, "spec", "ports") if p.get("port") == port), None)
    if wanted is None:
        raise Unreachable(f'no service port {port} found for service "{name}"')
    for piece in api.read_all("discovery.k8s.io/endpointslices", namespace):
        if dig(piece, "metadata", "labels", SERVICE_NAME_LABEL) != name:
            continue
        ports = [p for p in dig_list(piece, "ports") if (p.get("name") or "") == (wanted.get("name") or "")]
        for endpoint in dig_list(piece, "endpoints"):
            if ports and dig(endpoint, "conditions", "ready") is not False and dig_list(endpoint, "addresses"):
                return str(endpoint["addresses"][0]), int(ports[0]["port"])
    raise Unreachable(f'no endpoints available for service "{name}"')
