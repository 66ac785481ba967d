"""Profiles: namespaces with owners and contributors, and the recycle bin of deleted ones."""

from dataclasses import replace

from windlass.apis.rbac_v1 import RoleBinding
from windlass.apis.security_istio_v1beta1 import AuthorizationPolicy
from windlass.apis.stops import AnyStop, StopByActions
from windlass.apps import stops
from windlass.apps.profiles.controllers.labels_file import RECHECK, LabelsFile
from windlass.apps.profiles.controllers.reconcile import controller
from windlass.apps.profiles.options import DEFAULTS, Options
from windlass.controllers.context import Context
from windlass.kube.controller import AnyController
from windlass.kube.kind import KINDS, Kind

__all__ = ["app_controllers", "controllers_of_all_configurations"]


def app_controllers(context: Context) -> tuple[AnyController, ...]:
    if context.is_embedded:
        return (controller(Options(labels=LabelsFile(), recheck_labels=RECHECK), stops()),)
    has_policies = KINDS.of(AuthorizationPolicy) in context.served
    options = context.options_of(Options)
    options = replace(
        options,
        use_istio=has_policies,
        isolate_pods=bool(options.gateway_namespace),
        labels=LabelsFile(),
        recheck_labels=RECHECK,
    )
    return (controller(options, [stop for stop in stops() if can_stop(stop, context.served)]),)


def can_stop(stop: AnyStop, served: frozenset[Kind]) -> bool:
    """Whether a cluster serves what the recycle bin needs for objects of this kind."""
    needed = (stop.kind, *stop.creates) if isinstance(stop, StopByActions) else (stop.kind,)
    return stop.kind is RoleBinding or all(KINDS.of(kind) in served for kind in needed)


def controllers_of_all_configurations() -> tuple[AnyController, ...]:
    return (controller(DEFAULTS, stops()),)
