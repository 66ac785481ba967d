"""What the manager may do on a cluster: no more than its controllers declare that they see and make. Decides only."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any, TypeAlias

from windlass.apis.batch_v1 import Job
from windlass.apis.core_v1 import Pod, Secret
from windlass.apis.rbac_v1 import PolicyRule
from windlass.apis.training import exec_agent
from windlass.apis.training.options import Options
from windlass.cli.trainer_rules import trainer_rights
from windlass.cli.volcano_rules import volcano_rights
from windlass.controllers import training
from windlass.controllers.training.engine.gang import KUBE_BATCH, VOLCANO
from windlass.kube.controller import Acting, AnyController, Controller
from windlass.kube.kind import KINDS, Kind
from windlass.kube.view import view
from windlass.webhooks.keeping import DEFINITION, MUTATING, VALIDATING, trusting

Object: TypeAlias = dict[str, Any]
Rights: TypeAlias = dict[tuple[str, str], set[str]]
"""By API group and resource, the verbs."""

OTHER_SCHEDULER = "scheduler-plugins-scheduler"
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
HANDED_ON = (
    exec_agent.MAY_LOOK,
    exec_agent.may_exec_in(()),
    PolicyRule(verbs=["get"], api_groups=["apps"], resources=["statefulsets"]),
)
"""What launchers are given: nobody may give what he does not have."""


def cluster_rules(*, with_volcano: bool = False, with_trainer: bool = False) -> list[Object]:
    """The rules of the ClusterRole: those of the controllers, for every scheduler of gangs, and of the webhooks."""
    rights: Rights = defaultdict(set)
    for scheduler in ("", VOLCANO, KUBE_BATCH, OTHER_SCHEDULER):
        _add_controllers(rights, training.controllers(Options(gang_scheduler=scheduler)))
    rights["", "events"] |= {"create", "patch"}
    for rule in HANDED_ON:
        for group, resource in product(rule.api_groups, rule.resources):
            rights[group, resource] |= {*rule.verbs}
    more = (*(volcano_rights() if with_volcano else ()), *(trainer_rights() if with_trainer else ()))
    for group, resource, verb in more:
        rights[group, resource].add(verb)
    return [*as_rules(rights), *webhook_rules(with_volcano=with_volcano, with_trainer=with_trainer)]


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


def webhook_rules(*, with_volcano: bool = False, with_trainer: bool = False) -> list[Object]:
    """The CA is written into objects of these names."""
    those = trusting(with_volcano=with_volcano, with_trainer=with_trainer)
    return [_named(kind, [name for each, name in those if each == kind]) for kind in (VALIDATING, MUTATING, DEFINITION)]


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
