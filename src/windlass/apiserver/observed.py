"""Statuses that only confirm that an object was processed: clients wait for them."""

from windlass.apiserver.api import Api
from windlass.apiserver.internal import modify, resource_of
from windlass.kube.json import Object, dig, dig_list, dig_object, timestamp

POLICIES = "admissionregistration.k8s.io/validatingadmissionpolicies"
SERVICE_CIDRS = "networking.k8s.io/servicecidrs"


async def observe_policy(api: Api, policy: Object) -> None:
    """Record the observed generation of an admission policy; its expressions were compiled before."""
    generation = policy["metadata"].get("generation")
    if dig(policy, "status", "observedGeneration") == generation:
        return

    def change(old: Object) -> Object:
        observed: Object = {"observedGeneration": old["metadata"].get("generation"), "typeChecking": {}}
        return {**old, "status": {**dig_object(old, "status"), **observed}}

    resource = resource_of(api, policy["apiVersion"], policy["kind"])
    await modify(api, resource, "", policy["metadata"]["name"], change, "status")


async def ready_service_cidr(api: Api, cidr: Object) -> None:
    """Mark a ServiceCIDR as ready."""
    if any(condition.get("type") == "Ready" for condition in dig_list(cidr, "status", "conditions")):
        return
    ready = {"type": "Ready", "status": "True", "reason": "", "message": "Kubernetes Service CIDR is ready"}

    def change(old: Object) -> Object:
        conditions = [c for c in dig_list(old, "status", "conditions") if c.get("type") != "Ready"]
        return {**old, "status": {"conditions": [*conditions, {**ready, "lastTransitionTime": timestamp()}]}}

    resource = resource_of(api, cidr["apiVersion"], cidr["kind"])
    await modify(api, resource, "", cidr["metadata"]["name"], change, "status")
