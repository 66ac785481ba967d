"""The dashboard's menu and settings: a ConfigMap of an administrator, or these defaults."""

from typing import Any

from windlass.apis.core_v1 import ConfigMap
from windlass.kube.client import Client
from windlass.kube.errors import InternalError, NotFound
from windlass.kube.json import BadJson, parse

CONFIG_MAPS = ("centraldashboard-config", "dashboard-config")
NAMESPACE = "kubeflow"


def _item(link: str, text: str, icon: str) -> dict[str, str]:
    return {"type": "item", "link": link, "text": text, "icon": icon}


_PIPELINES = [
    _item(f"/pipeline/#/{path}", text, icon)
    for path, text, icon in (
        ("pipelines", "Pipelines", "kubeflow:pipeline-centered"),
        ("experiments", "Experiments", "done-all"),
        ("runs", "Runs", "maps:directions-run"),
        ("recurringruns", "Recurring Runs", "device:access-alarm"),
        ("artifacts", "Artifacts", "editor:bubble-chart"),
        ("executions", "Executions", "av:play-arrow"),
    )
]
DEFAULT_LINKS: dict[str, Any] = {
    "menuLinks": [
        _item("/jupyter/", "Notebooks", "book"),
        _item("/tensorboards/", "TensorBoards", "assessment"),
        _item("/volumes/", "Volumes", "device:storage"),
        _item("/katib/", "Katib Experiments", "kubeflow:katib"),
        _item("/kserve-endpoints/", "KServe Endpoints", "kubeflow:models"),
        {"type": "section", "text": "Pipelines", "icon": "kubeflow:pipeline-centered", "items": _PIPELINES},
    ],
    "externalLinks": [],
    "quickLinks": [
        {"text": "Create a new Notebook server", "desc": "Notebook Servers", "link": "/jupyter/new?namespace={ns}"},
        {"text": "Upload a pipeline", "desc": "Pipelines", "link": "/pipeline/#/pipelines"},
        {"text": "View all pipeline runs", "desc": "Pipelines", "link": "/pipeline/#/runs"},
    ],
    "documentationItems": [
        {
            "text": "Getting Started with Kubeflow",
            "desc": "Get your machine-learning workflow up and running on Kubeflow",
            "link": "https://www.kubeflow.org/docs/started/getting-started/",
        }
    ],
}
DEFAULT_SETTINGS: dict[str, Any] = {"DASHBOARD_FORCE_IFRAME": True}


async def links(client: Client) -> Any:
    return await _configured(client, "links", DEFAULT_LINKS)


async def settings(client: Client) -> Any:
    return await _configured(client, "settings", DEFAULT_SETTINGS)


async def _configured(client: Client, key: str, default: Any) -> Any:
    """Raises InternalError if the administrator's text is not JSON."""
    for name in CONFIG_MAPS:
        try:
            text = (await client.get(ConfigMap, name, NAMESPACE)).data.get(key)
        except NotFound:
            continue
        if text is None:
            continue
        try:
            return parse(text)
        except BadJson as error:
            raise InternalError(f"{key} of ConfigMap {NAMESPACE}/{name} is not JSON: {error}") from error
    return default
