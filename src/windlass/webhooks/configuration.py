"""What a cluster is told about the webhooks: where they are, what they are asked about, and whose CA to trust.

The manifests and the manager agree on the names here: the manager writes its CA into the objects of these names, and
into nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from windlass.apis.training.common import GROUP
from windlass.apis.training.conversion import OLD_VERSIONS
from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.kind import Kind
from windlass.webhooks.paths import CONVERT, MUTATED, TRAINING_KINDS, mutating_path, validating_path
from windlass.webhooks.validating import OPERATIONS

VALIDATOR = f"validator.training-operator.{GROUP}"
MUTATOR = f"mutator.training-operator.{GROUP}"
CONVERTED = tuple(kind for kind in TRAINING_KINDS if kind.name in OLD_VERSIONS)
"""Kinds of several versions."""
SERVICE_PORT = 443


@dataclass(frozen=True, kw_only=True)
class Service:
    """A Service before the managers."""

    name: str
    namespace: str

    def leads_to(self, path: str) -> Object:
        """The clientConfig of a webhook."""
        return {"service": {"name": self.name, "namespace": self.namespace, "path": path, "port": SERVICE_PORT}}

    @property
    def host_names(self) -> tuple[str, ...]:
        """What the certificate must be good for: the names by which API servers and pods know the Service."""
        local = f"{self.name}.{self.namespace}.svc"
        return (local, f"{local}.cluster.local")


@dataclass(frozen=True, kw_only=True)
class Url:
    """A manager outside the cluster that the API server can reach."""

    base: str

    def leads_to(self, path: str) -> Object:
        return {"url": self.base.rstrip("/") + path}


Place = Service | Url


def validating_configuration(place: Place) -> Object:
    """The ValidatingWebhookConfiguration: one webhook a kind, under the names of the training operator."""
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": VALIDATOR},
        "webhooks": [
            _webhook("validator", kind, OPERATIONS, place.leads_to(validating_path(kind))) for kind in TRAINING_KINDS
        ],
    }


def mutating_configuration(place: Place) -> Object:
    """The MutatingWebhookConfiguration, of MPIJobs alone."""
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": MUTATOR},
        "webhooks": [_webhook("mutator", MUTATED, ("UPDATE",), place.leads_to(mutating_path(MUTATED)))],
    }


def _webhook(role: str, kind: Kind, operations: Sequence[str], client_config: Object) -> Object:
    rule: Object = {
        "apiGroups": [kind.group],
        "apiVersions": [kind.version, *OLD_VERSIONS.get(kind.name, ())],
        "operations": list(operations),
        "resources": [kind.plural],
        "scope": "Namespaced",
    }
    return {
        "name": f"{role}.{kind.name.lower()}.training-operator.{GROUP}",
        "admissionReviewVersions": ["v1"],
        "clientConfig": client_config,
        "failurePolicy": "Fail",
        "matchPolicy": "Equivalent",
        "rules": [rule],
        "sideEffects": "None",
        "timeoutSeconds": 10,
    }


def conversion(place: Place) -> Object:
    """The `spec.conversion` of a definition of several versions."""
    return {
        "strategy": "Webhook",
        "webhook": {"clientConfig": place.leads_to(CONVERT), "conversionReviewVersions": ["v1"]},
    }


def configuration_patch(configuration: Object, bundle: str) -> Object | None:
    """The merge patch by which every webhook of a configuration trusts `bundle` (base64); None where all do.

    It names the version that it was made from, since a merge patch replaces lists whole.
    """
    webhooks: Sequence[Object] = dig_list(configuration, "webhooks")
    if all(dig(webhook, "clientConfig", "caBundle") == bundle for webhook in webhooks):
        return None
    trusting = [
        {**webhook, "clientConfig": {**dig_object(webhook, "clientConfig"), "caBundle": bundle}} for webhook in webhooks
    ]
    return {"metadata": _as_seen(configuration), "webhooks": trusting}


def definition_patch(crd: Object, bundle: str) -> Object | None:
    """The same for a CustomResourceDefinition; one that is not converted by a webhook is left alone."""
    webhook = dig_object(crd, "spec", "conversion", "webhook")
    if dig(crd, "spec", "conversion", "strategy") != "Webhook" or dig(webhook, "clientConfig", "caBundle") == bundle:
        return None
    change: Object = {"conversion": {"webhook": {"clientConfig": {"caBundle": bundle}}}}
    return {"metadata": _as_seen(crd), "spec": change}


def _as_seen(obj: Object) -> Object:
    return {"resourceVersion": dig(obj, "metadata", "resourceVersion")}
