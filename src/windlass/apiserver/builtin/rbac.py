"""The group `rbac.authorization.k8s.io`: roles and their bindings."""

from functools import partial
from typing import ClassVar

from windlass.apis.wellknown import RBAC_GROUP
from windlass.apiserver.builtin.fields import Causes, check_each, check_label_selector, check_subdomain, unsupported
from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Plain
from windlass.kube import names
from windlass.kube.errors import Cause, invalid, required
from windlass.kube.json import Object, dig_list, dig_object

GROUP = RBAC_GROUP


class _Rbac(Plain):
    allows_create_on_update = True
    namespaced: ClassVar[bool] = True

    def validate_name(self, name: str) -> list[str]:
        return names.path_segment_errors(name)


class Roles(_Rbac):
    def validate(self, obj: Object) -> list[Cause]:
        causes: Causes = []
        for index, rule in enumerate(dig_list(obj, "rules")):
            _check_rule(f"rules[{index}]", rule, causes, namespaced=self.namespaced)
        return causes


class ClusterRoles(Roles):
    namespaced = False

    def validate(self, obj: Object) -> list[Cause]:
        causes = super().validate(obj)
        aggregation = obj.get("aggregationRule")
        if aggregation is None:
            return causes
        selectors = dig_list(aggregation, "clusterRoleSelectors")
        if not selectors:
            why = "at least one clusterRoleSelector required if aggregationRule is non-nil"
            causes.append(required("aggregationRule.clusterRoleSelectors", why))
        for index, selector in enumerate(selectors):
            check_label_selector(f"aggregationRule.clusterRoleSelectors[{index}]", selector, causes)
        return causes


def _check_rule(path: str, rule: Object, causes: Causes, *, namespaced: bool) -> None:
    if not rule.get("verbs"):
        causes.append(required(f"{path}.verbs", "verbs must contain at least one value"))
    urls = rule.get("nonResourceURLs")
    if urls:
        if namespaced:
            why = "namespaced rules cannot apply to non-resource URLs"
            causes.append(invalid(f"{path}.nonResourceURLs", urls, why))
        if rule.get("apiGroups") or rule.get("resources") or rule.get("resourceNames"):
            why = "rules cannot apply to both regular resources and non-resource URLs"
            causes.append(invalid(f"{path}.nonResourceURLs", urls, why))
        return
    if not rule.get("apiGroups"):
        causes.append(required(f"{path}.apiGroups", "resource rules must supply at least one api group"))
    if not rule.get("resources"):
        causes.append(required(f"{path}.resources", "resource rules must supply at least one resource"))


class RoleBindings(_Rbac):
    role_kinds: ClassVar[tuple[str, ...]] = ("Role", "ClusterRole")

    def default(self, obj: Object) -> None:
        role: Object = obj.setdefault("roleRef", {})
        if not role.get("apiGroup"):
            role["apiGroup"] = GROUP
        for subject in dig_list(obj, "subjects"):
            if not subject.get("apiGroup") and subject.get("kind") in ("User", "Group"):
                subject["apiGroup"] = GROUP

    def validate(self, obj: Object) -> list[Cause]:
        causes: Causes = []
        role = dig_object(obj, "roleRef")
        if role.get("apiGroup") != GROUP:
            causes.append(unsupported("roleRef.apiGroup", role.get("apiGroup", ""), (GROUP,)))
        if role.get("kind") not in self.role_kinds:
            causes.append(unsupported("roleRef.kind", role.get("kind", ""), self.role_kinds))
        name = role.get("name")
        if not name:
            causes.append(required("roleRef.name"))
        else:
            check_each("roleRef.name", name, names.path_segment_errors(name), causes)
        for index, subject in enumerate(dig_list(obj, "subjects")):
            _check_subject(f"subjects[{index}]", subject, causes, namespaced=self.namespaced)
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        if new.get("roleRef") == old.get("roleRef"):
            return []
        return [invalid("roleRef", new.get("roleRef"), "cannot change roleRef")]


class ClusterRoleBindings(RoleBindings):
    namespaced = False
    role_kinds = ("ClusterRole",)


def _check_subject(path: str, subject: Object, causes: Causes, *, namespaced: bool) -> None:
    name, kind, group = subject.get("name"), subject.get("kind", ""), subject.get("apiGroup", "")
    if not name:
        causes.append(required(f"{path}.name"))
    if kind == "ServiceAccount":
        if name:
            check_subdomain(f"{path}.name", name, causes)
        if group:
            causes.append(unsupported(f"{path}.apiGroup", group, ("",)))
        if not namespaced and not subject.get("namespace"):
            causes.append(required(f"{path}.namespace"))
    elif kind in ("User", "Group"):
        if group != GROUP:
            causes.append(unsupported(f"{path}.apiGroup", group, (GROUP,)))
    else:
        causes.append(unsupported(f"{path}.kind", kind, ("ServiceAccount", "User", "Group")))


_rbac = partial(resource, GROUP, "v1")

RESOURCES = (
    _rbac("ClusterRoleBinding", "clusterrolebindings", namespaced=False, strategy=ClusterRoleBindings),
    _rbac("ClusterRole", "clusterroles", namespaced=False, strategy=ClusterRoles),
    _rbac("RoleBinding", "rolebindings", namespaced=True, strategy=RoleBindings),
    _rbac("Role", "roles", namespaced=True, strategy=Roles),
)
