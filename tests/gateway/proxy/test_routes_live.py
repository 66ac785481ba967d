"""A signed-in user reaches a backend through a route for as long as they may."""

import asyncio
import json
import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import aiohttp
import pytest
import requests
from aiohttp import web
from joserfc import jwt
from joserfc.jwk import KeySet

from tests.gateway.browser import Browser, Person, a_person, signed_in
from tests.gateway.platform import Platform
from tests.gateway.webapps.app_client import serve_kinds
from tests.support import eventually
from windlass.apis.istio.mesh import INGRESS_LABELS, INGRESS_PRINCIPAL, ROOT_NAMESPACE
from windlass.apps.volumes.admission import default_pod_spec
from windlass.deploy.istio_rules import MeshRules, mesh_rules
from windlass.deploy.program import Program

NAMESPACE = "routed"
PATH = f"/notebook/{NAMESPACE}/lab/"


def own_address() -> str:
    """An address of this machine that is not loopback: the API refuses endpoints on loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            pytest.skip("this machine has no address but loopback")
        return str(probe.getsockname()[0])


async def _echo(request: web.Request) -> web.StreamResponse:
    if request.headers.get("Upgrade"):
        link = web.WebSocketResponse()
        await link.prepare(request)
        async for message in link:
            await link.send_str(f"echo {message.data}")
        return link
    if request.path.endswith("/half"):
        half = web.StreamResponse(headers={"Content-Length": "1000"})
        await half.prepare(request)
        await half.write(b"the beginning")
        assert request.transport is not None
        request.transport.close()
        return half
    if request.path.endswith("/events"):
        events = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await events.prepare(request)
        await events.write(b"data: hello\n\n")
        while request.transport is not None:  # until the client is gone
            await asyncio.sleep(0.05)
        return events
    answer = web.json_response({"path": request.path, "headers": dict(request.headers)})
    if request.path.endswith("/cookies"):
        for cookie in ("XSRF-TOKEN=a; Path=/", "oauth2_proxy_kubeflow=a", "=XSRF-TOKEN=a", "mine=1"):
            answer.headers.add("Set-Cookie", cookie)
    return answer


@pytest.fixture(scope="module")
def backend() -> Iterator[tuple[str, int]]:
    """A server that says what it was asked, on a thread of its own."""
    address, loop, port = own_address(), asyncio.new_event_loop(), 0
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", _echo)
    runner = web.AppRunner(app)

    async def start() -> int:
        await runner.setup()
        await web.TCPSite(runner, address, 0).start()
        return int(runner.addresses[0][1])

    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    port = asyncio.run_coroutine_threadsafe(start(), loop).result(10)
    yield address, port
    asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()


def objects(address: str, port: int) -> list[tuple[str, dict[str, Any]]]:
    metadata = {"name": "lab", "namespace": NAMESPACE}
    notebook = {"metadata": metadata, "spec": {"template": {"spec": {"containers": [{"name": "lab", "image": "x"}]}}}}
    slices = {
        "metadata": {**metadata, "labels": {"kubernetes.io/service-name": "lab"}},
        "addressType": "IPv4",
        "ports": [{"name": "http-lab", "port": port, "protocol": "TCP"}],
        "endpoints": [{"addresses": [address], "conditions": {"ready": True}}],
    }
    annotations = {"kubeflow-resource-stopped": "2026-01-01T00:00:00Z"}  # its objects are there, and no pod is needed
    notebook["metadata"] = {**metadata, "annotations": annotations}
    return [
        ("/apis/kubeflow.org/v1/namespaces/routed/notebooks", {"kind": "Notebook", **notebook}),
        ("/apis/discovery.k8s.io/v1/namespaces/routed/endpointslices", {"kind": "EndpointSlice", **slices}),
    ]


@pytest.fixture(scope="module")
def editor(platform: Platform, backend: tuple[str, int]) -> Person:
    """Someone who may update the notebook `lab`, behind which the backend is."""
    person = a_person(platform, "editor@example.com")
    platform.api.create("/api/v1/namespaces", {"kind": "Namespace", "metadata": {"name": NAMESPACE}})
    for path, obj in objects(*backend):
        group = path.split("/")[2]
        platform.api.create(path, {"apiVersion": f"{group}/v1", **obj})
    bind(platform, person.email, "kubeflow-edit")
    return person


def bind(platform: Platform, user: str, role: str, kind: str = "User") -> None:
    platform.api.create(
        f"/apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}/rolebindings",
        {
            "kind": "RoleBinding",
            "metadata": {"name": f"{role}-{user.partition('@')[0]}"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": user}],
        },
    )


def unbind(platform: Platform, user: str, role: str) -> None:
    name = f"{role}-{user.partition('@')[0]}"
    platform.api.request("DELETE", f"/apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}/rolebindings/{name}")


def reach(browser: Browser, path: str = PATH) -> requests.Response:
    return browser.get(path)


def test_an_editor_reaches_the_backend_as_themselves(platform: Platform, editor: Person) -> None:
    browser = signed_in(platform, editor)
    eventually(lambda: reach(browser).status_code == 200, 30, "the route")

    seen = browser.get(f"{PATH}tree?a=1", headers={"Kubeflow-Userid": "admin@example.com"}).json()

    assert seen["path"] == f"{PATH}tree"
    assert {k.lower(): v for k, v in seen["headers"].items()}["kubeflow-userid"] == editor.email
    assert "oauth2_proxy_kubeflow" not in json.dumps(seen["headers"])


def test_a_viewer_and_a_stranger_do_not_enter(platform: Platform, editor: Person) -> None:
    viewer, stranger = (a_person(platform, f"{name}@example.com") for name in ("viewer", "stranger"))
    bind(platform, viewer.email, "kubeflow-view")

    for person in (viewer, stranger):
        answer = reach(signed_in(platform, person))
        assert answer.status_code == 403
        assert "may not update notebooks.kubeflow.org" in answer.text


@pytest.mark.parametrize(
    "path",
    [
        "/notebook/routed//lab/",
        "/notebook/routed/./lab/",
        "/dex/../notebook/routed/lab/",
        "/oauth2/%2e%2e/notebook/routed/lab/",
    ],
)
def test_no_spelling_of_a_path_reaches_a_pod_without_a_session(platform: Platform, editor: Person, path: str) -> None:
    with socket.create_connection(
        (platform.url.split("/")[2].split(":")[0], int(platform.url.rpartition(":")[2]))
    ) as link:
        link.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        answer = b""
        while chunk := link.recv(65536):
            answer += chunk

    assert answer.split(b" ")[1] in (b"302", b"400", b"401", b"404")
    assert b"kubeflow-userid" not in answer.lower()


def withdraw_binding(platform: Platform, guest: Person) -> None:
    unbind(platform, guest.email, "kubeflow-edit")


def remove_user(platform: Platform, guest: Person) -> None:
    assert platform.windlass("user", "rm", guest.email).returncode == 0


def remove_from_group(platform: Platform, guest: Person) -> None:
    assert platform.windlass("user", "groups", guest.email).returncode == 0


def deny_by_policy(platform: Platform, guest: Person) -> None:
    rule = {"when": [{"key": "request.headers[kubeflow-userid]", "values": [guest.email]}]}
    platform.api.create(POLICIES.format(NAMESPACE), a_policy("no-guest", action="DENY", rules=[rule]))


@pytest.mark.parametrize(
    ("withdraw", "has_right_by_group", "answer"),
    [
        (withdraw_binding, False, 403),
        (remove_user, False, 401),
        (remove_from_group, True, 403),
        (deny_by_policy, False, 403),
    ],
)
async def test_a_withdrawn_right_closes_an_open_websocket(
    platform: Platform,
    editor: Person,
    withdraw: Callable[[Platform, Person], None],
    has_right_by_group: bool,
    answer: int,
) -> None:
    name = withdraw.__name__.replace("_", "-")
    guest = a_person(platform, f"{name}@example.com", "guests")
    if has_right_by_group:
        bind(platform, "guests", "kubeflow-edit", kind="Group")
    else:
        bind(platform, guest.email, "kubeflow-edit")
    browser = signed_in(platform, guest)
    await asyncio.to_thread(eventually, lambda: reach(browser).status_code == 200, 30, "the route")
    cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    headers = {"Cookie": cookie, "Origin": platform.url}
    async with aiohttp.ClientSession() as client, client.ws_connect(f"{platform.url}{PATH}ws", headers=headers) as link:
        await link.send_str("hello")
        assert await link.receive_str(timeout=10) == "echo hello"

        await asyncio.to_thread(withdraw, platform, guest)

        message = await link.receive(timeout=10)
        assert message.type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.ERROR)
    accept = {"Accept": "application/json"}
    assert (await asyncio.to_thread(browser.get, PATH, headers=accept)).status_code == answer


async def test_a_revoked_token_closes_the_websocket_that_it_opened(platform: Platform, editor: Person) -> None:
    token = platform.windlass("user", "token", editor.email, "--name", "ide").stdout.split()[-1]
    browser = signed_in(platform, editor)
    await asyncio.to_thread(eventually, lambda: reach(browser).status_code == 200, 30, "the route")
    headers = {"Authorization": f"Bearer {token}"}
    async with aiohttp.ClientSession() as client, client.ws_connect(f"{platform.url}{PATH}ws", headers=headers) as link:
        await link.send_str("hello")
        assert await link.receive_str(timeout=10) == "echo hello"

        revoked = await asyncio.to_thread(platform.windlass, "user", "token", editor.email, "--revoke", "ide")

        assert revoked.returncode == 0, revoked.stderr
        message = await link.receive(timeout=10)
        assert message.type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.ERROR)


async def test_a_deleted_service_account_loses_what_its_token_opened(platform: Platform, editor: Person) -> None:
    accounts = f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts"
    platform.api.create(accounts, {"metadata": {"name": "robot"}})
    token = platform.api.create(f"{accounts}/robot/token", {"spec": {}})["status"]["token"]
    subject = {"kind": "ServiceAccount", "name": "robot", "namespace": NAMESPACE}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "kubeflow-edit"}
    bindings = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}/rolebindings"
    platform.api.create(bindings, {"metadata": {"name": "robot"}, "roleRef": role, "subjects": [subject]})
    headers = {"Authorization": f"Bearer {token}"}
    is_open = lambda: requests.get(f"{platform.url}{PATH}", headers=headers, timeout=30).status_code == 200  # noqa: E731
    await asyncio.to_thread(eventually, is_open, 30, "the route")
    async with aiohttp.ClientSession() as client, client.ws_connect(f"{platform.url}{PATH}ws", headers=headers) as link:
        await link.send_str("hello")
        assert await link.receive_str(timeout=10) == "echo hello"

        assert platform.api.request("DELETE", f"{accounts}/robot").status == 200

        message = await link.receive(timeout=10)
        assert message.type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.ERROR)


async def test_a_revoked_token_ends_an_answer_that_is_still_sent(platform: Platform, editor: Person) -> None:
    token = platform.windlass("user", "token", editor.email, "--name", "reader").stdout.split()[-1]
    browser = signed_in(platform, editor)
    await asyncio.to_thread(eventually, lambda: reach(browser).status_code == 200, 30, "the route")
    headers = {"Authorization": f"Bearer {token}"}
    async with aiohttp.ClientSession() as client, client.get(f"{platform.url}{PATH}events", headers=headers) as answer:
        assert await answer.content.readline() == b"data: hello\n"

        await asyncio.to_thread(platform.windlass, "user", "token", editor.email, "--revoke", "reader")

        with pytest.raises(aiohttp.ClientPayloadError):
            await asyncio.wait_for(answer.content.read(), 10)


async def test_an_answer_of_which_the_rest_is_missing_ends_the_connection(platform: Platform, editor: Person) -> None:
    browser = signed_in(platform, editor)
    await asyncio.to_thread(eventually, lambda: reach(browser).status_code == 200, 30, "the route")
    logged = platform.end_of_log()
    async with (
        aiohttp.ClientSession(cookies=browser.cookies) as client,
        client.get(f"{platform.url}{PATH}half") as answer,
    ):
        assert answer.status == 200
        with pytest.raises(aiohttp.ClientPayloadError):
            await asyncio.wait_for(answer.content.readexactly(1000), 10)
    said = f"backend failed in the middle of an answer route={NAMESPACE}/"
    await asyncio.to_thread(eventually, lambda: said in platform.log_after(logged), 10, "a line in the log")
    lines = platform.log_after(logged).splitlines()
    (after,) = {line[:4] for line in lines[lines.index(next(line for line in lines if said in line)) + 1 :][:1]} or {""}
    assert after != "    ", "the line has a traceback"


def test_a_notebook_neither_sees_nor_sets_a_cookie_of_the_gateway(platform: Platform, editor: Person) -> None:
    browser = signed_in(platform, editor)
    eventually(lambda: reach(browser).status_code == 200, 30, "the route")
    browser.get("/jupyter/")
    assert {"oauth2_proxy_kubeflow", "XSRF-TOKEN"} <= set(browser.cookies.keys())
    answer = browser.get(f"{PATH}cookies", headers={"X-Seen": "1"})

    assert "Cookie" not in answer.json()["headers"]
    assert answer.raw.headers.getlist("Set-Cookie") == ["mine=1"]


async def test_an_open_websocket_keeps_its_session_alive(platform: Platform, editor: Person) -> None:
    browser = signed_in(platform, editor)
    await asyncio.to_thread(eventually, lambda: reach(browser).status_code == 200, 30, "the route")
    listed = await asyncio.to_thread(lambda: browser.get("/oauth2/sessions").json()["sessions"])
    (name,) = (session["name"] for session in listed if session["current"])
    cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    headers = {"Cookie": cookie, "Origin": platform.url}
    async with aiohttp.ClientSession() as client, client.ws_connect(f"{platform.url}{PATH}ws", headers=headers) as link:
        with closing(sqlite3.connect(platform.data_dir / "gateway" / "gateway.db", isolation_level=None)) as database:
            database.execute("UPDATE sessions SET last_used = last_used - 3600 WHERE name = ?", (name,))
            used = database.execute("SELECT last_used FROM sessions WHERE name = ?", (name,)).fetchone()[0]
            await link.send_str("hello")
            assert await link.receive_str(timeout=10) == "echo hello"
            (now_used,) = database.execute("SELECT last_used FROM sessions WHERE name = ?", (name,)).fetchone()

    assert now_used - used > 3000


def test_a_notebook_that_is_not_ready_says_why(platform: Platform, editor: Person) -> None:
    name = "stopped"
    platform.api.create(
        f"/apis/kubeflow.org/v1/namespaces/{NAMESPACE}/notebooks",
        {
            "apiVersion": "kubeflow.org/v1",
            "kind": "Notebook",
            "metadata": {"name": name, "annotations": {"kubeflow-resource-stopped": "2026-01-01T00:00:00Z"}},
            "spec": {"template": {"spec": {"containers": [{"name": name, "image": "x"}]}}},
        },
    )
    browser = signed_in(platform, editor)
    path = f"/notebook/{NAMESPACE}/{name}/"

    def page() -> requests.Response:
        return browser.get(path, headers={"Accept": "text/html"})

    eventually(lambda: page().status_code == 503, 30, "503")
    assert "It is stopped." in page().text
    assert page().headers["Refresh"]
    assert browser.get(path, headers={"Accept": "application/json"}).json()["log"].startswith(f"{NAMESPACE}/{name}")


FILES = f"/pvcviewers/{NAMESPACE}/files/"


VIEWERS = f"/apis/kubeflow.org/v1alpha1/namespaces/{NAMESPACE}/pvcviewers"
BUILT_IN = {"spec": {"podSpec": default_pod_spec("data")}}
FOREIGN = {"spec": {"podSpec": {"containers": [{"name": "main", "image": "shell"}]}}}


def a_viewer(name: str, image: str, claim: str = "data") -> dict[str, Any]:
    pod = default_pod_spec(claim)
    pod["containers"][0]["image"] = image
    networking = {"targetPort": 8080, "basePrefix": "/pvcviewers", "rewrite": "/", "timeout": "30s"}
    spec = {"pvc": claim, "podSpec": pod, "networking": networking}
    return {"kind": "PVCViewer", "metadata": {"name": name}, "spec": spec}


def endpoints_of(service: str, backend: tuple[str, int]) -> dict[str, Any]:
    address, port = backend
    return {
        "metadata": {"name": f"{service}-by-hand", "labels": {"kubernetes.io/service-name": service}},
        "addressType": "IPv4",
        "ports": [{"name": "http", "port": port, "protocol": "TCP"}],
        "endpoints": [{"addresses": [address], "conditions": {"ready": True}}],
    }


@pytest.fixture(scope="module")
def viewer_route(platform: Platform, editor: Person, backend: tuple[str, int]) -> None:
    """A viewer with a program of its own, behind whose Service the backend is."""
    serve_kinds(platform)
    platform.api.create(VIEWERS, a_viewer("files", "shell"))
    service = f"/api/v1/namespaces/{NAMESPACE}/services/pvcviewer-files"
    eventually(lambda: platform.api.request("GET", service).status == 200, 30, "the viewer's Service")
    slices = f"/apis/discovery.k8s.io/v1/namespaces/{NAMESPACE}/endpointslices"
    platform.api.create(slices, endpoints_of("pvcviewer-files", backend))


def change_viewer(platform: Platform, patch: dict[str, Any]) -> None:
    answer = platform.api.request("PATCH", f"{VIEWERS}/files", patch, content_type="application/merge-patch+json")
    assert answer.status == 200, answer.body


def may_write(platform: Platform, person: Person) -> str | None:
    browser = signed_in(platform, person)
    eventually(lambda: reach(browser, FILES).status_code == 200, 30, "the route of the viewer")
    seen = browser.get(FILES, headers={"X-Windlass-May-Write": "true", "X_Windlass_May_Write": "true"}).json()
    found = [
        value for name, value in seen["headers"].items() if name.lower().replace("_", "-") == "x-windlass-may-write"
    ]
    assert len(found) == 1
    return found[0]


def test_the_file_browser_learns_who_may_change_claims(platform: Platform, editor: Person, viewer_route: None) -> None:
    visitor, owner = (a_person(platform, f"{name}@example.com") for name in ("visitor", "owner"))
    rules = [{"apiGroups": ["kubeflow.org"], "resources": ["pvcviewers"], "verbs": ["update"]}]
    platform.api.create(
        "/apis/rbac.authorization.k8s.io/v1/clusterroles",
        {"kind": "ClusterRole", "metadata": {"name": "visit-viewers"}, "rules": rules},
    )
    bind(platform, visitor.email, "visit-viewers")
    bind(platform, owner.email, "visit-viewers")
    bind(platform, owner.email, "edit")

    assert may_write(platform, owner) == "true"
    assert may_write(platform, visitor) == "false"


def test_a_reader_enters_the_file_browser_without_the_right_to_write(
    platform: Platform, editor: Person, viewer_route: None
) -> None:
    """The right to read the viewer and its claim is enough, for as long as the viewer is the built-in one."""
    reader = a_person(platform, "reader@example.com")
    bind(platform, reader.email, "kubeflow-view")
    browser = signed_in(platform, reader)
    eventually(lambda: reach(browser, FILES).status_code == 403, 30, "the refusal of a foreign program")
    change_viewer(platform, BUILT_IN)

    assert may_write(platform, reader) == "false"

    change_viewer(platform, FOREIGN)
    eventually(lambda: reach(browser, FILES).status_code == 403, 10, "the end of the right to enter")
    assert "may not update pvcviewers.kubeflow.org" in reach(browser, FILES).text


def test_a_bearer_token_opens_the_route_and_stays_at_the_gateway(platform: Platform, editor: Person) -> None:
    made = platform.windlass("user", "token", editor.email)
    token = made.stdout.split()[-1]

    answer = requests.get(f"{platform.url}{PATH}", headers={"Authorization": f"Bearer {token}"}, timeout=30)

    assert answer.status_code == 200, made.stdout + made.stderr + answer.text
    assert token not in answer.text


async def test_a_url_for_ides_opens_its_notebook_and_nothing_else(platform: Platform, editor: Person) -> None:
    made = platform.windlass("notebook", "url", "lab", "-n", NAMESPACE, "--user", editor.email)
    url, _, token = made.stdout.strip().partition("?token=")
    assert (url, token[:4]) == (f"{platform.url}{PATH}", "wlp_"), made.stderr
    browser = signed_in(platform, editor)
    await asyncio.to_thread(eventually, lambda: reach(browser).status_code == 200, 30, "the route")
    in_header: dict[str, Any] = {"headers": {"Authorization": f"token {token}"}}
    in_query: dict[str, Any] = {"params": {"token": token}}
    as_bearer: dict[str, Any] = {"headers": {"Authorization": f"Bearer {token}"}}
    async with aiohttp.ClientSession() as client:
        for how in (in_header, in_query):
            async with client.get(f"{url}api/kernels", **how) as answer:
                text = await answer.text()
                assert answer.status == 200, text
                assert token not in text
                assert editor.email in text
        async with client.ws_connect(f"{url}ws?token={token}") as link:
            await link.send_str("hello")
            assert await link.receive_str(timeout=10) == "echo hello"
        for path in ("/jupyter/api/namespaces", "/oauth2/userinfo", "/api/namespaces", f"/notebook/{NAMESPACE}/"):
            for how in (in_header, in_query, as_bearer):
                async with client.get(f"{platform.url}{path}", allow_redirects=False, **how) as answer:
                    assert answer.status in (302, 401), path
        async with client.get(f"{url}?token=wlp_wrong", allow_redirects=False) as answer:
            assert answer.status == 401
    assert platform.api.request("GET", "/api/v1/namespaces", token=token).status == 401
    assert token not in "".join(file.read_text() for file in (platform.data_dir / "logs").iterdir())


HOST = f"web-{NAMESPACE}.localhost"


def test_an_ingress_serves_its_host_to_those_who_may_see_its_service(platform: Platform, editor: Person) -> None:
    service = {"name": "lab", "port": {"name": "http-lab"}}
    paths = [{"path": "/", "pathType": "Prefix", "backend": {"service": service}}]
    platform.api.create(
        f"/apis/networking.k8s.io/v1/namespaces/{NAMESPACE}/ingresses",
        {"kind": "Ingress", "metadata": {"name": "web"}, "spec": {"rules": [{"host": HOST, "http": {"paths": paths}}]}},
    )
    port = platform.url.rpartition(":")[2]

    def reach_host(person: Person, path: str) -> requests.Response:
        token = platform.windlass("user", "token", person.email, "--name", "host").stdout.split()[-1]
        headers = {"Authorization": f"Bearer {token}", "Host": f"{HOST}:{port}"}
        return requests.get(f"{platform.url}{path}", headers=headers, timeout=30)

    eventually(lambda: reach_host(editor, "/").status_code == 200, 30, "the host")
    seen = reach_host(editor, "/api/namespaces").json()
    assert seen["path"] == "/api/namespaces"
    assert "token " not in str(reach_host(editor, PATH).json()["headers"]), "the token of a notebook is not for others"
    outsider = a_person(platform, "outsider@example.com")
    assert "may not get services" in reach_host(outsider, "/").text
    anyone = requests.get(platform.url, headers={"Host": HOST}, allow_redirects=False, timeout=30)
    assert anyone.status_code == 302


def test_a_notebook_whose_service_is_a_tensorboards_is_not_entered(
    platform: Platform, editor: Person, backend: tuple[str, int]
) -> None:
    """Its address would lead to the Tensorboard's pod, with the notebook's token."""
    api, browser = platform.api, signed_in(platform, editor)
    address, port = backend
    serve_kinds(platform)
    board = {"metadata": {"name": "clash"}, "spec": {"logspath": "s3://logs"}}
    group = "tensorboard.kubeflow.org"
    api.create(f"/apis/{group}/v1alpha1/namespaces/{NAMESPACE}/tensorboards", {"kind": "Tensorboard", **board})
    service = f"/api/v1/namespaces/{NAMESPACE}/services/clash"
    eventually(lambda: api.request("GET", service).status == 200, 30, "the Tensorboard's Service")
    slices = {
        "metadata": {"name": "clash", "labels": {"kubernetes.io/service-name": "clash"}},
        "addressType": "IPv4",
        "ports": [{"name": "http-clash", "port": port, "protocol": "TCP"}],
        "endpoints": [{"addresses": [address], "conditions": {"ready": True}}],
    }
    api.create(f"/apis/discovery.k8s.io/v1/namespaces/{NAMESPACE}/endpointslices", slices)
    pod = {"containers": [{"name": "clash", "image": "kubeflownotebookswg/jupyter-scipy:v1.10.0"}]}
    notebook = {"metadata": {"name": "clash"}, "spec": {"template": {"spec": pod}}}
    api.create(f"/apis/kubeflow.org/v1/namespaces/{NAMESPACE}/notebooks", {"kind": "Notebook", **notebook})
    here, there = f"/notebook/{NAMESPACE}/clash/", f"/tensorboard/{NAMESPACE}/clash/"
    route = {
        "match": [{"uri": {"prefix": here}}],
        "route": [{"destination": {"host": f"clash.{NAMESPACE}.svc.cluster.local", "port": {"number": 80}}}],
    }
    spec = {"hosts": ["*"], "gateways": ["kubeflow/kubeflow-gateway"], "http": [route]}
    api.create(  # as Kubeflow's controller does; that of Windlass stops at the Service
        f"/apis/networking.istio.io/v1alpha3/namespaces/{NAMESPACE}/virtualservices",
        {"kind": "VirtualService", "metadata": {"name": "clash-by-hand"}, "spec": spec},
    )
    eventually(lambda: reach(browser, there).status_code == 200, 30, "the Tensorboard")
    eventually(lambda: reach(browser, here).status_code == 503, 30, "the notebook's route")

    assert "NameConflict: Service clash belongs to Tensorboard clash" in reach(browser, here).text
    eventually(lambda: row_phase(browser, "clash") == "warning", 30, "the warning")


def test_a_viewer_whose_service_is_not_its_own_is_not_entered(
    platform: Platform, editor: Person, backend: tuple[str, int]
) -> None:
    """Its address would lead to another's pod, with the gateway's word that files may be changed."""
    api, browser = platform.api, signed_in(platform, editor)
    serve_kinds(platform)
    name, path = "pvcviewer-taken", f"/pvcviewers/{NAMESPACE}/taken/"
    ports = [{"name": "http", "port": 80, "protocol": "TCP"}]
    lab = json.loads(api.request("GET", f"/apis/kubeflow.org/v1/namespaces/{NAMESPACE}/notebooks/lab").body)
    owner = {"apiVersion": "kubeflow.org/v1", "kind": "Notebook", "name": "lab", "uid": lab["metadata"]["uid"]}
    metadata = {"name": name, "ownerReferences": [{**owner, "controller": True}]}
    api.create(f"/api/v1/namespaces/{NAMESPACE}/services", {"metadata": metadata, "spec": {"ports": ports}})
    api.create(f"/apis/discovery.k8s.io/v1/namespaces/{NAMESPACE}/endpointslices", endpoints_of(name, backend))
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    claims = f"/api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims"
    api.create(claims, {"metadata": {"name": "taken"}, "spec": claim})
    api.create(VIEWERS, a_viewer("taken", "shell", "taken"))
    route = {"match": [{"uri": {"prefix": path}}], "route": [{"destination": {"host": name, "port": {"number": 80}}}]}
    spec = {"hosts": ["*"], "gateways": ["kubeflow/kubeflow-gateway"], "http": [route]}
    api.create(
        f"/apis/networking.istio.io/v1alpha3/namespaces/{NAMESPACE}/virtualservices",
        {"kind": "VirtualService", "metadata": {"name": "taken-by-hand"}, "spec": spec},
    )
    eventually(lambda: reach(browser, path).status_code == 503, 30, "the viewer's route")

    assert f"NameConflict: Service {name} belongs to Notebook lab" in reach(browser, path).text
    rows = browser.get(f"/volumes/api/namespaces/{NAMESPACE}/pvcs").json()["pvcs"]
    assert [row["viewer"]["status"] for row in rows if row["name"] == "taken"] == ["warning"]


POLICIES = "/apis/security.istio.io/v1beta1/namespaces/{}/authorizationpolicies"
AUTHENTICATIONS = "/apis/security.istio.io/v1beta1/namespaces/{}/requestauthentications"


@pytest.fixture
def policies(platform: Platform) -> Iterator[Callable[[str, dict[str, Any]], None]]:
    """Creates policies, which end with the test."""
    made: list[str] = []

    def create(path: str, obj: dict[str, Any]) -> None:
        platform.api.create(path, obj)
        made.append(f"{path}/{obj['metadata']['name']}")

    yield create
    for path in made:
        platform.api.request("DELETE", path)


def a_policy(name: str, **spec: Any) -> dict[str, Any]:
    return {"kind": "AuthorizationPolicy", "metadata": {"name": name}, "spec": spec}


def test_the_rules_that_a_cluster_gets_hold_here_too(
    platform: Platform, editor: Person, policies: Callable[[str, dict[str, Any]], None]
) -> None:
    browser = signed_in(platform, editor)
    eventually(lambda: reach(browser).status_code == 200, 30, "the route")
    rules = MeshRules(auth_provider="oauth2-proxy")
    for obj in mesh_rules(Program(component="gateway", namespace="windlass"), 80, platform.url, "*", rules):
        place = POLICIES if obj["kind"] == "AuthorizationPolicy" else AUTHENTICATIONS
        policies(place.format(ROOT_NAMESPACE), obj)

    eventually(lambda: reach(browser).status_code == 403, 30, "the denial by default")
    assert f"no AuthorizationPolicy of namespace {NAMESPACE} admits {editor.email}" in reach(browser).text

    by_header = {"key": "request.headers[kubeflow-userid]", "values": [editor.email]}
    of_ingress = {"source": {"principals": [INGRESS_PRINCIPAL]}}
    opened = a_policy("editor", rules=[{"from": [of_ingress], "when": [by_header]}])
    policies(POLICIES.format(NAMESPACE), opened)
    eventually(lambda: reach(browser).status_code == 200, 30, "the policy that admits")


def test_a_policy_for_some_pods_holds_for_those(
    platform: Platform, editor: Person, policies: Callable[[str, dict[str, Any]], None]
) -> None:
    browser = signed_in(platform, editor)
    eventually(lambda: reach(browser).status_code == 200, 30, "the route")
    terminals = {"to": [{"operation": {"paths": ["*/terminals"]}}]}
    for name in ("lab", "other"):
        selector = {"matchLabels": {"statefulset": name}}
        rule = terminals if name == "lab" else {}
        policies(POLICIES.format(NAMESPACE), a_policy(name, action="DENY", selector=selector, rules=[rule]))

    eventually(lambda: reach(browser, f"{PATH}terminals").status_code == 403, 30, "the denial")
    assert reach(browser).status_code == 200


def test_a_policy_of_the_ingress_holds_for_every_namespace(
    platform: Platform, editor: Person, policies: Callable[[str, dict[str, Any]], None]
) -> None:
    browser = signed_in(platform, editor)
    eventually(lambda: reach(browser).status_code == 200, 30, "the route")
    selector, rule = {"matchLabels": INGRESS_LABELS}, {"to": [{"operation": {"paths": ["*/terminals"]}}]}
    policies(POLICIES.format(ROOT_NAMESPACE), a_policy("no-shells", action="DENY", selector=selector, rules=[rule]))

    eventually(lambda: reach(browser, f"{PATH}terminals").status_code == 403, 30, "the denial")
    assert f"namespace {ROOT_NAMESPACE} denies" in reach(browser, f"{PATH}terminals").text
    assert reach(browser).status_code == 200


def test_the_token_of_an_ingress_stays_at_the_gateway(platform: Platform, editor: Person) -> None:
    browser = signed_in(platform, editor)
    eventually(lambda: reach(browser).status_code == 200, 30, "the route")
    token = browser.get(f"/oauth2/auth{PATH}").headers["Authorization"]

    seen = browser.get(f"{PATH}tree", headers={"Authorization": token}).json()

    assert token.removeprefix("Bearer ") not in json.dumps(seen["headers"])


def row_phase(browser: Browser, name: str) -> str:
    rows = browser.get(f"/jupyter/api/namespaces/{NAMESPACE}/notebooks").json()["notebooks"]
    return next(row["status"]["phase"] for row in rows if row["name"] == name)


def test_an_app_of_the_platform_gets_a_signed_assertion_and_a_notebook_none(
    platform: Platform, editor: Person, backend: tuple[str, int]
) -> None:
    address, port = backend
    api, browser = platform.api, signed_in(platform, editor)
    ports = [{"name": "http", "port": 80, "protocol": "TCP"}]
    api.create("/api/v1/namespaces/kubeflow/services", {"metadata": {"name": "asserted"}, "spec": {"ports": ports}})
    slices = {
        "metadata": {"name": "asserted", "labels": {"kubernetes.io/service-name": "asserted"}},
        "addressType": "IPv4",
        "ports": [{"name": "http", "port": port, "protocol": "TCP"}],
        "endpoints": [{"addresses": [address], "conditions": {"ready": True}}],
    }
    api.create("/apis/discovery.k8s.io/v1/namespaces/kubeflow/endpointslices", slices)
    route = {"match": [{"uri": {"prefix": "/asserted/"}}], "route": [{"destination": {"host": "asserted"}}]}
    spec = {"hosts": ["*"], "gateways": ["kubeflow-gateway"], "http": [route]}
    api.create(
        "/apis/networking.istio.io/v1alpha3/namespaces/kubeflow/virtualservices",
        {"kind": "VirtualService", "metadata": {"name": "asserted"}, "spec": spec},
    )
    eventually(lambda: reach(browser, "/asserted/").status_code == 200, 30, "the route")

    token = platform.windlass("user", "token", editor.email, "--name", "asserted").stdout.split()[-1]
    credential = {"Authorization": f"Bearer {token}"}
    by_token = requests.get(f"{platform.url}/asserted/", headers=credential, timeout=30)
    assert token not in by_token.text, "the app could act with it"
    assert editor.email in by_token.text
    headers = browser.get("/asserted/", headers={"X-Windlass-Assertion": "forged"}).json()["headers"]
    sent = [value for name, value in headers.items() if name.lower() == "x-windlass-assertion"]
    keys = KeySet.import_key_set(requests.get(f"{platform.url}/dex/keys", timeout=30).json())
    claims = jwt.decode(sent[0], keys, ["RS256"]).claims
    assert (len(sent), claims["sub"], claims["aud"]) == (1, editor.email, "asserted.kubeflow.svc")
    bearer = {"Authorization": f"Bearer {sent[0]}"}
    assert requests.get(f"{platform.url}/oauth2/userinfo", headers=bearer, timeout=30).status_code == 401
    assert platform.api.request("GET", "/api/v1/namespaces", token=sent[0]).status == 401
    assert "x-windlass-assertion" not in json.dumps(browser.get(PATH).json()["headers"]).lower()
