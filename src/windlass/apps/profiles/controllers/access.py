"""Who may do what in a profile's namespace: RoleBindings, and the policies by which the gateway admits them."""

from collections.abc import Iterable
from dataclasses import dataclass

from windlass.apis.istio.mesh import INGRESS_PRINCIPAL, NOTEBOOK_CONTROLLER_PRINCIPAL, PIPELINES_PAGE_PRINCIPAL
from windlass.apis.rbac_v1 import RoleBinding, RoleRef, Subject
from windlass.apis.security_istio_v1beta1 import (
    AuthorizationPolicy,
    AuthorizationPolicySpec,
    Condition,
    Operation,
    Rule,
    RuleFrom,
    RuleTo,
    Source,
)
from windlass.apis.wellknown import RBAC_GROUP
from windlass.apps.profiles.kinds import Profile
from windlass.apps.profiles.names import (
    ADMIN_BINDING,
    CONTRIBUTORS,
    FROM_ANNOTATION_LABEL,
    OWNER_POLICY,
    ROLE_ANNOTATION,
    ROLES,
    USER_ANNOTATION,
    USER_KINDS,
    binding_name,
    cluster_role,
    unique_binding_name,
)
from windlass.apps.profiles.options import Options
from windlass.kube.json import is_object, parse
from windlass.kube.meta import ObjectMeta

_ENTERING = ("admin", "edit")
"""Roles that may enter notebooks. A viewer who could would run code as the namespace's default-editor."""


@dataclass(frozen=True, order=True)
class Contributor:
    kind: str
    name: str
    role: str


def subject(kind: str, name: str, namespace: str = "") -> Subject:
    if kind == "ServiceAccount":
        return Subject(kind=kind, name=name, namespace=namespace)
    return Subject(kind=kind, name=name, api_group=RBAC_GROUP)


def role_binding(
    namespace: str, name: str, role: str, holder: Subject, annotations: dict[str, str], labels: dict[str, str]
) -> RoleBinding:
    return RoleBinding(
        metadata=ObjectMeta(name=name, namespace=namespace, annotations=annotations, labels=labels),
        role_ref=RoleRef(api_group=RBAC_GROUP, kind="ClusterRole", name=cluster_role(role)),
        subjects=[holder],
    )


def account_binding(namespace: str, account: str, role: str) -> RoleBinding:
    return role_binding(namespace, account, role, subject("ServiceAccount", account, namespace), {}, {})


def admin_binding(profile: Profile) -> RoleBinding:
    owner = profile.spec.owner
    assert owner is not None
    annotations = {USER_ANNOTATION: owner.name, ROLE_ANNOTATION: "admin"}
    holder = subject(owner.kind, owner.name, owner.namespace)
    return role_binding(profile.metadata.name, ADMIN_BINDING, "admin", holder, annotations, {})


# --- contributors


def contributors(profile: Profile) -> tuple[list[Contributor], str]:
    """The contributors of the annotation, and why an entry is ignored (empty if none is)."""
    text = profile.metadata.annotations.get(CONTRIBUTORS)
    if not text:
        return [], ""
    try:
        entries = parse(text)
    except ValueError:
        return [], f"the annotation {CONTRIBUTORS} is not JSON"
    if not isinstance(entries, list):
        return [], f"the annotation {CONTRIBUTORS} is not a list"
    found: dict[tuple[str, str], Contributor] = {}
    problem = ""
    for entry in entries:  # pyright: ignore[reportUnknownVariableType]
        contributor = _contributor(entry)
        if contributor is None:
            problem = f"the annotation {CONTRIBUTORS} has an entry that is not {{kind, name, role}}: {entry!r}"
        else:
            found[contributor.kind, contributor.name] = contributor
    return sorted(found.values()), problem


def _contributor(entry: object) -> Contributor | None:
    if isinstance(entry, str):
        return Contributor("User", entry, "edit") if entry else None
    if not is_object(entry):
        return None
    kind, name, role = entry.get("kind", "User"), entry.get("name"), entry.get("role", "edit")
    is_known = kind in USER_KINDS[:2] and role in ROLES and isinstance(name, str) and bool(name)
    return Contributor(str(kind), str(name), str(role)) if is_known else None


def contributor_bindings(profile: Profile, existing: Iterable[RoleBinding]) -> list[RoleBinding]:
    """The bindings of the annotation's contributors. A name that another user has gets a hash."""
    namespace, wanted = profile.metadata.name, contributors(profile)[0]
    taken = {binding.metadata.name: _holder(binding) for binding in existing}
    bindings: list[RoleBinding] = []
    for contributor in wanted:
        plain = binding_name(contributor.kind, contributor.name, contributor.role)
        holder = subject(contributor.kind, contributor.name)
        is_free = taken.get(plain) in (None, _key(holder))
        name = plain if is_free else unique_binding_name(contributor.kind, contributor.name, contributor.role)
        taken[name] = _key(holder)
        annotations = {USER_ANNOTATION: contributor.name, ROLE_ANNOTATION: contributor.role}
        labels = {FROM_ANNOTATION_LABEL: namespace}
        bindings.append(role_binding(namespace, name, contributor.role, holder, annotations, labels))
    return bindings


def _key(holder: Subject) -> tuple[str, str]:
    return holder.kind, holder.name


def _holder(binding: RoleBinding) -> tuple[str, str]:
    return _key(binding.subjects[0]) if len(binding.subjects) == 1 else ("", "")


# --- policies of the gateway


def owner_policy(profile: Profile, options: Options) -> AuthorizationPolicy:
    owner, namespace = profile.spec.owner, profile.metadata.name
    assert owner is not None
    rules = [
        _entering(subject(owner.kind, owner.name, owner.namespace), options),
        Rule(when=[Condition(key="source.namespace", values=[namespace])]),
        Rule(to=[RuleTo(operation=Operation(paths=["/healthz", "/metrics", "/wait-for-drain"]))]),
        Rule(
            from_=[RuleFrom(source=Source(principals=[NOTEBOOK_CONTROLLER_PRINCIPAL]))],
            to=[RuleTo(operation=Operation(methods=["GET"], paths=["*/api/kernels"]))],
        ),
    ]
    return _policy(namespace, OWNER_POLICY, owner.name, "admin", rules)


def contributor_policies(
    namespace: str, bindings: Iterable[RoleBinding], options: Options
) -> list[AuthorizationPolicy]:
    """A policy for each binding that kfam or the annotation made, named as the binding."""
    return [
        _policy(
            namespace,
            binding.metadata.name,
            binding.subjects[0].name,
            binding.metadata.annotations[ROLE_ANNOTATION],
            [_entering(binding.subjects[0], options)],
        )
        for binding in bindings
        if is_contributor(binding) and binding.role_ref.name in map(cluster_role, _ENTERING)
    ]


def is_contributor(binding: RoleBinding) -> bool:
    """Whether kfam lists the binding: it has its annotations and one subject."""
    annotations = binding.metadata.annotations
    return (
        binding.metadata.name != ADMIN_BINDING
        and USER_ANNOTATION in annotations
        and annotations.get(ROLE_ANNOTATION) in ROLES
        and len(binding.subjects) == 1
        and binding.role_ref.kind == "ClusterRole"
    )


def _entering(holder: Subject, options: Options) -> Rule:
    """Requests of the holder that come through the gateway."""
    if holder.kind == "Group":  # the header lists all groups of the user
        name = holder.name
        condition = Condition(key=f"request.headers[{options.groups_header}]", values=[name, f"{name},*", f"*,{name}"])
    else:
        service_account = f"system:serviceaccount:{holder.namespace}:{holder.name}"
        user = service_account if holder.kind == "ServiceAccount" else holder.name
        condition = Condition(key=f"request.headers[{options.user_header}]", values=[user])
    return Rule(
        from_=[RuleFrom(source=Source(principals=[*_gateways(options), PIPELINES_PAGE_PRINCIPAL]))], when=[condition]
    )


def _gateways(options: Options) -> list[str]:
    """The identities that a mesh knows the gateway by."""
    own = f"cluster.local/ns/{options.gateway_namespace}/sa/windlass-gateway"
    return [INGRESS_PRINCIPAL, *([own] if options.gateway_namespace else [])]


def _policy(namespace: str, name: str, user: str, role: str, rules: list[Rule]) -> AuthorizationPolicy:
    annotations = {USER_ANNOTATION: user, ROLE_ANNOTATION: role}
    return AuthorizationPolicy(
        metadata=ObjectMeta(name=name, namespace=namespace, annotations=annotations),
        spec=AuthorizationPolicySpec(rules=rules),
    )
