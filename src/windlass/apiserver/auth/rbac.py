"""Role-based access control: a pure evaluator over Role, ClusterRole and binding objects.

Load it with `rebuild` (everything) or `put`/`remove` (one object), and call `allowed`. A decision is cached per user
and request until any rule changes, without the object's name unless a rule with resourceNames could apply, so reading
ten thousand pods costs one evaluation. `system:masters` may do everything.
"""

from collections.abc import Iterable, Iterator

import msgspec

from windlass.apiserver.auth.attributes import Attributes, Decision, quoted
from windlass.apiserver.auth.rules import Rule, compile_rules
from windlass.apiserver.auth.user import MASTERS, User, service_account_name
from windlass.kube.json import Object, dig, dig_list, is_object

KINDS = ("ClusterRole", "Role", "ClusterRoleBinding", "RoleBinding")
MEMO_LIMIT = 16_384
"""Maximum number of cached decisions over all users; beyond it memory matters more than the microseconds saved."""

ALLOWED_MASTERS = Decision(True)
Key = tuple[str, str]
_RequestKey = tuple[str, str, str, str, str, str]


class Binding(msgspec.Struct, frozen=True):
    """One subject of one binding: its role, and the message that explains why a request is allowed."""

    role: tuple[str, str, str]
    """(kind, namespace, name); the namespace of a ClusterRole is empty."""
    namespace: str
    """Where the binding applies; empty for the whole cluster."""
    reason: str


class Grant(msgspec.Struct, frozen=True):
    """A rule that a user holds, and its origin."""

    rule: Rule
    reason: str


class _Known:
    """Cached data of one user."""

    __slots__ = ("decisions", "grants", "masters", "named")

    def __init__(self, user: User) -> None:
        self.masters = MASTERS in user.groups
        self.grants: dict[str, tuple[list[Grant], str]] = {}
        self.decisions: dict[_RequestKey, Decision | None] = {}
        self.named: dict[Attributes, Decision] = {}


class Rbac:
    """The rules of a server. Not thread-safe: used on the server's event loop only."""

    def __init__(self) -> None:
        self._rules: dict[tuple[str, str, str], tuple[Rule, ...]] = {}
        self._bound: dict[tuple[str, str, str], list[tuple[str, str, Binding]]] = {}
        self._index: dict[tuple[str, str], list[Binding]] | None = None
        self._users: dict[User, _Known] = {}
        self._remembered = 0
        self.generation = 0

    def rebuild(
        self,
        cluster_roles: Iterable[Object],
        roles: Iterable[Object],
        cluster_role_bindings: Iterable[Object],
        role_bindings: Iterable[Object],
    ) -> None:
        """Replace all rules by those of these objects."""
        self._rules.clear()
        self._bound.clear()
        for kind, objects in zip(KINDS, (cluster_roles, roles, cluster_role_bindings, role_bindings), strict=True):
            for obj in objects:
                self._put(kind, obj)
        self._changed()

    def put(self, kind: str, obj: Object) -> None:
        """Add or replace one object of one of `KINDS`."""
        self._put(kind, obj)
        self._changed()

    def remove(self, kind: str, namespace: str, name: str) -> None:
        key = (kind, namespace, name)
        self._rules.pop(key, None)
        self._bound.pop(key, None)
        self._changed()

    def allowed(self, user: User, attributes: Attributes, /) -> Decision:
        known = self._users.get(user)
        if known is None:
            known = self._users[user] = _Known(user)
            self._remember()
        if known.masters:
            return ALLOWED_MASTERS
        a = attributes
        key = (a.verb, a.group, a.resource, a.subresource, a.namespace, a.path)
        decision = known.decisions.get(key, _UNKNOWN)
        if decision is _UNKNOWN:
            decision = known.decisions[key] = self._decide(known, user, a)
            self._remember()
        if decision is not None:
            return decision
        found = known.named.get(a)
        if found is None:
            found = known.named[a] = self._evaluate(known, user, a)
            self._remember()
        return found

    def rules_for(self, user: User, namespace: str = "") -> list[Rule]:
        """Return every rule that `user` holds in `namespace`; only cluster-wide rules if it is empty."""
        known = self._users.get(user) or _Known(user)
        return [grant.rule for grant in self._grants(known, user, namespace)[0]]

    def role_rules(self, kind: str, namespace: str, name: str) -> tuple[Rule, ...] | None:
        """Return the rules of a role, or None if it does not exist."""
        return self._rules.get((kind, "" if kind == "ClusterRole" else namespace, name))

    def _decide(self, known: _Known, user: User, asked: Attributes) -> Decision | None:
        """A decision that holds for every object name, or None if it depends on the name."""
        grants, errors = self._grants(known, user, asked.namespace)
        by_name = False
        for grant in grants:
            if grant.rule.allows_any_name(asked):
                if asked.resource and grant.rule.names:
                    by_name = True
                elif not by_name:
                    return Decision(True, grant.reason)
        return None if by_name else Decision(False, errors)

    def _evaluate(self, known: _Known, user: User, asked: Attributes) -> Decision:
        grants, errors = self._grants(known, user, asked.namespace)
        for grant in grants:
            if grant.rule.allows(asked):
                return Decision(True, grant.reason)
        return Decision(False, errors)

    def _grants(self, known: _Known, user: User, namespace: str) -> tuple[list[Grant], str]:
        found = known.grants.get(namespace)
        if found is None:
            found = known.grants[namespace] = self._collect(user, namespace)
            self._remember()
        return found

    def _collect(self, user: User, namespace: str) -> tuple[list[Grant], str]:
        grants: list[Grant] = []
        errors: dict[str, None] = {}
        for binding in self._bindings_of(user, namespace):
            rules = self._rules.get(binding.role)
            if rules is None:
                kind, _, name = binding.role
                errors[f"{kind.lower()}.rbac.authorization.k8s.io {quoted(name)} not found"] = None
                continue
            grants.extend(Grant(rule, binding.reason) for rule in rules)
        texts = list(errors)
        if not texts:
            return grants, ""
        return grants, f"RBAC: {texts[0] if len(texts) == 1 else '[' + ', '.join(texts) + ']'}"

    def _bindings_of(self, user: User, namespace: str) -> Iterator[Binding]:
        """Yield cluster-wide bindings first, as Kubernetes does, then those of the namespace."""
        index = self._index
        if index is None:
            index = self._index = self._indexed()
        subjects = [("User", user.name), *(("Group", group) for group in user.groups)]
        found = [binding for subject in subjects for binding in index.get(subject, ())]
        yield from (binding for binding in found if not binding.namespace)
        if namespace:
            yield from (binding for binding in found if binding.namespace == namespace)

    def _indexed(self) -> dict[tuple[str, str], list[Binding]]:
        index: dict[tuple[str, str], list[Binding]] = {}
        for bound in self._bound.values():
            for kind, name, binding in bound:
                index.setdefault((kind, name), []).append(binding)
        return index

    def _put(self, kind: str, obj: Object) -> None:
        namespace, name = str(dig(obj, "metadata", "namespace") or ""), str(dig(obj, "metadata", "name") or "")
        if kind in ("ClusterRole", "Role"):
            self._rules[kind, namespace, name] = compile_rules(dig_list(obj, "rules"))
        else:
            self._bound[kind, namespace, name] = list(_subjects(kind, namespace, name, obj))

    def _changed(self) -> None:
        self.generation += 1
        self._index = None
        self._users.clear()
        self._remembered = 0

    def _remember(self) -> None:
        self._remembered += 1
        if self._remembered > MEMO_LIMIT:
            self._users.clear()
            self._remembered = 0


_UNKNOWN = Decision(False, "not looked up yet")


def _subjects(kind: str, namespace: str, name: str, binding: Object) -> Iterator[tuple[str, str, Binding]]:
    """Yield (subject kind, subject name, binding), with service accounts as their user names."""
    role_kind, role_name = str(dig(binding, "roleRef", "kind") or ""), str(dig(binding, "roleRef", "name") or "")
    role = (role_kind, "" if role_kind == "ClusterRole" else namespace, role_name)
    title = f"{name}/{namespace}" if kind == "RoleBinding" else name
    for subject in dig_list(binding, "subjects"):
        if not is_object(subject):
            continue
        who_kind, who = str(subject.get("kind") or ""), str(subject.get("name") or "")
        shown = who
        if who_kind == "ServiceAccount":
            home = str(subject.get("namespace") or namespace)
            shown, who = f"{who}/{home}", service_account_name(home, who)
        reason = (
            f"RBAC: allowed by {kind} {quoted(title)} of {role_kind} {quoted(role_name)} to {who_kind} {quoted(shown)}"
        )
        subject_kind = "User" if who_kind == "ServiceAccount" else who_kind
        yield subject_kind, who, Binding(role, namespace, reason)
