"""The gateway's manifests: no way around it, one writer of its database, TLS where it is asked for."""

from typing import Any

import pytest
from click.testing import CliRunner

from windlass.cli.main import cli
from windlass.deploy.gateway import GatewayOptions, gateway
from windlass.deploy.gateway_permissions import gateway_rules

Object = dict[str, Any]


def made(**options: Any) -> dict[tuple[str, str], Object]:
    objects = gateway("windlass", "windlass:1", GatewayOptions(**options))
    return {(obj["kind"], obj["metadata"]["name"]): obj for obj in objects}


def args_of(objects: dict[tuple[str, str], Object]) -> list[str]:
    return objects["Deployment", "windlass-gateway"]["spec"]["template"]["spec"]["containers"][0]["args"]


def test_istios_ingress_sends_everything_to_the_gateway_and_serves_no_notebook_itself() -> None:
    objects = made(has_istio=True, external_url="https://ml.example.com")
    gateway_pods = objects["Deployment", "windlass-gateway"]["spec"]["template"]["metadata"]["labels"]

    assert objects["Gateway", "kubeflow-gateway"]["spec"]["selector"] == gateway_pods
    (route,) = objects["VirtualService", "windlass-gateway"]["spec"]["http"]
    assert "match" not in route
    assert objects["Gateway", "windlass-gateway"]["spec"]["servers"][0]["hosts"] == ["ml.example.com"]


def test_without_istio_no_object_of_its_kinds_is_printed() -> None:
    assert not [kind for kind, _ in made() if kind in ("Gateway", "VirtualService", "AuthorizationPolicy")]


def test_one_pod_writes_the_database() -> None:
    spec = made()["Deployment", "windlass-gateway"]["spec"]

    assert (spec["replicas"], spec["strategy"]) == (1, {"type": "Recreate"})


def test_with_a_certificate_the_gateway_serves_tls_only() -> None:
    objects = made(tls_secret="ml-tls")

    assert "--insecure-http" not in args_of(objects)
    assert objects["Service", "windlass-gateway"]["spec"]["ports"][0]["port"] == 443


def test_its_role_changes_nothing_but_profiles_and_notebooks() -> None:
    changed = {
        resource
        for rule in gateway_rules()
        if not {*rule["verbs"]} <= {"get", "list", "watch", "impersonate"}
        for resource in rule["resources"]
    }

    assert changed == {"notebooks", "profiles", "subjectaccessreviews", "tokenreviews"}


def test_its_role_reads_no_secrets() -> None:
    assert not [rule for rule in gateway_rules() if "secrets" in rule.get("resources", ()) and "get" in rule["verbs"]]


@pytest.mark.parametrize(
    ("flag", "value"),
    [
        ("--external-url", "ml.example.com"),
        ("--external-url", "https://ml.example.com/path"),
        ("--external-url", "javascript://x"),
        ("--registry", "https://mirror"),
        ("--gateway-tls-secret", "Bad Name"),
        ("--users-secret", "Bad Name"),
    ],
)
def test_bad_options_are_refused_by_name(flag: str, value: str) -> None:
    done = CliRunner().invoke(cli, ["manifests", "--platform", flag, value])

    assert done.exit_code == 2
    assert flag in done.output
