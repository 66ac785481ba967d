"""Reactions of the server to changes of its own objects: RBAC rules, definitions, tokens of deleted objects."""

from windlass.apis.wellknown import RBAC_GROUP
from windlass.apiserver.api import Api, Reaction
from windlass.apiserver.custom import CRDS, CustomResources
from windlass.kube.json import Object

_RBAC_KINDS = {
    "clusterroles": "ClusterRole",
    "roles": "Role",
    "clusterrolebindings": "ClusterRoleBinding",
    "rolebindings": "RoleBinding",
}


def install(api: Api, custom: CustomResources) -> None:
    """Register every reaction; called once, before the first request."""
    for plural, kind in _RBAC_KINDS.items():
        api.reactions[f"{RBAC_GROUP}/{plural}"] = _rbac(api, kind)
    api.reactions[CRDS] = custom.react
    for plural in ("serviceaccounts", "secrets", "pods", "nodes"):
        api.deletion_reactions[f"/{plural}"] = _forget_tokens(api, by_uid=plural != "secrets")


def _rbac(api: Api, kind: str) -> Reaction:
    def react(obj: Object, gone: bool) -> None:
        metadata = obj["metadata"]
        if gone:
            api.rbac.remove(kind, metadata.get("namespace", ""), metadata["name"])
        else:
            api.rbac.put(kind, obj)

    return react


def _forget_tokens(api: Api, *, by_uid: bool) -> Reaction:
    """Drop cached tokens bound to a deleted object; the token of a Secret does not contain the Secret's uid."""

    def react(obj: Object, gone: bool) -> None:
        api.authenticator.invalidate(obj["metadata"]["uid"] if by_uid else "")

    return react


def load(api: Api) -> None:
    """Process the stored objects; an unreadable object must not keep the server from starting."""
    for plural, kind in _RBAC_KINDS.items():
        store_key = f"{RBAC_GROUP}/{plural}"
        for obj in api.read_all(store_key):
            with api.faults.contain(f"reaction to {store_key}", obj, None):
                api.rbac.put(kind, obj)
    for service in api.read_all("/services"):
        with api.faults.contain("reaction to /services", service, None):
            api.allocators.load([service])
