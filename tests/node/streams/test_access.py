"""Who may call the agent: the API server alone."""

import http.client
import ssl
from datetime import timedelta
from pathlib import Path

import pytest

from tests.node.streams.node_thread import NodeThread
from tests.support import Windlass
from windlass.apiserver.pki import Pki


def ask(node: NodeThread, context: ssl.SSLContext, path: str) -> int:
    connection = http.client.HTTPSConnection("localhost", node.kubelet.port, context=context, timeout=60)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def context_of(server: Windlass, folder: Path, name: str, groups: tuple[str, ...]) -> ssl.SSLContext:
    certificate, key = Pki(server.data_dir / "pki").client_certificate(name, groups, timedelta(hours=1))
    (folder / "pair.pem").write_bytes(certificate + key)
    context = ssl.create_default_context(cafile=server.ca)
    context.load_cert_chain(folder / "pair.pem")
    return context


def test_nobody_without_a_certificate(streams_server: Windlass, node: NodeThread) -> None:
    assert ask(node, ssl.create_default_context(cafile=streams_server.ca), "/pods") == 401


@pytest.mark.parametrize(
    ("name", "groups", "path", "code"),
    [
        ("kube-apiserver-kubelet-client", ("system:masters",), "/pods", 200),
        ("kube-apiserver-kubelet-client", ("system:masters",), "/healthz", 200),
        ("kube-apiserver-kubelet-client", ("system:masters",), "/stats/summary", 200),
        ("kube-apiserver-kubelet-client", ("system:masters",), "/metrics/resource", 200),
        ("kube-apiserver-kubelet-client", ("system:masters",), "/metrics", 200),
        ("kube-apiserver-kubelet-client", ("system:masters",), "/nothing", 404),
        ("kube-apiserver-kubelet-client", (), "/pods", 403),
        ("jane", ("system:masters",), "/pods", 403),
        ("front-proxy-client", (), "/pods", 403),
        ("front-proxy-client", (), "/apis/metrics.k8s.io/v1beta1", 200),
        ("front-proxy-client", (), "/apis/metrics.k8s.io/v1beta1/nodes", 200),
    ],
)
def test_a_certificate_opens_what_it_is_for(
    streams_server: Windlass, node: NodeThread, tmp_path: Path, name: str, groups: tuple[str, ...], path: str, code: int
) -> None:
    assert ask(node, context_of(streams_server, tmp_path, name, groups), path) == code
