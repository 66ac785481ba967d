"""Kubernetes' built-in kinds: names, defaults, validation and special behaviour.

`RESOURCES` is what the server serves before any CustomResourceDefinition. There is one module per group; the pod
template, which all workloads share, is in `pods.py` and the modules that it names.
"""

from windlass.apiserver.builtin import (
    addresses,
    admissionregistration,
    apps,
    autoscaling,
    batch,
    certificates,
    coordination,
    core,
    discovery,
    events,
    extensions,
    flowcontrol,
    gang_bindings,
    networking,
    policy,
    rbac,
    reviews,
    scheduling,
    storage,
)
from windlass.apiserver.builtin.registry import definition_name
from windlass.apiserver.resources import Resource

RESOURCES: tuple[Resource, ...] = (
    *core.RESOURCES,
    *extensions.RESOURCES,
    *apps.RESOURCES,
    *events.RESOURCES,
    *reviews.RESOURCES,
    *autoscaling.RESOURCES,
    *batch.RESOURCES,
    *certificates.RESOURCES,
    *networking.RESOURCES,
    *addresses.RESOURCES,
    *policy.RESOURCES,
    *rbac.RESOURCES,
    *storage.RESOURCES,
    *admissionregistration.RESOURCES,
    *scheduling.RESOURCES,
    *coordination.RESOURCES,
    *discovery.RESOURCES,
    *flowcontrol.RESOURCES,
)

LEGACY: tuple[Resource, ...] = reviews.LEGACY

OWN: tuple[Resource, ...] = gang_bindings.RESOURCES
"""Kinds that Windlass serves and Kubernetes does not have."""

__all__ = ["LEGACY", "OWN", "RESOURCES", "definition_name"]
