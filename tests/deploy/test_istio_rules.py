"""The mesh's rules on a cluster with Istio: closed by default, and the ingress asks who comes."""

from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from windlass.apis.istio.mesh import INGRESS_LABELS, INGRESS_PRINCIPAL
from windlass.apis.security_istio_v1beta1 import AuthorizationPolicy
from windlass.cli.cluster.uninstall import everything
from windlass.cli.main import cli
from windlass.cli.manifests import parts
from windlass.deploy.gateway import GatewayOptions
from windlass.deploy.istio_rules import MeshRules
from windlass.gateway.access.policies import PolicyRequest, is_allowed, passes_ingress

Object = dict[str, Any]
URL = "https://ml.example.com"
ROOT = "istio-system"


def made(*families: str, **rules: Any) -> dict[tuple[str, str, str], Object]:
    options = GatewayOptions(has_istio=True, external_url=URL, mesh=MeshRules(**rules))
    objects = parts("gateway", "windlass", "windlass:1", options=("platform", *families), gateway=options)
    return {(obj["kind"], obj["metadata"].get("namespace", ""), obj["metadata"]["name"]): obj for obj in objects}


def policies(objects: dict[tuple[str, str, str], Object], namespace: str) -> list[AuthorizationPolicy]:
    return [
        msgspec.convert(obj, AuthorizationPolicy)
        for (kind, place, _), obj in objects.items()
        if (kind, place) == ("AuthorizationPolicy", namespace)
    ]


def names(objects: dict[tuple[str, str, str], Object], kind: str) -> set[str]:
    return {name for found, namespace, name in objects if (found, namespace) == (kind, ROOT)}


def test_the_mesh_is_closed_and_its_ingress_open() -> None:
    objects = made()

    assert names(objects, "AuthorizationPolicy") == {"global-deny-all", "istio-ingressgateway"}
    assert objects["AuthorizationPolicy", ROOT, "global-deny-all"]["spec"] == {}
    ingress = objects["AuthorizationPolicy", ROOT, "istio-ingressgateway"]["spec"]
    assert ingress == {"selector": {"matchLabels": INGRESS_LABELS}, "action": "ALLOW", "rules": [{}]}
    assert not names(objects, "RequestAuthentication")


def test_a_mesh_of_others_may_stay_open() -> None:
    assert names(made(deny_by_default=False), "AuthorizationPolicy") == {"istio-ingressgateway"}


def test_the_pages_are_for_the_ingress_alone_and_pipelines_for_pods() -> None:
    (policy,) = [one for one in policies(made("pipelines"), "windlass") if one.metadata.name == "windlass-gateway"]
    labels = {"app.kubernetes.io/name": "windlass", "app.kubernetes.io/component": "gateway"}

    def reaches(port: int, principal: str) -> bool:
        request = PolicyRequest(method="GET", path="/kfam/v1/bindings", port=port, principal=principal)
        return is_allowed([policy], request, labels)

    pod = "cluster.local/ns/ml/sa/default-editor"
    assert reaches(8080, INGRESS_PRINCIPAL)
    assert not reaches(8080, pod)
    assert reaches(8888, pod)
    assert not reaches(8888 + 1, pod)


def test_webhooks_are_reached_in_a_closed_mesh() -> None:
    spec = made()["AuthorizationPolicy", "windlass", "windlass-manager"]["spec"]

    assert spec["rules"][0] == {"to": [{"operation": {"ports": ["9443"]}}]}


@pytest.mark.parametrize(
    ("path", "host", "principal", "passes"),
    [
        ("/jupyter/", "ml.example.com", "", False),
        ("/jupyter/", "ml.example.com", "https://ml.example.com/dex/ada", True),
        ("/jupyter/", "ml.example.com:443", "", False),
        ("/dex/auth", "ml.example.com", "", True),
        ("/oauth2/start", "ml.example.com", "", True),
        ("/oauth2x", "ml.example.com", "", False),
        ("/", "shop.example.com", "", True),
    ],
)
def test_the_ingress_denies_what_has_no_identity(path: str, host: str, principal: str, passes: bool) -> None:
    root = policies(made(auth_provider="oauth2-proxy"), ROOT)
    request = PolicyRequest(method="GET", path=path, host=host, request_principal=principal)

    assert passes_ingress(root, request) is passes


def test_the_ingress_asks_about_sessions_and_reads_two_issuers() -> None:
    objects = made(auth_provider="oauth2-proxy", token_issuer="https://tokens.example.com")

    custom = objects["AuthorizationPolicy", ROOT, "istio-ingressgateway-oauth2-proxy"]["spec"]
    assert (custom["action"], custom["provider"]) == ("CUSTOM", {"name": "oauth2-proxy"})
    (rule,) = custom["rules"]
    assert rule["when"] == [{"key": "request.headers[authorization]", "notValues": ["*"]}]
    assert rule["to"][0]["operation"]["notPaths"] == ["/dex/*", "/oauth2/*"]
    (people,) = objects["RequestAuthentication", ROOT, "dex-jwt"]["spec"]["jwtRules"]
    assert people["issuer"] == f"{URL}/dex"
    assert people["jwksUri"] == "http://windlass-gateway.windlass.svc.cluster.local:80/dex/keys"
    assert {one["claim"]: one["header"] for one in people["outputClaimToHeaders"]} == {
        "email": "kubeflow-userid",
        "groups": "kubeflow-groups",
    }
    (machines,) = objects["RequestAuthentication", ROOT, "m2m-token-issuer"]["spec"]["jwtRules"]
    assert machines["issuer"] == "https://tokens.example.com"
    assert machines["outputClaimToHeaders"] == [{"claim": "sub", "header": "kubeflow-userid"}]
    pod = objects["Deployment", "windlass", "windlass-gateway"]["spec"]["template"]["spec"]
    assert {"name": "WINDLASS_INGRESS_TOKENS", "value": "true"} in pod["containers"][0]["env"]


def test_the_gateways_ports_are_opened_to_their_callers() -> None:
    spec = made("pipelines")["NetworkPolicy", "windlass", "windlass-gateway"]["spec"]
    by_port = {port["port"]: rule["from"] for rule in spec["ingress"] for port in rule.get("ports", ())}

    assert by_port[8080] == [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": ROOT}}}]
    profiles = {"app.kubernetes.io/part-of": "kubeflow-profile"}
    assert by_port[8888] == [{"namespaceSelector": {"matchLabels": profiles}}]


def test_an_uninstall_knows_all_rules() -> None:
    known = {(obj["kind"], obj["metadata"]["name"]) for obj in everything("windlass")}

    assert {(kind, name) for kind, _, name in made(auth_provider="x")} <= known


@pytest.mark.parametrize(
    ("flag", "value"), [("--istio-auth-provider", "two words"), ("--istio-token-issuer", "http://plain")]
)
def test_bad_options_of_the_mesh_are_refused_by_name(flag: str, value: str) -> None:
    done = CliRunner().invoke(cli, ["manifests", "--platform", "--istio", flag, value])

    assert done.exit_code == 2
    assert flag in done.output
