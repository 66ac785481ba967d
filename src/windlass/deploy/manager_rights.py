"""What the manager may do on a cluster: no more than its product families need."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, TypeAlias

from windlass.apis.batch_v1 import Job
from windlass.apis.core_v1 import Pod, Secret
from windlass.apis.family import Family
from windlass.kube.controller import Acting, AnyController, Controller
from windlass.kube.kind import KINDS, Kind
from windlass.kube.view import view
from windlass.webhooks.configuration import DEFINITION, MUTATING, VALIDATING, objects_with_ca

Object: TypeAlias = dict[str, Any]
Rights: TypeAlias = dict[tuple[str, str], set[str]]
"""By API group and resource, the verbs."""

LOOKED_AT = ("list", "watch")
"""What a cache needs."""
OF_JOBS = (*LOOKED_AT, "patch", "delete")
"""Restarts are counted on the job itself, and it goes by itself when its time is over."""
OF_CHILDREN = (*LOOKED_AT, "create", "patch", "delete")
"""A child is applied (patch, and create where there is none), and removed when it is wanted no more."""
LESS: Mapping[type, tuple[str, ...]] = {
    Pod: (*LOOKED_AT, "create", "delete"),
    Job: (*LOOKED_AT, "create", "patch"),
    Secret: (*LOOKED_AT, "create"),
}
"""Children of which some of that is never done."""


def cluster_rules(families: Sequence[Family]) -> list[Object]:
    """The rules of the ClusterRole: those of the families' controllers, and of the webhooks."""
    rights: Rights = defaultdict(set)
    rights["", "events"] |= {"create", "patch"}
    _allow(rights, DEFINITION, LOOKED_AT)  # to know when a kind that is not served comes to be
    for family in families:
        if family.controllers_declare_rights:
            _add_controllers(rights, import_module(family.controllers).controllers_of_every_configuration())
        for group, resource, verb in listed_rights(family):
            rights[group, resource].add(verb)
    return [*as_rules(rights), *webhook_rules(families)]


def listed_rights(family: Family) -> Iterator[tuple[str, str, str]]:
    """API group, resource and verb of each right that the family lists."""
    for group, resources in family.manager_rights.items():
        for names, verbs in resources.items():
            for name in names.split():
                yield from ((group, name, verb) for verb in verbs.split())


def _add_controllers(rights: Rights, controllers: Iterable[AnyController]) -> None:
    for each in controllers:
        if not isinstance(each, Controller | Acting):
            continue  # a service counts what the others see
        kind = KINDS.of(each.kind)
        _allow(rights, kind, OF_JOBS)
        _allow(rights, kind, ("patch",), "/status")
        _allow(rights, kind, ("update",), "/finalizers")  # to name it as an owner that waits, where that is guarded
        for source in each.owns:
            kind = view(source).kind
            _allow(rights, kind, LESS.get(kind.struct or object, OF_CHILDREN))
        for source, _ in each.watches:
            _allow(rights, view(source).kind, LOOKED_AT)


def _allow(rights: Rights, kind: Kind, verbs: Iterable[str], subresource: str = "") -> None:
    rights[kind.group, kind.plural + subresource] |= {*verbs}


def webhook_rules(families: Iterable[Family]) -> list[Object]:
    """The CA is written into objects of these names."""
    objects = objects_with_ca(families)
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
    """Where the certificate lies. A name cannot limit what is created."""
    return [
        {"apiGroups": [""], "resources": ["secrets"], "resourceNames": [secret], "verbs": ["get", "update"]},
        {"apiGroups": [""], "resources": ["secrets"], "verbs": ["create"]},
    ]


def lease_rules(name: str) -> list[Object]:
    """By which one of several leads."""
    lease: Object = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"]}
    return [
        {**lease, "resourceNames": [name], "verbs": ["get", "update"]},
        {**lease, "verbs": ["create"]},
    ]


def as_rules(rights: Mapping[tuple[str, str], set[str]]) -> list[Object]:
    """Resources of one group with the same verbs stand in one rule."""
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for (group, resource), verbs in sorted(rights.items()):
        alike[group, tuple(sorted(verbs))].append(resource)
    return [
        {"apiGroups": [group], "resources": resources, "verbs": list(verbs)}
        for (group, verbs), resources in sorted(alike.items())
    ]
