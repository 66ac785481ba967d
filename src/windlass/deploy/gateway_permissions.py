"""The RBAC rules of the gateway on a cluster: those of the embedded gateway, without what a cluster does not need."""

from windlass.apiserver.auth import bootstrap
from windlass.apps import all_apps
from windlass.deploy.app_parts import deployment_of
from windlass.kube.json import Object

ROLE = "system:windlass-gateway"


def gateway_rules() -> list[Object]:
    """The rules of the gateway's ClusterRole. It acts as the person who is signed in, so RBAC decides on them."""
    role = next(obj for obj in bootstrap.default_objects() if _is_role(obj))
    embedded = {secret for app in all_apps() for secret in deployment_of(app).embedded_secrets}
    return [rule for rule in role["rules"] if not (names := set(rule.get("resourceNames", ()))) or names - embedded]


def _is_role(obj: Object) -> bool:
    return obj["kind"] == "ClusterRole" and obj["metadata"]["name"] == ROLE
