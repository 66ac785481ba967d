"""The RBAC rules of the gateway on a cluster: those of the embedded gateway, without what a cluster does not need."""

from windlass.apiserver.auth import bootstrap
from windlass.apps.pipelines.names import ARTIFACT_SECRET
from windlass.kube.json import Object

ROLE = "system:windlass-gateway"


def gateway_rules() -> list[Object]:
    """The rules of the gateway's ClusterRole. It acts as the person who is signed in, so RBAC decides on them."""
    role = next(obj for obj in bootstrap.default_objects() if _is_role(obj))
    return [rule for rule in role["rules"] if not _is_for_own_store(rule)]


def _is_role(obj: Object) -> bool:
    return obj["kind"] == "ClusterRole" and obj["metadata"]["name"] == ROLE


def _is_for_own_store(rule: Object) -> bool:
    """Whether a rule gives the keys of Windlass' own S3 endpoint, which only an embedded gateway serves."""
    return rule.get("resourceNames") == [ARTIFACT_SECRET]
