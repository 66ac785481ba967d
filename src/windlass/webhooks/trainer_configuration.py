"""What a cluster is told about the webhooks of training jobs and JobSets, under upstream's names for each."""

from windlass.kube.json import Object
from windlass.webhooks.configuration import Place
from windlass.webhooks.trainer_reviews import OPERATIONS, REVIEWS, Review, Role

VALIDATOR, MUTATOR = "validator.trainer.kubeflow.org", "defaulter.trainer.kubeflow.org"


def trainer_configurations(place: Place) -> list[Object]:
    """The ValidatingWebhookConfiguration and the MutatingWebhookConfiguration."""
    return [
        _configuration("ValidatingWebhookConfiguration", VALIDATOR, "validate", place),
        _configuration("MutatingWebhookConfiguration", MUTATOR, "mutate", place),
    ]


def _configuration(kind: str, name: str, role: Role, place: Place) -> Object:
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": name},
        "webhooks": [_webhook(review, place) for review in REVIEWS if review.role == role],
    }


def _webhook(review: Review, place: Place) -> Object:
    rule: Object = {
        "apiGroups": [review.kind.group],
        "apiVersions": [review.kind.version],
        "operations": list(OPERATIONS),
        "resources": [review.kind.plural],
        "scope": "Namespaced" if review.kind.namespaced else "Cluster",
    }
    return {
        "name": review.name,
        "admissionReviewVersions": ["v1"],
        "clientConfig": place.leads_to(review.path),
        "failurePolicy": "Fail",
        "matchPolicy": "Equivalent",
        "rules": [rule],
        "sideEffects": "None",
        "timeoutSeconds": 10,
    }
