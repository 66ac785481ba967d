"""Small RBAC objects and a fixed world of objects to look tokens up in."""

from windlass.kube.json import Object


def a_rule(verbs: str, resources: str = "", groups: str = "", names: str = "", paths: str = "") -> Object:
    rule: Object = {"verbs": verbs.split()}
    if resources:
        rule |= {
            "resources": resources.split(),
            "apiGroups": [g if g != "core" else "" for g in groups.split()] or [""],
        }
    if names:
        rule["resourceNames"] = names.split()
    if paths:
        rule["nonResourceURLs"] = paths.split()
    return rule


def a_role(name: str, *rules: Object, namespace: str = "", labels: dict[str, str] | None = None) -> Object:
    meta: Object = {"name": name}
    if namespace:
        meta["namespace"] = namespace
    if labels:
        meta["labels"] = labels
    return {"metadata": meta, "rules": list(rules)}


def a_binding(name: str, role: str, *subjects: str, namespace: str = "", kind: str = "ClusterRole") -> Object:
    """Subjects read `User:jane`, `Group:devs` or `ServiceAccount:ns/name`."""
    meta: Object = {"name": name}
    if namespace:
        meta["namespace"] = namespace
    return {
        "metadata": meta,
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": role},
        "subjects": [a_subject(subject) for subject in subjects],
    }


def a_subject(text: str) -> Object:
    kind, _, name = text.partition(":")
    if kind != "ServiceAccount":
        return {"kind": kind, "name": name, "apiGroup": "rbac.authorization.k8s.io"}
    namespace, slash, account = name.partition("/")
    return {"kind": kind, "name": account, "namespace": namespace} if slash else {"kind": kind, "name": name}


class World:
    """What `get` finds: add objects, remove them."""

    def __init__(self) -> None:
        self.objects: dict[tuple[str, str, str], Object] = {}

    def add(self, resource: str, namespace: str, name: str, uid: str, **more: object) -> Object:
        obj: Object = {"metadata": {"name": name, "namespace": namespace, "uid": uid}, **more}
        self.objects[resource, namespace, name] = obj
        return obj

    def remove(self, resource: str, namespace: str, name: str) -> None:
        del self.objects[resource, namespace, name]

    def get(self, resource: str, namespace: str, name: str) -> Object | None:
        return self.objects.get((resource, namespace, name))
