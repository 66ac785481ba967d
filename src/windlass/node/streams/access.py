"""Authorizes callers of the kubelet API: only the API server, by its client certificates."""

import ssl
from pathlib import Path
from typing import Any

from aiohttp import web

from windlass.kube.errors import ApiError, Forbidden, Unauthorized

API_SERVER = "kube-apiserver-kubelet-client"
FRONT_PROXY = "front-proxy-client"
MASTERS = "system:masters"
METRICS = "/apis/metrics.k8s.io/"


def tls(pki: Path) -> ssl.SSLContext:
    """Return the TLS context of DATA/pki's kubelet certificate.

    Callers without a certificate get a proper 401 response.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(pki / "kubelet.crt", pki / "kubelet.key")
    context.load_verify_locations(cafile=pki / "ca.crt")
    context.verify_mode = ssl.CERT_OPTIONAL
    context.set_alpn_protocols(["http/1.1"])
    return context


def refusal(request: web.Request) -> ApiError | None:
    """Return why this caller may not make the request; None if it may."""
    certificate: Any = request.get_extra_info("peercert")
    if not certificate:
        return Unauthorized("Unauthorized")
    subject: list[tuple[str, str]] = [pair for part in certificate.get("subject", ()) for pair in part]
    name = next((value for key, value in subject if key == "commonName"), "")
    groups = {value for key, value in subject if key == "organizationName"}
    if name == API_SERVER and MASTERS in groups:
        return None
    if name == FRONT_PROXY and request.path.startswith(METRICS):
        return None  # the API server has asked RBAC about the user that it speaks for
    return Forbidden(f'Forbidden (user={name}, verb=get, resource=nodes, subresource=proxy): path "{request.path}"')
