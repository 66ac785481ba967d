"""Which requests to /api/k8s reach the API server, and how."""

import pytest

from windlass.gateway.k8s.targets import answer_headers, api_target, content_type, exec_headers
from windlass.kube.errors import ApiError, BadRequest, Forbidden, MethodNotAllowed, NotFound
from windlass.kube.meta import Key


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ("/api/k8s/api/v1/pods", "/api/v1/pods"),
        ("/api/k8s/apis/kubeflow.org/v1/notebooks?limit=5", "/apis/kubeflow.org/v1/notebooks?limit=5"),
        ("/api/k8s/version", "/version"),
        ("/api/k8s/openapi/v3/apis/apps/v1?hash=A", "/openapi/v3/apis/apps/v1?hash=A"),
        ("/api/k8s/api/v1/namespaces/a/configmaps/system:x", "/api/v1/namespaces/a/configmaps/system:x"),
        ("/api/k8s/api/v1/pods?labelSelector=a%3Db", "/api/v1/pods?labelSelector=a%3Db"),
        ("/api/k8s//api/./v1/x/../pods", "/api/v1/pods"),
    ],
)
def test_paths_of_the_api_pass(raw: str, path: str) -> None:
    assert api_target("GET", raw).path == path


@pytest.mark.parametrize(
    ("raw", "error"),
    [
        ("/api/k8s/metrics", NotFound),
        ("/api/k8s/", NotFound),
        ("/api/k8s/openapi/v2", NotFound),
        ("/api/k8s/apiserver", NotFound),
        ("/api/k8s/api/../metrics", NotFound),
        ("/api/k8s/api/../../../metrics", NotFound),
        ("/api/k8s/../../api/v1/pods", NotFound),
        ("/api/k8s/api/v1/pods%2f..%2f..", BadRequest),
        ("/api/k8s/api/v1/\\pods", BadRequest),
        ("/api/k8s/api/v1/pods%00", BadRequest),
        ("/api/k8s/api/v1/namespaces/a/pods/b/exec", Forbidden),
        ("/api/k8s/api/v1/namespaces/a/pods/b/attach?stdin=true", Forbidden),
        ("/api/k8s/api/v1/namespaces/a/pods/b/portforward", Forbidden),
        ("/api/k8s/api/v1/namespaces/a/services/http:b:80/proxy/index.html", Forbidden),
        ("/api/k8s/api/v1/namespaces/a/pods/b/%70roxy", Forbidden),
        ("/api/k8s/api/v1/nodes/n/proxy", Forbidden),
        ("/api/k8s/api/v1/pods?" + "x" * 9000, BadRequest),
    ],
)
def test_other_paths_are_refused(raw: str, error: type[ApiError]) -> None:
    with pytest.raises(error):
        api_target("GET", raw)


def test_upgrades_and_foreign_methods_are_refused() -> None:
    with pytest.raises(Forbidden):
        api_target("GET", "/api/k8s/api/v1/pods", upgrade="websocket")
    with pytest.raises(MethodNotAllowed):
        api_target("TRACE", "/api/k8s/api/v1/pods")


@pytest.mark.parametrize(
    ("query", "is_stream"),
    [("watch=true", True), ("follow=1", True), ("watch=", True), ("watch=false", False), ("", False)],
)
def test_watches_and_followed_logs_have_no_end(query: str, is_stream: bool) -> None:
    assert api_target("GET", f"/api/k8s/api/v1/pods?{query}").is_stream is is_stream


def test_a_browser_runs_nothing_that_the_api_answers() -> None:
    html = answer_headers({"Content-Type": "text/html", "Set-Cookie": "a=b", "Server": "x", "Warning": "299"})

    assert html["Content-Type"] == "application/octet-stream"
    assert "sandbox" in html["Content-Security-Policy"]
    assert html["Warning"] == "299"
    assert not {"Set-Cookie", "Server"} & html.keys()


@pytest.mark.parametrize("header", ["a", "a/b\r\nImpersonate-User: x", "application/json, é/b", "/"])
def test_malformed_types_are_refused(header: str) -> None:
    with pytest.raises(BadRequest):
        content_type(header)


EXEC = "/api/k8s/api/v1/namespaces/a/pods/b/exec?command=ls&command=-l"


@pytest.mark.parametrize("upgrade", ["websocket", "WebSocket"])
def test_a_command_in_a_pod_passes_over_a_websocket(upgrade: str) -> None:
    target = api_target("GET", EXEC, upgrade=upgrade)

    assert target.exec_in == Key("a", "b")
    assert target.path == "/api/v1/namespaces/a/pods/b/exec?command=ls&command=-l"


@pytest.mark.parametrize(
    ("method", "raw", "upgrade"),
    [
        ("GET", EXEC, ""),
        ("GET", EXEC, "SPDY/3.1"),
        ("GET", EXEC, "websocket, h2c"),
        ("POST", EXEC, "websocket"),
        ("GET", "/api/k8s/api/v1/namespaces/a/pods/b/attach", "websocket"),
        ("GET", "/api/k8s/api/v1/namespaces/a/pods/b/portforward", "websocket"),
        ("GET", "/api/k8s/api/v1/namespaces/a/pods/b/exec/more", "websocket"),
        ("GET", "/api/k8s/apis/x/v1/namespaces/a/pods/b/exec", "websocket"),
    ],
)
def test_no_other_connection_into_a_pod_passes(method: str, raw: str, upgrade: str) -> None:
    with pytest.raises(Forbidden):
        api_target(method, raw, upgrade=upgrade)


def test_a_websocket_carries_no_credentials_but_the_gateways() -> None:
    token = "base64url.bearer.authorization.k8s.io.c2VjcmV0"
    kept = exec_headers(
        {
            "Sec-WebSocket-Key": "k",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Protocol": f"v5.channel.k8s.io, {token}, v4.base64.channel.k8s.io",
            "Authorization": "Bearer x",
            "Impersonate-User": "system:admin",
            "Cookie": "session=1",
        }
    )

    assert kept == {
        "Sec-WebSocket-Key": "k",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Protocol": "v5.channel.k8s.io, v4.base64.channel.k8s.io",
    }
