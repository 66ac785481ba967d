"""The app of docs/developers.md: its code works, and every consumer of apps takes it."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.apis.verdicts import NO_CHECKS
from tests.webhooks.builders import admission
from windlass.apis.app import App
from windlass.deploy import manager
from windlass.deploy.manager_permissions import cluster_rules
from windlass.kube.kind import KINDS
from windlass.webhooks.addresses import Service
from windlass.webhooks.configuration import configurations, custom_resources, objects_with_ca
from windlass.webhooks.handlers import handlers

PAGE = Path(__file__).parents[2] / "docs" / "developers.md"
PLACE = Service(name="windlass", namespace="team")


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> App:
    code = next(block for block in PAGE.read_text().split("```python\n")[1:] if "an app of one kind" in block)
    declared: dict[str, Any] = {"__name__": "windlass.apps.lamps.app"}
    before = dict(vars(KINDS))
    for name, value in before.items():
        monkeypatch.setattr(KINDS, name, dict(value))
    exec(code.partition("```")[0], declared)
    return declared["APP"]


async def test_an_app_is_filled_in_and_checked_by_its_webhooks(app: App) -> None:
    def lamp(**spec: Any) -> Any:
        return admission({"apiVersion": "home.example.com/v1", "kind": "Lamp", "metadata": {"name": "a"}, "spec": spec})

    nobody: Any = None
    mutate, validate = (handlers([app], nobody, NO_CHECKS)[rule.path] for rule in app.rules)

    patch = json.loads(base64.b64decode((await mutate(lamp()))["response"]["patch"]))
    refused = (await validate(lamp(brightness=101)))["response"]

    assert patch == [{"op": "add", "path": "/spec", "value": {"brightness": 50}}]
    assert refused["status"]["message"] == "spec.brightness: Invalid value: 101: must be 0 to 100"
    assert (await validate(lamp(brightness=7)))["response"]["allowed"]


def test_an_app_is_printed_for_a_cluster(app: App) -> None:
    installation = manager.Installation(namespace="team", image="windlass", webhooks=PLACE, apps=(app,))

    assert [crd["metadata"]["name"] for crd in custom_resources(app, PLACE)] == ["lamps.home.example.com"]
    assert {obj["metadata"]["name"] for obj in configurations([app], PLACE)} == {
        name for _, name in objects_with_ca([app])
    }
    assert installation.schemes == ["lamp"]
    assert {"apiGroups": ["home.example.com"], "resources": ["lamps"], "verbs": ["list", "watch"]} in cluster_rules(
        [app]
    )
