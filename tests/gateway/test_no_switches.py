"""Nothing that a client sends or the environment says turns authentication off."""

import pytest
import requests

from tests.gateway.platform import Platform

PATHS = (
    "/",
    "/jupyter/api/namespaces/default/notebooks",
    "/katib/fetch_namespaces",
    "/notebook/a/b/",
    "/api/k8s/api/v1/pods",
)


@pytest.mark.parametrize(
    "header",
    [
        *("X-Forwarded-Uri", "X-Forwarded-Path", "X-Forwarded-Prefix", "X-Original-URI", "X-Original-URL"),
        *("X-Rewrite-URL", "X_Forwarded_Uri"),
    ],
)
@pytest.mark.parametrize("claimed", ["/dex/", "/oauth2/start", "/healthz", "/jupyter/healthz/liveness"])
def test_no_header_makes_a_path_an_open_one(platform: Platform, header: str, claimed: str) -> None:
    """CVE-2026-40575: a proxy that decides about the path of a header lets everyone past."""
    for path in PATHS:
        answer = requests.get(f"{platform.url}{path}", headers={header: claimed}, timeout=30, allow_redirects=False)
        assert answer.status_code in (302, 401), (path, answer.status_code)


def test_variables_of_kubeflow_turn_nothing_off(lone_platform: Platform) -> None:
    """Katib's UI and the web apps have `APP_DISABLE_AUTH`, and a development mode without identities."""
    for path in PATHS:
        for headers in ({}, {"x-user": "user@example.com", "kubeflow-userid": "user@example.com"}):
            answer = requests.get(f"{lone_platform.url}{path}", headers=headers, timeout=30, allow_redirects=False)
            assert answer.status_code in (302, 401), (path, answer.status_code)
