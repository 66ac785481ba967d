"""What a cluster is told about the webhooks of Volcano's kinds, under the names that Volcano has for each."""

from windlass.kube.json import Object
from windlass.webhooks.asked import Place, Role, configuration, webhook
from windlass.webhooks.volcano_reviews import REVIEWS, Review

VALIDATOR, MUTATOR = "validator.volcano.sh", "mutator.volcano.sh"
OF_VOLCANO = {
    "name": "volcano",
    "expression": "has(object.spec.schedulerName) && object.spec.schedulerName == 'volcano'",
}
"""Other pods are not asked about: they must start whether or not a manager answers."""


def volcano_configurations(place: Place) -> list[Object]:
    """The ValidatingWebhookConfiguration and the MutatingWebhookConfiguration."""
    return [_configuration("validate", VALIDATOR, place), _configuration("mutate", MUTATOR, place)]


def _configuration(role: Role, name: str, place: Place) -> Object:
    return configuration(role, name, (_webhook(review, place) for review in REVIEWS if review.role == role))


def _webhook(review: Review, place: Place) -> Object:
    conditions = [OF_VOLCANO] if review.kind.name == "Pod" else []
    where = place.leads_to(review.path)
    return webhook(review.name, review.kind, review.operations, where, conditions=conditions)
