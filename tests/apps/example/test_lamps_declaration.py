"""The declaration of the example, as the consumers of apps take it."""

import base64
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import windlass.apps
from tests.apis.verdicts import NO_CHECKS
from tests.webhooks.builders import admission
from windlass.apis.app import App
from windlass.apps import all_apps, definitions, stops
from windlass.deploy import manager
from windlass.deploy.manager_permissions import cluster_rules
from windlass.kube.kind import KINDS
from windlass.webhooks.addresses import Service
from windlass.webhooks.configuration import configurations, custom_resources, objects_with_ca
from windlass.webhooks.handlers import handlers

PLACE = Service(name="windlass", namespace="team")


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The app, in the list of this process for one test."""
    monkeypatch.setattr(windlass.apps, "__path__", [*windlass.apps.__path__, str(Path(__file__).parent)])
    monkeypatch.setattr(windlass.apps, "APPS", (*windlass.apps.APPS, "lamps"))
    for name, value in dict(vars(KINDS)).items():
        monkeypatch.setattr(KINDS, name, dict(value))
    all_apps.cache_clear()
    yield import_module("windlass.apps.lamps.app").APP
    all_apps.cache_clear()
    for name in [name for name in sys.modules if name.startswith("windlass.apps.lamps")]:
        del sys.modules[name]
    del windlass.apps.lamps  # pyright: ignore[reportAttributeAccessIssue]


def test_an_app_is_known_by_its_name_in_the_list(app: App) -> None:
    assert all_apps()[-1] is app
    assert "lamps.home.example.com" in {crd["metadata"]["name"] for crd in definitions()}
    assert "Lamp" in {stop.kind.__name__ for stop in stops()}


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
    granted = {"apiGroups": ["home.example.com"], "resources": ["lamps"], "verbs": ["delete", "list", "patch", "watch"]}
    assert granted in cluster_rules([app])
