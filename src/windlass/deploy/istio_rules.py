"""Istio's rules around the gateway: what the mesh denies, and what its ingress lets through. Pure.

The ingress sends every request to the gateway, which asks for a login itself. With an authorization provider of the
mesh the ingress refuses requests without an identity already: it asks the gateway about sessions (`CUSTOM`), which
answers with a token, and denies what has no valid one then.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from windlass.apis.istio.mesh import (
    GROUPS_HEADER,
    INGRESS_LABELS,
    INGRESS_PRINCIPAL,
    OPEN_PATHS,
    ROOT_NAMESPACE,
    USER_HEADER,
)
from windlass.apis.security_istio_v1beta1 import GROUP
from windlass.deploy.program import MANAGED_BY, Object, Program

API_VERSION = f"{GROUP}/v1beta1"
CLUSTER_ISSUER = "https://kubernetes.default.svc.cluster.local"
"""The issuer of service-account tokens where the cluster's administrator has set none."""
CLUSTER_KEYS_PATH, OWN_KEYS_PATH = "/oauth2/cluster-keys", "/dex/keys"


@dataclass(frozen=True, kw_only=True)
class MeshRules:
    """What may differ between meshes."""

    deny_by_default: bool = True
    """Whether workloads of the mesh without a policy are closed, those of other products included."""
    auth_provider: str = ""
    """The extension provider of the mesh that asks the gateway about sessions; empty where there is none."""
    token_issuer: str = CLUSTER_ISSUER


def mesh_rules(gateway: Program, service_port: int, external_url: str, host: str, rules: MeshRules) -> list[Object]:
    """The objects of the mesh's root namespace."""
    made = [_ingress_policy("istio-ingressgateway", {"action": "ALLOW", "rules": [{}]})]
    if rules.deny_by_default:
        made.insert(0, _object("AuthorizationPolicy", "global-deny-all", {}))
    if rules.auth_provider:
        own = f"http://{gateway.name}.{gateway.namespace}.svc.cluster.local:{service_port}"
        made += _identity_rules(own, external_url, host, rules)
    return made


def program_policy(program: Program, rules: Iterable[Object]) -> Object:
    """Who reaches the pods of a program, where these are in the mesh."""
    spec = {"selector": {"matchLabels": program.labels}, "action": "ALLOW", "rules": list(rules)}
    return program.object(API_VERSION, "AuthorizationPolicy", spec=spec)


def from_ingress(port: int) -> Object:
    """Requests that come through the ingress gateway to a port of the pods."""
    return {"from": [{"source": {"principals": [INGRESS_PRINCIPAL]}}], **to_port(port)}


def to_port(port: int) -> Object:
    """Requests of every client to a port of the pods, which authenticates them itself."""
    return {"to": [{"operation": {"ports": [str(port)]}}]}


def _identity_rules(own: str, external_url: str, host: str, rules: MeshRules) -> list[Object]:
    guarded: Object = {"notPaths": list(OPEN_PATHS)}
    if host != "*":  # other hosts of the same ingress are not the gateway's
        guarded["hosts"] = [host, f"{host}:*"]
    unnamed = [{"key": "request.headers[authorization]", "notValues": ["*"]}]
    ask = {"to": [{"operation": guarded}], "when": unnamed}
    deny = {"from": [{"source": {"notRequestPrincipals": ["*"]}}], "to": [{"operation": guarded}]}
    custom = {"action": "CUSTOM", "provider": {"name": rules.auth_provider}, "rules": [ask]}
    people = {"email": USER_HEADER, "groups": GROUPS_HEADER}
    return [
        _ingress_policy("istio-ingressgateway-oauth2-proxy", custom),
        _ingress_policy("istio-ingressgateway-require-jwt", {"action": "DENY", "rules": [deny]}),
        _request_authentication("dex-jwt", f"{external_url}/dex", f"{own}{OWN_KEYS_PATH}", people),
        _request_authentication(
            "m2m-token-issuer", rules.token_issuer, f"{own}{CLUSTER_KEYS_PATH}", {"sub": USER_HEADER}
        ),
    ]


def _request_authentication(name: str, issuer: str, keys: str, headers: dict[str, str]) -> Object:
    rule: Object = {
        "issuer": issuer,
        "jwksUri": keys,
        "forwardOriginalToken": True,
        "outputClaimToHeaders": [{"claim": claim, "header": header} for claim, header in headers.items()],
    }
    return _object(
        "RequestAuthentication", name, {"selector": {"matchLabels": dict(INGRESS_LABELS)}, "jwtRules": [rule]}
    )


def _ingress_policy(name: str, spec: Object) -> Object:
    return _object("AuthorizationPolicy", name, {"selector": {"matchLabels": dict(INGRESS_LABELS)}, **spec})


def _object(kind: str, name: str, spec: Object) -> Object:
    metadata = {"name": name, "namespace": ROOT_NAMESPACE, "labels": dict(MANAGED_BY)}
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "spec": spec}
