"""The objects that register the webhooks of apps with a cluster and name their CA.

The manifests and the manager agree on these names: the manager writes its CA into objects with these names only.
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from windlass.apis.admission import Mutation, Rule
from windlass.apis.app import App
from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.kind import KINDS, Kind
from windlass.webhooks.addresses import WebhookAddress

VALIDATING = Kind(
    group="admissionregistration.k8s.io", version="v1", name="ValidatingWebhookConfiguration",
    plural="validatingwebhookconfigurations", namespaced=False,
)  # fmt: skip
MUTATING = Kind(
    group="admissionregistration.k8s.io", version="v1", name="MutatingWebhookConfiguration",
    plural="mutatingwebhookconfigurations", namespaced=False,
)  # fmt: skip
DEFINITION = Kind(
    group="apiextensions.k8s.io", version="v1", name="CustomResourceDefinition",
    plural="customresourcedefinitions", namespaced=False,
)  # fmt: skip
CONVERT_PATH = "/convert"
TIMEOUT_SECONDS = 10

Named: TypeAlias = tuple[Kind, str]
"""A cluster-scoped kind, and a name."""


def configurations(apps: Iterable[App], address: WebhookAddress) -> list[Object]:
    """Return the webhook configurations of apps; one configuration may contain rules of several apps."""
    by_object: dict[Named, list[Rule]] = {}
    for rule in (rule for app in apps for rule in app.rules):
        by_object.setdefault((_kind(rule), rule.configuration), []).append(rule)
    return [
        {
            "apiVersion": kind.api_version,
            "kind": kind.name,
            "metadata": {"name": name},
            "webhooks": [_webhook(rule, address) for rule in rules],
        }
        for (kind, name), rules in sorted(by_object.items(), key=lambda item: item[0][0].name, reverse=True)
    ]


def _kind(rule: Rule) -> Kind:
    return MUTATING if isinstance(rule, Mutation) else VALIDATING


def _webhook(rule: Rule, address: WebhookAddress) -> Object:
    asked_about: Object = {
        "apiGroups": [rule.kind.group],
        "apiVersions": [rule.kind.version, *rule.versions],
        "operations": list(rule.operations),
        "resources": [rule.kind.plural],
        "scope": "Namespaced" if rule.kind.namespaced else "Cluster",
    }
    return {
        "name": rule.name,
        "admissionReviewVersions": ["v1"],
        "clientConfig": address.client_config(rule.path),
        "failurePolicy": "Fail",
        "matchPolicy": "Equivalent",
        **({"matchConditions": list(rule.conditions)} if rule.conditions else {}),
        **({"namespaceSelector": {"matchLabels": dict(rule.namespace_labels)}} if rule.namespace_labels else {}),
        "rules": [asked_about],
        "sideEffects": "None",
        "timeoutSeconds": TIMEOUT_SECONDS,
    }


def custom_resources(app: App, address: WebhookAddress) -> list[Object]:
    """Return the app's definitions for a cluster; those with several versions are converted by a webhook."""
    converted = {kind.group_resource for kind in converted_kinds(app)}
    definitions = app.cluster_definitions()
    for crd in definitions:
        if crd["metadata"]["name"] in converted:
            crd["spec"]["conversion"] = conversion(address)
    return definitions


def converted_kinds(app: App) -> list[Kind]:
    return [KINDS.of(declared) for declared in app.conversion.versions] if app.conversion else []


def conversion(address: WebhookAddress) -> Object:
    """The `spec.conversion` of a definition of several versions."""
    client_config = address.client_config(CONVERT_PATH)
    return {"strategy": "Webhook", "webhook": {"clientConfig": client_config, "conversionReviewVersions": ["v1"]}}


def objects_with_ca(apps: Iterable[App]) -> list[Named]:
    """Return the objects that must contain the webhooks' CA."""
    named: dict[Named, None] = {}
    for app in apps:
        named |= dict.fromkeys((_kind(rule), rule.configuration) for rule in app.rules)
        named |= dict.fromkeys((DEFINITION, kind.group_resource) for kind in converted_kinds(app))
    return [*named]


def ca_patch(obj: Object, bundle: str) -> Object | None:
    """The merge patch that adds the CA `bundle` (base64) to a configuration or definition; None if it is there already.

    The patch contains the resource version that it is based on, since a merge patch replaces whole lists.
    """
    change = _conversion_change(obj, bundle) if obj.get("kind") == DEFINITION.name else _webhooks_change(obj, bundle)
    return {"metadata": {"resourceVersion": dig(obj, "metadata", "resourceVersion")}, **change} if change else None


def _webhooks_change(configuration: Object, bundle: str) -> Object:
    webhooks: Sequence[Object] = dig_list(configuration, "webhooks")
    if all(dig(one, "clientConfig", "caBundle") == bundle for one in webhooks):
        return {}
    return {
        "webhooks": [
            {**one, "clientConfig": {**dig_object(one, "clientConfig"), "caBundle": bundle}} for one in webhooks
        ]
    }


def _conversion_change(crd: Object, bundle: str) -> Object:
    """The change for a definition; empty if a webhook does not convert it."""
    converter = dig_object(crd, "spec", "conversion", "webhook")
    if dig(crd, "spec", "conversion", "strategy") != "Webhook" or dig(converter, "clientConfig", "caBundle") == bundle:
        return {}
    return {"spec": {"conversion": {"webhook": {"clientConfig": {"caBundle": bundle}}}}}
