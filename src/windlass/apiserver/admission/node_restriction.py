"""Restricts a node's writes to its own Node and Lease, and to objects of the pods bound to it.

RBAC grants nodes the verbs that they need on every object of a kind; this plugin narrows them to their own objects, so
that a compromised node cannot affect the others.
"""

from collections.abc import Callable, Mapping

from windlass.apis.wellknown import MIRROR_POD_ANNOTATION
from windlass.apiserver.admission.chain import Attributes, Plugin
from windlass.apiserver.admission.node_labels import forbidden_labels
from windlass.apiserver.api import Api
from windlass.apiserver.auth.user import NODES, User
from windlass.kube.json import Json, Object, dig, dig_list, dig_object, is_list, is_object

PREFIX = "system:node:"
LEASES = "kube-node-lease"


def node_of(user: User) -> str | None:
    """The node name of a user; None if the user is not a node."""
    return user.name.removeprefix(PREFIX) if user.name.startswith(PREFIX) and NODES in user.groups else None


class NodeRestriction(Plugin):
    operations = frozenset({"CREATE", "UPDATE", "DELETE"})

    def __init__(self, api: Api) -> None:
        self._api = api
        self._rules: Mapping[str, Callable[[Attributes, str], None]] = {
            "/pods": self._check_pod,
            "/nodes": check_node,
            "/serviceaccounts": self._check_token,
            "coordination.k8s.io/leases": check_lease,
            "storage.k8s.io/csinodes": check_csi_node,
            "resource.k8s.io/resourceslices": check_resource_slice,
        }

    def applies(self, operation: str, store_key: str, subresource: str) -> bool:
        return operation in self.operations and store_key in self._rules

    def validate(self, attributes: Attributes) -> None:
        node = node_of(attributes.user)
        if node is None:
            return
        if not node:
            raise attributes.forbid(f'could not determine node from user "{attributes.user.name}"')
        self._rules[attributes.resource.store_key](attributes, node)

    def _check_pod(self, attributes: Attributes, node: str) -> None:
        match attributes.subresource, attributes.operation:
            case "", "CREATE":
                _check_mirror_pod(attributes, node)
            case "", "DELETE":
                _check_bound(attributes, attributes.old, node, "delete pods")
            case "", operation:
                why = f'unexpected operation "{operation}", node "{node}" can only create and delete mirror pods'
                raise attributes.forbid(why)
            case "status", "UPDATE":
                _check_bound(attributes, attributes.old, node, "update pod status for pods")
                if _labels(attributes.obj) != _labels(attributes.old):
                    raise attributes.forbid(f'node "{node}" cannot update labels through pod status')
            case "eviction", "CREATE":
                pod = self._api.read("/pods", attributes.namespace, attributes.name)
                _check_bound(attributes, pod, node, "evict pods")
            case subresource, _:
                why = f"unexpected pod subresource \"{subresource}\", only 'status' and 'eviction' are allowed"
                raise attributes.forbid(why)

    def _check_token(self, attributes: Attributes, node: str) -> None:
        """Allow a node to write nothing of service accounts except token requests."""
        if attributes.subresource != "token":
            raise attributes.forbid(f'node "{node}" can only request tokens of service accounts')
        ref = dig_object(attributes.obj or {}, "spec", "boundObjectRef")
        if ref.get("apiVersion") != "v1" or ref.get("kind") != "Pod" or not ref.get("name"):
            raise attributes.forbid("node requested token not bound to a pod")
        if not ref.get("uid"):
            raise attributes.forbid("node requested token with a pod binding without a uid")
        pod = self._api.read("/pods", attributes.namespace, str(ref["name"]))
        if pod is None or dig(pod, "metadata", "uid") != ref["uid"]:
            raise attributes.forbid(f'pod "{ref["name"]}" of that uid not found')
        if dig(pod, "spec", "nodeName") != node:
            raise attributes.forbid("node requested token bound to a pod scheduled on a different node")


def _check_bound(attributes: Attributes, pod: Object | None, node: str, what: str) -> None:
    if pod is None or dig(pod, "spec", "nodeName") != node:
        raise attributes.forbid(f'node "{node}" can only {what} with spec.nodeName set to itself')


def _check_mirror_pod(attributes: Attributes, node: str) -> None:
    """Check a mirror pod, which only reflects a pod that the node runs itself and may not grant access to anything."""
    pod = attributes.obj or {}
    if MIRROR_POD_ANNOTATION not in dig_object(pod, "metadata", "annotations"):
        why = f'pod does not have "{MIRROR_POD_ANNOTATION}" annotation, node "{node}" can only create mirror pods'
        raise attributes.forbid(why)
    _check_bound(attributes, pod, node, "create pods")
    if dig(pod, "spec", "serviceAccountName"):
        raise attributes.forbid(f'node "{node}" can not create pods that reference a service account')
    for field, what in (("secret", "secrets"), ("configMap", "configmaps"), ("persistentVolumeClaim", "claims")):
        if _mentions(pod.get("spec"), field):
            raise attributes.forbid(f'node "{node}" can not create pods that reference {what}')


def _mentions(value: Json, field: str) -> bool:
    """Whether a field of this name (`secret`, `secretKeyRef`, `secretRef`) occurs anywhere in the value."""
    if is_object(value):
        return any(key in (field, f"{field}Ref", f"{field}KeyRef") or _mentions(value[key], field) for key in value)
    return is_list(value) and any(_mentions(each, field) for each in value)


def check_node(attributes: Attributes, node: str) -> None:
    if attributes.name != node:
        raise attributes.forbid(f'node "{node}" is not allowed to modify node "{attributes.name}"')
    new, old = attributes.obj, attributes.old
    if new is None:
        return
    if old is not None and dig_list(new, "metadata", "ownerReferences") != dig_list(old, "metadata", "ownerReferences"):
        raise attributes.forbid(f'node "{node}" is not allowed to modify ownerReferences')
    if old is not None and dig_list(new, "spec", "taints") != dig_list(old, "spec", "taints"):
        raise attributes.forbid(f'node "{node}" is not allowed to modify taints')
    refused = forbidden_labels(_labels(old), _labels(new))
    if refused:
        doing = "set" if old is None else "modify"
        raise attributes.forbid(f'node "{node}" is not allowed to {doing} the following labels: {", ".join(refused)}')


def check_lease(attributes: Attributes, node: str) -> None:
    if attributes.namespace != LEASES:
        raise attributes.forbid(f'can only access leases in the "{LEASES}" system namespace')
    if attributes.name != node:
        raise attributes.forbid("can only access node lease with the same name as the requesting node")


def check_csi_node(attributes: Attributes, node: str) -> None:
    if attributes.name != node:
        raise attributes.forbid("can only access CSINode with the same name as the requesting node")


def check_resource_slice(attributes: Attributes, node: str) -> None:
    if any(each is not None and dig(each, "spec", "nodeName") != node for each in (attributes.obj, attributes.old)):
        raise attributes.forbid("can only access ResourceSlice with the same NodeName as the requesting node")


def _labels(obj: Object | None) -> Mapping[str, str]:
    return dig_object(obj or {}, "metadata", "labels")
