"""What a cluster is told about the webhooks of training jobs, and whose CA to trust.

The manifests and the manager agree on the names here: the manager writes its CA into the objects of these names, and
into nothing else.
"""

from collections.abc import Sequence

from windlass.apis.training.common import GROUP
from windlass.apis.training.conversion import OLD_VERSIONS
from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.kind import Kind
from windlass.webhooks.asked import Place, configuration, webhook
from windlass.webhooks.paths import CONVERT, MUTATED, TRAINING_KINDS, mutating_path, validating_path
from windlass.webhooks.validating import OPERATIONS

VALIDATOR = f"validator.training-operator.{GROUP}"
MUTATOR = f"mutator.training-operator.{GROUP}"
CONVERTED = tuple(kind for kind in TRAINING_KINDS if kind.name in OLD_VERSIONS)
"""Kinds of several versions."""


def validating_configuration(place: Place) -> Object:
    """The ValidatingWebhookConfiguration: one webhook a kind, under the names of the training operator."""
    asked = (_webhook("validator", kind, OPERATIONS, place.leads_to(validating_path(kind))) for kind in TRAINING_KINDS)
    return configuration("validate", VALIDATOR, asked)


def mutating_configuration(place: Place) -> Object:
    """The MutatingWebhookConfiguration, of MPIJobs alone."""
    asked = _webhook("mutator", MUTATED, ("UPDATE",), place.leads_to(mutating_path(MUTATED)))
    return configuration("mutate", MUTATOR, [asked])


def _webhook(role: str, kind: Kind, operations: Sequence[str], client_config: Object) -> Object:
    name = f"{role}.{kind.name.lower()}.training-operator.{GROUP}"
    return webhook(name, kind, operations, client_config, versions=OLD_VERSIONS.get(kind.name, ()))


def conversion(place: Place) -> Object:
    """The `spec.conversion` of a definition of several versions."""
    return {
        "strategy": "Webhook",
        "webhook": {"clientConfig": place.leads_to(CONVERT), "conversionReviewVersions": ["v1"]},
    }


def configuration_patch(configured: Object, bundle: str) -> Object | None:
    """The merge patch by which every webhook of a configuration trusts `bundle` (base64); None where all do.

    It names the version that it was made from, since a merge patch replaces lists whole.
    """
    webhooks: Sequence[Object] = dig_list(configured, "webhooks")
    if all(dig(one, "clientConfig", "caBundle") == bundle for one in webhooks):
        return None
    trusting = [{**one, "clientConfig": {**dig_object(one, "clientConfig"), "caBundle": bundle}} for one in webhooks]
    return {"metadata": _as_seen(configured), "webhooks": trusting}


def definition_patch(crd: Object, bundle: str) -> Object | None:
    """The same for a CustomResourceDefinition; one that is not converted by a webhook is left alone."""
    converter = dig_object(crd, "spec", "conversion", "webhook")
    if dig(crd, "spec", "conversion", "strategy") != "Webhook" or dig(converter, "clientConfig", "caBundle") == bundle:
        return None
    change: Object = {"conversion": {"webhook": {"clientConfig": {"caBundle": bundle}}}}
    return {"metadata": _as_seen(crd), "spec": change}


def _as_seen(obj: Object) -> Object:
    return {"resourceVersion": dig(obj, "metadata", "resourceVersion")}
