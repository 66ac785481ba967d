"""Reviews: what a Kubernetes API server asks a webhook, and the frame of the answer."""

from collections.abc import Awaitable, Callable, Collection
from typing import TypeAlias

from windlass.kube.json import Json, Object, is_object

Decide: TypeAlias = Callable[[Object], Object]
"""From a review's `request` to its `response`, but for the uid."""
Handler: TypeAlias = Callable[[Json], Object]
"""From a review to the same review, answered. Raises BadReview."""
AskingHandler: TypeAlias = Callable[[Json], Awaitable[Object]]
"""One that must ask the API server something first. Raises BadReview and ApiError."""


class BadReview(ValueError):
    """What came is no review of the kind that is answered here; the message says what is wrong with it."""


def answering(kind: str, api_versions: Collection[str], decide: Decide) -> Handler:
    """The handler of one kind of review; it answers in the version in which it is asked."""

    def handle(review: Json) -> Object:
        request = request_of(review, kind, api_versions)
        return answered(review, decide(request))

    return handle


def request_of(review: Json, kind: str, api_versions: Collection[str]) -> Object:
    """What a review of that kind asks. Raises BadReview."""
    if not is_object(review):
        raise BadReview(f"the body must be a {kind}")
    if review.get("kind") != kind or review.get("apiVersion") not in api_versions:
        told = f"{review.get('apiVersion')}, Kind={review.get('kind')}"
        raise BadReview(f"{kind} of {' or '.join(api_versions)} is answered here, not {told}")
    request = review.get("request")
    if not is_object(request):
        raise BadReview("request: Required value")
    uid = request.get("uid")
    if not isinstance(uid, str) or not uid:
        raise BadReview("request.uid: Required value")
    return request


def answered(review: Json, response: Object) -> Object:
    """A review that `request_of` has looked at, with its answer."""
    uid = review["request"]["uid"]
    return {"apiVersion": review["apiVersion"], "kind": review["kind"], "response": {"uid": uid, **response}}
