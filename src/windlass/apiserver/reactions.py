"""What the server does about its own objects as they change: RBAC rules, definitions, tokens that lose their ground."""

from windlass.apiserver.api import Api, Reaction
from windlass.apiserver.custom import CRDS, CustomResources
from windlass.kube.json import Object

_RBAC_GROUP = "rbac.authorization.k8s.io"
_RBAC_KINDS = {
    "clusterroles": "ClusterRole",
    "roles": "Role",
    "clusterrolebindings": "ClusterRoleBinding",
    "rolebindings": "RoleBinding",
}


def install(api: Api, custom: CustomResources) -> None:
    """Wire every reaction; called once, before the first request."""
    for plural, kind in _RBAC_KINDS.items():
        api.reactions[f"{_RBAC_GROUP}/{plural}"] = _rbac(api, kind)
    api.reactions[CRDS] = custom.react
    for plural in ("serviceaccounts", "secrets", "pods", "nodes"):
        api.reactions[f"/{plural}"] = _forget_tokens(api, by_uid=plural != "secrets")


def _rbac(api: Api, kind: str) -> Reaction:
    def react(obj: Object, gone: bool) -> None:
        metadata = obj["metadata"]
        if gone:
            api.rbac.remove(kind, metadata.get("namespace", ""), metadata["name"])
        else:
            api.rbac.put(kind, obj)

    return react


def _forget_tokens(api: Api, *, by_uid: bool) -> Reaction:
    """A token that is bound to what is gone is good no more; a secret's token does not tell the secret's uid."""

    def react(obj: Object, gone: bool) -> None:
        if gone:
            api.authenticator.invalidate(obj["metadata"]["uid"] if by_uid else "")

    return react


def load(api: Api) -> None:
    """Take in what is stored already; an object that cannot be read must not keep the server from starting."""
    for plural, kind in _RBAC_KINDS.items():
        store_key = f"{_RBAC_GROUP}/{plural}"
        for obj in api.read_all(store_key):
            with api.faults.contain(f"reaction to {store_key}", obj, None):
                api.rbac.put(kind, obj)
    for service in api.read_all("/services"):
        with api.faults.contain("reaction to /services", service, None):
            api.allocators.load([service])
