"""Profiles: namespaces with owners and contributors, and the recycle bin of deleted ones."""

from dataclasses import replace

from windlass.apis.rbac_v1 import RoleBinding
from windlass.apis.security_istio_v1beta1 import AuthorizationPolicy
from windlass.apps.profiles.controllers.labels_file import RECHECK, LabelsFile
from windlass.apps.profiles.controllers.reconcile import controller
from windlass.apps.profiles.controllers.recycle_bin import WORKLOADS
from windlass.apps.profiles.options import DEFAULTS, Options
from windlass.apps.volcano.kinds.batch import Job as VolcanoJob
from windlass.apps.volcano.kinds.bus import Command
from windlass.controllers.context import Context
from windlass.kube.controller import AnyController
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Object

__all__ = ["WORKLOADS", "app_controllers", "controllers_of_all_configurations"]


def app_controllers(context: Context) -> tuple[AnyController, ...]:
    if context.is_embedded:
        return (controller(Options(labels=LabelsFile(), recheck_labels=RECHECK), WORKLOADS),)
    workloads = [kind for kind in WORKLOADS if can_stop(kind, context.served)]
    has_policies = KINDS.of(AuthorizationPolicy) in context.served
    options = context.options_of(Options)
    options = replace(
        options,
        use_istio=has_policies,
        isolate_pods=bool(options.gateway_namespace),
        labels=LabelsFile(),
        recheck_labels=RECHECK,
    )
    return (controller(options, workloads),)


def can_stop(kind: type[Object], served: frozenset[Kind]) -> bool:
    """Whether a cluster serves what the recycle bin needs for objects of this kind."""
    needed = (kind, Command) if kind is VolcanoJob else (kind,)
    return kind is RoleBinding or all(KINDS.of(one) in served for one in needed)


def controllers_of_all_configurations() -> tuple[AnyController, ...]:
    return (controller(DEFAULTS, WORKLOADS),)
