"""Profiles: namespaces with owners and contributors, and the recycle bin of deleted ones."""

from windlass.apis.rbac_v1 import RoleBinding
from windlass.apis.security_istio_v1beta1 import AuthorizationPolicy
from windlass.controllers.context import Context
from windlass.controllers.profiles.labels_file import RECHECK, LabelsFile
from windlass.controllers.profiles.options import DEFAULTS, Options
from windlass.controllers.profiles.reconcile import controller
from windlass.controllers.profiles.recycle_bin import STOPS
from windlass.kube.controller import AnyController
from windlass.kube.kind import KINDS
from windlass.kube.meta import Object

WORKLOADS: tuple[type[Object], ...] = tuple(stop.kind for stop in STOPS)


def family_controllers(context: Context) -> tuple[AnyController, ...]:
    if context.is_embedded:
        return (controller(Options(labels=LabelsFile(), recheck_labels=RECHECK), WORKLOADS),)
    workloads = [kind for kind in WORKLOADS if KINDS.of(kind) in context.served or kind is RoleBinding]
    has_policies = KINDS.of(AuthorizationPolicy) in context.served
    options = Options(
        use_istio=has_policies,
        isolate_pods=bool(context.gateway_namespace),
        gateway_namespace=context.gateway_namespace,
        labels=LabelsFile(),
        recheck_labels=RECHECK,
    )
    return (controller(options, workloads),)


def controllers_of_all_configurations() -> tuple[AnyController, ...]:
    return (controller(DEFAULTS, WORKLOADS),)
