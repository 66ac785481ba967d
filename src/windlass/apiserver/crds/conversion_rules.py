"""Validation of `spec.conversion` of a CustomResourceDefinition."""

import base64
import binascii
from collections.abc import Iterator

from windlass.apiserver.webhook_fields import client_causes, review_version_causes
from windlass.kube.errors import Cause, forbidden, invalid, not_supported, required
from windlass.kube.json import Json, Object, dig, dig_list, is_object

_STRATEGIES = ("None", "Webhook")
_CLIENT = "spec.conversion.webhookClientConfig"  # the place that Kubernetes names, which is not that of version v1
_VERSIONS = "spec.conversion.conversionReviewVersions"
_UNWANTED = "should not be set when strategy is not set to Webhook"


def conversion_causes(conversion: Object) -> Iterator[Cause]:
    strategy, webhook = conversion.get("strategy"), conversion.get("webhook")
    client, versions = dig(webhook, "clientConfig"), [str(v) for v in dig_list(webhook, "conversionReviewVersions")]
    if not strategy:
        yield required("spec.conversion.strategy")
    elif strategy not in _STRATEGIES:
        yield not_supported("spec.conversion.strategy", strategy, _STRATEGIES)
    if strategy != "Webhook":
        if is_object(client):
            yield forbidden(_CLIENT, _UNWANTED)
        if versions:
            yield forbidden(_VERSIONS, _UNWANTED)
        return
    if is_object(client):
        yield from client_causes(client, _CLIENT)
    else:
        yield required(_CLIENT, "required when strategy is set to Webhook")
    yield from review_version_causes(versions, _VERSIONS)


def ca_bundle_causes(new: Object, old: Object) -> Iterator[Cause]:
    """Report a CA bundle of the webhook in use that contains no certificates, unless it was invalid before."""
    bundle, before = (dig(crd, "spec", "conversion", "webhook", "clientConfig", "caBundle") for crd in (new, old))
    if not bundle or (before and _bundle_problem(before)):
        return
    if problem := _bundle_problem(bundle):
        yield invalid(f"{_CLIENT}.caBundle", bundle, f"unable to load root certificates: {problem}")


def _bundle_problem(bundle: Json) -> str:
    """Why a base64-encoded bundle contains no certificates; empty if it does."""
    from cryptography import x509

    try:
        x509.load_pem_x509_certificates(base64.b64decode(str(bundle), validate=True))
    except (binascii.Error, ValueError):
        return "unable to parse bytes as PEM block"
    return ""
