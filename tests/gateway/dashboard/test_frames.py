"""Apps of the menu that are opened by their own address are shown in the dashboard's frame, if the settings say so."""

import json
from collections.abc import Iterator
from http import HTTPStatus

import pytest

from tests.gateway.browser import Browser, a_person, signed_in
from tests.gateway.platform import Platform
from windlass.gateway.dashboard.frames import is_of_app
from windlass.gateway.dashboard.menu import DEFAULT_LINKS

CONFIG_MAPS = "/api/v1/namespaces/kubeflow/configmaps"
CONFIG = f"{CONFIG_MAPS}/centraldashboard-config"
LINKS = {
    "menuLinks": [
        {"type": "item", "link": "/grafana/?ns={ns}", "text": "Grafana"},
        {"type": "item", "link": "/jupyter/", "text": "Notebooks"},
        {"type": "item", "link": "/", "text": "Home"},
        {"type": "section", "text": "Tools", "items": [{"link": "/_/costs/index.html", "text": "Costs"}, "x"]},
        {"type": "item", "link": "/team/{ns}/board/", "text": "Board"},
        {"type": "item", "link": "/wiki", "text": "Wiki"},
        {"type": "item", "link": ["no", "text"], "text": "Broken"},
    ],
    "externalLinks": [
        {"link": "/inside/", "text": "Inside", "iframe": True},
        {"link": "/beside/", "text": "Beside"},
        {"link": "https://example.com/elsewhere/", "text": "Elsewhere", "iframe": True},
    ],
}
NAVIGATION = {"Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate", "Accept": "text/html,*/*;q=0.8"}


@pytest.mark.parametrize(
    "path",
    ["/grafana", "/grafana/d/a/b", "/costs/", "/costs/a.html", "/team/ml/board/x", "/wiki", "/wiki/a", "/inside/"],
)
def test_a_path_in_the_folder_of_a_framed_link_is_of_an_app(path: str) -> None:
    assert is_of_app(path, LINKS)


@pytest.mark.parametrize(
    "path", ["/", "/grafanas/", "/jupyter/", "/beside/", "/elsewhere/", "/team/ml/", "/notebook/a/b/"]
)
def test_a_path_elsewhere_is_of_no_app(path: str) -> None:
    assert not is_of_app(path, LINKS)


@pytest.mark.parametrize("links", [DEFAULT_LINKS, {}, [], None, {"menuLinks": "x"}])
def test_a_menu_without_apps_of_others_frames_nothing(links: object) -> None:
    assert not any(is_of_app(path, links) for path in ("/grafana/", "/katib/", "/pipeline/", "/kserve-endpoints/x"))


@pytest.fixture(scope="module")
def ann(platform: Platform) -> Browser:
    return signed_in(platform, a_person(platform, "framing-ann@example.com"))


@pytest.fixture
def configured(platform: Platform, request: pytest.FixtureRequest) -> Iterator[None]:
    """The ConfigMap of the menu, with the settings that a test gives."""
    platform.api.request("POST", "/api/v1/namespaces", {"metadata": {"name": "kubeflow"}})
    data = {"links": json.dumps(LINKS), "settings": json.dumps(request.param)}
    platform.api.create(CONFIG_MAPS, {"metadata": {"name": "centraldashboard-config"}, "data": data})
    yield
    platform.api.request("DELETE", CONFIG)


def location(browser: Browser, path: str, **headers: str) -> str | None:
    """Where the gateway sends a browser that opens a page; None if it answers itself."""
    answer = browser.get(path, headers={**NAVIGATION, **headers}, allow_redirects=False)
    return answer.headers.get("Location") if answer.status_code == HTTPStatus.FOUND else None


@pytest.mark.parametrize("configured", [{"DASHBOARD_FORCE_IFRAME": True}], indirect=True)
@pytest.mark.usefixtures("configured")
def test_an_app_that_is_opened_directly_is_sent_into_the_frame(ann: Browser) -> None:
    assert location(ann, "/grafana/d/a%20b?x=1&y=%2F") == "/_/grafana/d/a%20b?x=1&y=%2F"
    assert location(ann, "/costs/") == "/_/costs/"

    assert location(ann, "/_/grafana/d/a") is None
    assert location(ann, "/beside/") is None
    for others in (
        {"Sec-Fetch-Dest": "iframe"},
        {"Sec-Fetch-Dest": "empty"},
        {"Sec-Fetch-Dest": ""},
        {"Accept": "application/json"},
    ):
        assert location(ann, "/grafana/", **others) is None, others
    posted = ann.post("/grafana/", headers={**NAVIGATION, "Origin": ann.url}, allow_redirects=False)
    assert posted.status_code != HTTPStatus.FOUND


@pytest.mark.parametrize("configured", [{"DASHBOARD_FORCE_IFRAME": False}, {}, "malformed"], indirect=True)
@pytest.mark.usefixtures("configured")
def test_without_the_setting_apps_stay_where_they_are(ann: Browser) -> None:
    assert location(ann, "/grafana/") is None
