"""Prevention of privilege escalation when roles and bindings are written.

The author of a role must hold all its rules already, or be allowed to `escalate` it. The author of a binding must hold
all rules that it grants, or be allowed to `bind` the role. `system:masters` is exempt.
"""

from collections.abc import Iterable

from windlass.apis.wellknown import RBAC_GROUP
from windlass.apiserver.auth.attributes import Attributes, forbidden_resource, quoted, quoted_list
from windlass.apiserver.auth.rbac import Rbac
from windlass.apiserver.auth.rules import ALL, Rule, compile_rules, missing
from windlass.apiserver.auth.user import MASTERS, User
from windlass.kube.errors import NotFound
from windlass.kube.json import Object, dig, dig_list

GROUP = RBAC_GROUP
EVERYTHING = (Rule((ALL,), (ALL,), (ALL,)), Rule((ALL,), paths=(ALL,)))


def check_escalation(rbac: Rbac, user: User, resource: str, new: Object, old: Object | None = None) -> None:
    """Raise Forbidden if `user` would gain permissions by writing `new` (over `old`); `resource` is the plural."""
    if MASTERS in user.groups:
        return
    if resource in ("roles", "clusterroles"):
        _check_role(rbac, user, resource, new, old or {})
    elif resource in ("rolebindings", "clusterrolebindings"):
        _check_binding(rbac, user, resource, new, old or {})


def _check_role(rbac: Rbac, user: User, resource: str, new: Object, old: Object) -> None:
    namespace, name = _key(new)
    same_rules = dig_list(new, "rules") == dig_list(old, "rules")
    if old and same_rules and new.get("aggregationRule") == old.get("aggregationRule"):
        return
    verb = Attributes("escalate", GROUP, resource, "", namespace, name)
    if rbac.allowed(user, verb).allowed:
        return
    if new.get("aggregationRule") or old.get("aggregationRule"):
        _check_aggregation(rbac, user, resource, name)
    rules = compile_rules(dig_list(new, "rules"))
    _check_rules(rbac, user, namespace, rules, resource, name)


def _check_aggregation(rbac: Rbac, user: User, resource: str, name: str) -> None:
    """Check an aggregated role: it may gain any rules later, so its author must be allowed to do everything."""
    if missing(rbac.rules_for(user), EVERYTHING):
        why = "must have cluster-admin privileges to use an aggregationRule"
        raise forbidden_resource(resource, GROUP, name, why)


def _check_binding(rbac: Rbac, user: User, resource: str, new: Object, old: Object) -> None:
    namespace, name = _key(new)
    if old and new.get("roleRef") == old.get("roleRef") and dig_list(new, "subjects") == dig_list(old, "subjects"):
        return
    kind, role = str(dig(new, "roleRef", "kind") or ""), str(dig(new, "roleRef", "name") or "")
    roles = "clusterroles" if kind == "ClusterRole" else "roles"
    if rbac.allowed(user, Attributes("bind", GROUP, roles, "", namespace, role)).allowed:
        return
    rules = rbac.role_rules(kind, namespace, role)
    if rules is None:
        raise NotFound(f"{roles}.{GROUP} {quoted(role)} not found", kind=roles, group=GROUP, name=role)
    _check_rules(rbac, user, namespace, rules, resource, name)


def _check_rules(rbac: Rbac, user: User, namespace: str, rules: Iterable[Rule], resource: str, name: str) -> None:
    lacking = missing(rbac.rules_for(user, namespace), rules)
    if not lacking:
        return
    listed = "\n".join(sorted({rule.text() for rule in lacking}))
    who = f"user {quoted(user.name)} (groups={quoted_list(user.groups)})"
    why = f"{who} is attempting to grant RBAC permissions not currently held:\n{listed}"
    raise forbidden_resource(resource, GROUP, name, why)


def _key(obj: Object) -> tuple[str, str]:
    return str(dig(obj, "metadata", "namespace") or ""), str(dig(obj, "metadata", "name") or "")
