"""What a cluster is told about the webhooks of training jobs and JobSets, under upstream's names for each."""

from windlass.kube.json import Object
from windlass.webhooks.asked import Place, Role, configuration, webhook
from windlass.webhooks.trainer_reviews import OPERATIONS, REVIEWS

VALIDATOR, MUTATOR = "validator.trainer.kubeflow.org", "defaulter.trainer.kubeflow.org"


def trainer_configurations(place: Place) -> list[Object]:
    """The ValidatingWebhookConfiguration and the MutatingWebhookConfiguration."""
    return [_configuration("validate", VALIDATOR, place), _configuration("mutate", MUTATOR, place)]


def _configuration(role: Role, name: str, place: Place) -> Object:
    asked = (one for one in REVIEWS if one.role == role)
    return configuration(
        role, name, (webhook(one.name, one.kind, OPERATIONS, place.leads_to(one.path)) for one in asked)
    )
