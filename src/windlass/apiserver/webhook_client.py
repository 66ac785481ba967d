"""Talking to webhooks: where a clientConfig leads, and one HTTPS POST with a deadline."""

import asyncio
import base64
import binascii
import ssl
from functools import lru_cache

import msgspec

from windlass.apiserver.api import Api
from windlass.kube.json import Object, decode, dig, dig_list, dig_object, encode, is_object

_LARGEST_ANSWER = 3 * 1024 * 1024


class Unreachable(Exception):
    """A webhook could not be asked, or made no sense; the message says why, in Kubernetes' words."""


async def post_review(api: Api, config: Object, review: Object, seconds: float) -> Object:
    """Send a review to the webhook of a clientConfig; its answer, decoded. Raises `Unreachable`."""
    import aiohttp

    url, server_name = address_of(api, config)
    try:
        trust = _trust(base64.b64decode(str(config.get("caBundle") or "")))
        async with (
            asyncio.timeout(seconds),
            aiohttp.ClientSession() as session,
            session.post(
                url,
                data=encode(review),
                headers={"content-type": "application/json", "accept": "application/json"},
                ssl=trust,
                server_hostname=server_name,
                allow_redirects=False,
            ) as answer,
        ):
            body = await answer.content.read(_LARGEST_ANSWER)
            status = answer.status
    except TimeoutError as error:
        raise Unreachable(f'failed to call webhook: Post "{url}": context deadline exceeded') from error
    except (aiohttp.ClientError, OSError, binascii.Error, ValueError) as error:
        raise Unreachable(f'failed to call webhook: Post "{url}": {error}') from error
    if status >= 300:
        raise Unreachable(f"failed to call webhook: the server answered {status}")
    return _decoded(body)


def _decoded(body: bytes) -> Object:
    try:
        answer = decode(body)
    except msgspec.DecodeError as error:
        raise Unreachable(f"failed to call webhook: invalid answer: {error}") from error
    if not is_object(answer):
        raise Unreachable("failed to call webhook: the answer is not an object")
    return answer


@lru_cache(maxsize=64)
def _trust(bundle: bytes) -> ssl.SSLContext:
    return ssl.create_default_context(cadata=bundle.decode() if bundle else None)


def address_of(api: Api, config: Object) -> tuple[str, str | None]:
    """The URL of a clientConfig, and the name that its certificate must have if that is not the URL's."""
    if config.get("url"):
        return str(config["url"]), None
    service = dig_object(config, "service")
    namespace, name, port = str(service.get("namespace")), str(service.get("name")), int(service.get("port") or 443)
    host, target = service_endpoint(api, namespace, name, port)
    path = str(service.get("path") or "").lstrip("/")
    return f"https://{host}:{target}/{path}", f"{name}.{namespace}.svc"


def service_endpoint(api: Api, namespace: str, name: str, port: int) -> tuple[str, int]:
    """A ready address behind a Service, from its EndpointSlices."""
    service = api.read("/services", namespace, name)
    if service is None:
        raise Unreachable(f'failed to call webhook: service "{name}" not found')
    if dig(service, "spec", "type") == "ExternalName":
        return str(dig(service, "spec", "externalName")), port
    wanted = next((p for p in dig_list(service, "spec", "ports") if p.get("port") == port), None)
    if wanted is None:
        raise Unreachable(f'failed to call webhook: service "{name}" has no port {port}')
    for piece in api.read_all("discovery.k8s.io/endpointslices", namespace):
        if dig(piece, "metadata", "labels", "kubernetes.io/service-name") != name:
            continue
        ports = [p for p in dig_list(piece, "ports") if (p.get("name") or "") == (wanted.get("name") or "")]
        for endpoint in dig_list(piece, "endpoints"):
            if ports and dig(endpoint, "conditions", "ready") is not False and dig_list(endpoint, "addresses"):
                return str(endpoint["addresses"][0]), int(ports[0]["port"])
    raise Unreachable(f'failed to call webhook: no endpoints available for service "{name}"')
