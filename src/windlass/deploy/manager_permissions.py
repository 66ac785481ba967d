"""The RBAC rules of the manager on a cluster: no more than its apps need."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, TypeAlias

from windlass.apis.app import App
from windlass.apis.batch_v1 import Job
from windlass.apis.core_v1 import Pod, Secret
from windlass.apis.stops import StopByActions
from windlass.apis.wellknown import RBAC_GROUP
from windlass.apiserver.auth.kubeflow import LEVELS
from windlass.apps import stops
from windlass.kube.controller import Acting, AnyController, Controller
from windlass.kube.kind import KINDS, Kind
from windlass.kube.view import view
from windlass.webhooks.configuration import DEFINITION, MUTATING, VALIDATING, objects_with_ca

Object: TypeAlias = dict[str, Any]
Permissions: TypeAlias = dict[tuple[str, str], set[str]]
"""Verbs by API group and resource."""

READ_VERBS = ("list", "watch")
"""What a cache needs."""
JOB_VERBS = (*READ_VERBS, "patch", "delete")
"""Restarts are counted on the job itself, and it is deleted when its TTL expires."""
CHILD_VERBS = (*READ_VERBS, "create", "patch", "delete")
"""A child is applied (patch, and create if it does not exist), and deleted when it is no longer desired."""
REDUCED_CHILD_VERBS: Mapping[type, tuple[str, ...]] = {
    Pod: (*READ_VERBS, "create", "delete"),
    Job: (*READ_VERBS, "create", "patch"),
    Secret: (*READ_VERBS, "create"),
}
"""Children that need fewer verbs."""


def cluster_rules(apps: Sequence[App]) -> list[Object]:
    """The rules of the ClusterRole, for the apps' controllers and for the webhooks."""
    permissions: Permissions = defaultdict(set)
    permissions["", "events"] |= {"create", "patch"}
    _allow(permissions, DEFINITION, READ_VERBS)  # to know when a kind that is not served comes to be
    for app in apps:
        if app.controllers_declare_rights:
            _add_controllers(permissions, import_module(app.controllers).controllers_of_all_configurations())
        if app.stops_all_apps:
            _add_stops(permissions)
        for group, resource, verb in listed_permissions(app):
            permissions[group, resource].add(verb)
    return [*as_rules(permissions), *webhook_rules(apps)]


def listed_permissions(app: App) -> Iterator[tuple[str, str, str]]:
    """API group, resource and verb of each permission that the app lists."""
    for group, resources in app.manager_rights.items():
        for names, verbs in resources.items():
            for name in names.split():
                yield from ((group, name, verb) for verb in verbs.split())


def _add_controllers(permissions: Permissions, controllers: Iterable[AnyController]) -> None:
    for each in controllers:
        if not isinstance(each, Controller | Acting):
            continue  # a service counts what the others see
        kind = KINDS.of(each.kind)
        _allow(permissions, kind, JOB_VERBS)
        _allow(permissions, kind, ("patch",), "/status")
        _allow(
            permissions, kind, ("update",), "/finalizers"
        )  # to name it as an owner that waits, where that is guarded
        for source in each.owns:
            kind = view(source).kind
            _allow(permissions, kind, REDUCED_CHILD_VERBS.get(kind.struct or object, CHILD_VERBS))
        for source, _ in each.watches:
            _allow(permissions, view(source).kind, READ_VERBS)


def _add_stops(permissions: Permissions) -> None:
    for stop in stops():
        _allow(permissions, KINDS.of(stop.kind), ("patch",))
        for created in stop.creates if isinstance(stop, StopByActions) else ():
            _allow(permissions, KINDS.of(created), ("create",))


def _allow(permissions: Permissions, kind: Kind, verbs: Iterable[str], subresource: str = "") -> None:
    permissions[kind.group, kind.plural + subresource] |= {*verbs}


def binding_rules(apps: Iterable[App]) -> list[Object]:
    """Permission to bind users to Kubeflow's roles, and to no others."""
    if not any(app.gives_namespaces for app in apps):
        return []
    names = [f"kubeflow-{level}" for level in LEVELS]
    return [{"apiGroups": [RBAC_GROUP], "resources": ["clusterroles"], "resourceNames": names, "verbs": ["bind"]}]


def webhook_rules(apps: Iterable[App]) -> list[Object]:
    """Permission to write the CA into the objects of these names."""
    objects = objects_with_ca(apps)
    named = {kind: [name for each, name in objects if each == kind] for kind in (VALIDATING, MUTATING, DEFINITION)}
    return [_named(kind, names) for kind, names in named.items() if names]


def _named(kind: Kind, names: Sequence[str]) -> Object:
    return {
        "apiGroups": [kind.group],
        "resources": [kind.plural],
        "resourceNames": sorted(names),
        "verbs": ["get", "patch"],
    }


def secret_rules(secret: str) -> list[Object]:
    """Permission for the Secret of the certificate. A rule cannot limit the names of created objects."""
    return [
        {"apiGroups": [""], "resources": ["secrets"], "resourceNames": [secret], "verbs": ["get", "update"]},
        {"apiGroups": [""], "resources": ["secrets"], "verbs": ["create"]},
    ]


def lease_rules(name: str) -> list[Object]:
    """Permission for leader election."""
    lease: Object = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"]}
    return [
        {**lease, "resourceNames": [name], "verbs": ["get", "update"]},
        {**lease, "verbs": ["create"]},
    ]


def as_rules(permissions: Mapping[tuple[str, str], set[str]]) -> list[Object]:
    """Group resources that have the same API group and verbs into one rule."""
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for (group, resource), verbs in sorted(permissions.items()):
        alike[group, tuple(sorted(verbs))].append(resource)
    return [
        {"apiGroups": [group], "resources": resources, "verbs": list(verbs)}
        for (group, verbs), resources in sorted(alike.items())
    ]
