"""Everything that keeps objects as they should be. `windlass manager` runs `CONTROLLERS`.

`EMBEDDED` are those that Kubernetes brings itself: against a cluster they must not run.
"""

from windlass.controllers.core import (
    cluster_role_aggregation,
    custom_resources,
    garbage_collector,
    namespaces,
    quotas,
    root_ca,
    service_accounts,
)
from windlass.kube.controller import AnyController

EMBEDDED: tuple[AnyController, ...] = (
    garbage_collector.CONTROLLER,
    namespaces.CONTROLLER,
    service_accounts.CONTROLLER,
    root_ca.CONTROLLER,
    custom_resources.CONTROLLER,
    cluster_role_aggregation.CONTROLLER,
    quotas.CONTROLLER,
)
EVERYWHERE: tuple[AnyController, ...] = ()

CONTROLLERS: tuple[AnyController, ...] = (*EMBEDDED, *EVERYWHERE)
