"""Everything that keeps objects as they should be. `windlass manager` runs `CONTROLLERS`.

`EMBEDDED` are those that Kubernetes brings itself: against a cluster they must not run.
"""

from windlass.controllers.core import (
    cluster_role_aggregation,
    cron_jobs,
    custom_resources,
    daemon_sets,
    deployments,
    disruption_budgets,
    endpoint_mirrors,
    endpoint_slices,
    endpoints,
    garbage_collector,
    horizontal_autoscalers,
    job_ends,
    jobs,
    namespaces,
    persistent_volumes,
    quotas,
    replica_sets,
    root_ca,
    service_accounts,
    stateful_sets,
    taint_eviction,
    volume_claims,
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
    endpoints.CONTROLLER,
    endpoints.LEFTOVERS,
    endpoint_slices.CONTROLLER,
    endpoint_mirrors.CONTROLLER,
    stateful_sets.CONTROLLER,
    daemon_sets.CONTROLLER,
    disruption_budgets.CONTROLLER,
    replica_sets.REPLICA_SETS,
    replica_sets.REPLICATION_CONTROLLERS,
    deployments.CONTROLLER,
    jobs.CONTROLLER,
    job_ends.EXPIRY,
    job_ends.RELEASE,
    cron_jobs.CONTROLLER,
    volume_claims.CONTROLLER,
    persistent_volumes.CONTROLLER,
    persistent_volumes.RECLAIM,
    persistent_volumes.VOLUME_PROTECTION,
    persistent_volumes.CLAIM_PROTECTION_CONTROLLER,
    persistent_volumes.FURNISHING,
    horizontal_autoscalers.CONTROLLER,
    taint_eviction.CONTROLLER,
    taint_eviction.DATES,
)
EVERYWHERE: tuple[AnyController, ...] = ()

CONTROLLERS: tuple[AnyController, ...] = (*EMBEDDED, *EVERYWHERE)
