"""The thin part of Volcano's webhooks: what a decision must know of the cluster is asked for just before."""

from collections.abc import Mapping

from windlass.apis.core_v1 import Namespace
from windlass.apis.scheduling_volcano_v1beta1 import Queue
from windlass.apis.volcano.admission import Checks
from windlass.kube.api import Api
from windlass.kube.errors import NotFound
from windlass.kube.json import Json, Object
from windlass.kube.kind import KINDS
from windlass.kube.view import untyped
from windlass.webhooks.paths import ADMISSION
from windlass.webhooks.reviews import AskingHandler, answered, request_of
from windlass.webhooks.volcano_reviews import REVIEWS, Known, Review

QUEUES, NAMESPACES = untyped(KINDS.of(Queue)), untyped(KINDS.of(Namespace))


def volcano_handlers(api: Api, checks: Checks) -> Mapping[str, AskingHandler]:
    """By path; `checks` are the API server's own."""
    return {review.path: _handler(review, api, checks) for review in REVIEWS}


def _handler(review: Review, api: Api, checks: Checks) -> AskingHandler:
    async def handle(asked: Json) -> Object:
        request = request_of(asked, "AdmissionReview", ADMISSION)
        return answered(asked, review.decide(request, await _known(review, request, api), checks))

    return handle


async def _known(review: Review, request: Object, api: Api) -> Known:
    if review.needs == "queues":
        return Known(all_queues={queue["metadata"]["name"]: queue for queue in (await api.list(QUEUES)).items})
    if review.needs == "namespace":
        try:
            return Known(its_namespace=await api.get(NAMESPACES, str(request.get("namespace") or "")))
        except NotFound:
            return Known()
    return Known()
