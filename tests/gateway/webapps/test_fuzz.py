"""Random bodies, paths and methods never make a web app fail inside: no answer is 5xx, no traceback is logged."""

import json
import random
import string
from typing import Any

import pytest

from tests.apps.notebooks.web.test_form import a_form as notebook_form
from tests.apps.notebooks.web.test_routes import NOTEBOOK
from tests.apps.volumes.web.test_routes import a_form as volume_form
from tests.gateway.browser import Person
from tests.gateway.platform import Platform
from tests.gateway.shared_platforms import NAMESPACE
from tests.gateway.webapps.app_client import App, app_of

ROUNDS = 60
ALL = f"/api/namespaces/{NAMESPACE}"
TARGETS: list[tuple[str, str, str, dict[str, Any]]] = [
    ("/jupyter", "POST", f"{ALL}/notebooks", notebook_form(name="fuzzed", workspace={"mount": "/x", "newPvc": {}})),
    ("/jupyter", "POST", f"{ALL}/notebooks?dryRun=All", {"objects": [NOTEBOOK]}),
    ("/jupyter", "PATCH", f"{ALL}/notebooks/fuzzed", {"stopped": True}),
    ("/tensorboards", "POST", f"{ALL}/tensorboards", {"name": "f", "logspath": "s3://x", "configurations": ["a"]}),
    ("/volumes", "POST", f"{ALL}/pvcs", volume_form("fuzzed")),
    ("/volumes", "PATCH", f"{ALL}/pvcs/fuzzed", {"size": "1Gi"}),
    ("/volumes", "POST", f"{ALL}/viewers", {"name": "fuzzed"}),
]
ODD_VALUES: list[Any] = [
    None, True, 0, -1, 1e308, 2**63, 10**30, "", " ", "a", "..", "{notebook-name}", "\x00", "\ud800", "é" * 300,
    "1e309", "NaN", "1.7e308", "９", "0x10", "1Ei", [], [[]], [None], {}, {"": ""}, {"a": {"b": [1]}}, [{"mount": "/"}],
]  # fmt: skip
ODD_SEGMENTS = ["..", "%2e%2e", "%2F", "%00", "%ff", "a" * 300, "A", "-", "é", "a%20b", "", "%25", ";x", "{name}"]


def mutated(value: Any, choice: random.Random) -> Any:
    """The value with one part replaced, removed or added."""
    if isinstance(value, dict) and value and choice.random() < 0.9:
        changed: dict[str, Any] = dict(value)
        key = choice.choice(sorted(changed))
        kind = choice.random()
        if kind < 0.1:
            del changed[key]
        elif kind < 0.2:
            changed["".join(choice.choices(string.printable, k=3))] = choice.choice(ODD_VALUES)
        else:
            changed[key] = mutated(changed[key], choice)
        return changed
    return choice.choice(ODD_VALUES)


@pytest.mark.parametrize(("prefix", "method", "path", "body"), TARGETS, ids=[f"{t[1]} {t[0]}{t[2]}" for t in TARGETS])
def test_random_bodies(
    platform: Platform, editor: Person, prefix: str, method: str, path: str, body: dict[str, Any]
) -> None:
    logged = platform.end_of_log()
    choice = random.Random(f"{method}{path}")
    app = app_of(platform, editor, prefix)
    token = app.token
    for _ in range(ROUNDS):
        changed: Any = body
        for _ in range(choice.randint(1, 3)):
            changed = mutated(changed, choice)
        data = json.dumps(changed).encode()
        if choice.random() < 0.1:
            data = data[: choice.randint(0, len(data))]
        headers = {"X-XSRF-TOKEN": token, "Content-Type": "application/json"}
        answer = app.browser.session.request(
            method, f"{platform.url}{prefix}{path}", data=data, headers=headers, timeout=30
        )
        assert answer.status_code < 500, (data, answer.text)
        assert answer.json()["success"] is (answer.status_code == 200)
    assert "Traceback" not in platform.log_after(logged)


@pytest.mark.parametrize("prefix", ["/jupyter", "/tensorboards", "/volumes"])
def test_random_paths(platform: Platform, editor: Person, prefix: str) -> None:
    logged = platform.end_of_log()
    choice = random.Random(prefix)
    app: App = app_of(platform, editor, prefix)
    token = app.token
    routes = [path for _, _, path, _ in TARGETS] + [f"{ALL}/notebooks/x/pod/y/logs", f"{ALL}/pvcs/x/pods", "/info"]
    for _ in range(ROUNDS):
        segments = choice.choice(routes).split("/")
        segments[choice.randrange(1, len(segments))] = choice.choice(ODD_SEGMENTS)
        method = choice.choice(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"])
        url = f"{platform.url}{prefix}{'/'.join(segments)}"
        headers = {"X-XSRF-TOKEN": token}
        answer = app.browser.session.request(method, url, headers=headers, timeout=30, allow_redirects=False)
        assert answer.status_code < 500, (method, url, answer.text)
        assert not answer.headers.get("Location", "/").startswith(("//", "http"))
    assert "Traceback" not in platform.log_after(logged)
