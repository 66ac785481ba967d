"""The order in which objects are installed and removed, and which of them an uninstall may remove. Pure."""

from collections.abc import Iterable, Sequence

from windlass.deploy.program import MANAGED_BY, Object
from windlass.kube.json import dig, dig_list, dig_object

FIELD_MANAGER = "windlass-install"
"""The manager of the fields that an install writes."""
DEFINITION, NAMESPACE, DEPLOYMENT = "CustomResourceDefinition", "Namespace", "Deployment"
_REMOVAL: Sequence[frozenset[str]] = (
    frozenset({"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}),
    frozenset({DEPLOYMENT}),
)
"""Removed first: webhooks that would refuse further writes, then the programs that would restore what is removed."""

_AUTOMATIC = {
    ("ServiceAccount", "default"),
    ("ConfigMap", "kube-root-ca.crt"),
    ("ConfigMap", "istio-ca-root-cert"),
}
_AUTOMATIC_KINDS = {"Event", "Endpoints", "EndpointSlice"}
"""Objects that the cluster itself makes in each namespace."""


def definitions(objects: Iterable[Object]) -> list[Object]:
    """CustomResourceDefinitions, which must be established before anything else is applied."""
    return [obj for obj in objects if obj["kind"] == DEFINITION]


def others(objects: Iterable[Object]) -> list[Object]:
    """Everything else, namespaces first."""
    rest = [obj for obj in objects if obj["kind"] != DEFINITION]
    return sorted(rest, key=lambda obj: obj["kind"] != NAMESPACE)


def removal_order(objects: Iterable[Object]) -> list[Object]:
    """Webhooks, programs, then the rest from the last to the first; definitions and namespaces at the end."""
    kept = {DEFINITION: 3, NAMESPACE: 4}
    first = {kind: rank for rank, kinds in enumerate(_REMOVAL) for kind in kinds}
    return sorted(reversed([*objects]), key=lambda obj: first.get(obj["kind"], kept.get(obj["kind"], 2)))


def is_ours(obj: Object) -> bool:
    """Whether `windlass install`, or kubectl with the printed manifests, made the object."""
    return is_labelled(obj) or is_applied_by_install(obj)


def is_labelled(obj: Object) -> bool:
    return MANAGED_BY.items() <= dig_object(obj, "metadata", "labels").items()


def is_applied_by_install(obj: Object) -> bool:
    return any(dig(entry, "manager") == FIELD_MANAGER for entry in dig_list(obj, "metadata", "managedFields"))


def is_anothers(obj: Object) -> bool:
    """Whether an object that is left in a namespace was put there by someone, and not by Windlass or the cluster."""
    is_automatic = (obj["kind"], obj["metadata"]["name"]) in _AUTOMATIC or obj["kind"] in _AUTOMATIC_KINDS
    return not (is_ours(obj) or is_automatic or dig_list(obj, "metadata", "ownerReferences"))


def is_established(definition: Object) -> bool:
    return _condition(definition, "Established")


def is_available(deployment: Object) -> bool:
    """Whether the pods of the newest template are ready."""
    status, wanted = dig_object(deployment, "status"), dig(deployment, "spec", "replicas")
    is_observed = (status.get("observedGeneration") or 0) >= (dig(deployment, "metadata", "generation") or 0)
    ready, updated = status.get("readyReplicas") or 0, status.get("updatedReplicas") or 0
    return is_observed and ready >= (wanted or 0) and updated >= (wanted or 0)


def _condition(obj: Object, kind: str) -> bool:
    conditions = dig_list(obj, "status", "conditions")
    return any(dig(one, "type") == kind and dig(one, "status") == "True" for one in conditions)
