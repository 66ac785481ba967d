"""Proxies, authorities and the security context that the server sets."""

from typing import Any

import pytest

from tests.apps.pipelines.executor.builders import a_context
from windlass.apps.pipelines.executor.platform.server_settings import ca_bundle, proxy_variables, security_context

FIXED = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


def values(**settings: str) -> dict[str, str]:
    return {one["name"]: one["value"] for one in proxy_variables(settings)}


def test_proxies_are_set_in_both_cases() -> None:
    assert values(HTTP_PROXY="h", HTTPS_PROXY="s", NO_PROXY="n") == {
        "HTTP_PROXY": "h",
        "http_proxy": "h",
        "HTTPS_PROXY": "s",
        "https_proxy": "s",
        "NO_PROXY": "n",
        "no_proxy": "n",
    }
    assert values() == {}


def test_the_clusters_own_names_are_not_proxied_by_default() -> None:
    assert values(HTTP_PROXY="h", CLUSTER_DOMAIN="c.local")["no_proxy"] == (
        "localhost,127.0.0.1,.svc.c.local,kubernetes.default.svc,minio-service.kubeflow,metadata-grpc-service,"
        "metadata-grpc-service.kubeflow,ml-pipeline.kubeflow"
    )


def test_a_config_map_has_the_bundle_where_no_secret_does() -> None:
    entries = [{"key": "ca.crt", "path": "ca.crt"}]
    assert ca_bundle({"CABUNDLE_CONFIGMAP_NAME": "c"}) == {"configMap": {"name": "c", "items": entries}}
    assert ca_bundle({}) is None


@pytest.mark.parametrize(
    ("given", "defaults", "expected"),
    [
        ({}, {}, {}),
        (
            {"runAsUser": "7", "runAsGroup": 8, "runAsNonRoot": True},
            {},
            {"runAsUser": 7, "runAsGroup": 8, "runAsNonRoot": True},
        ),
        (
            {"runAsUser": 7, "runAsNonRoot": False},
            {"RUN_AS_USER": "1000", "RUN_AS_NON_ROOT": "true"},
            {"runAsUser": 1000, "runAsNonRoot": True},
        ),
        ({"runAsUser": 0}, {"RUN_AS_GROUP": "0"}, {"runAsUser": 0, "runAsGroup": 0}),
    ],
)
def test_the_servers_security_context_wins(given: Any, defaults: Any, expected: Any) -> None:
    settings = {f"DEFAULT_SECURITY_CONTEXT_{key}": value for key, value in defaults.items()}

    assert security_context(a_context(platform={"securityContext": given}, defaults=settings)) == {**expected, **FIXED}


@pytest.mark.parametrize(
    ("platform", "settings", "reason"),
    [
        ({"securityContext": {"runAsUser": "root"}}, {}, "securityContext.runAsUser is not an integer"),
        ({"securityContext": [1]}, {}, "securityContext is not an object"),
        ({}, {"DEFAULT_SECURITY_CONTEXT_RUN_AS_NON_ROOT": "maybe"}, "RUN_AS_NON_ROOT must be true or false"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(platform: Any, settings: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        security_context(a_context(platform=platform, defaults=settings))
