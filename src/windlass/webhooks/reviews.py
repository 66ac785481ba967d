"""Reviews: what a Kubernetes API server asks a webhook, and the frame of the answer."""

from collections.abc import Callable, Collection
from typing import TypeAlias

from windlass.kube.json import Json, Object, is_object

Decide: TypeAlias = Callable[[Object], Object]
"""From a review's `request` to its `response`, but for the uid."""
Handler: TypeAlias = Callable[[Json], Object]
"""From a review to the same review, answered. Raises BadReview."""


class BadReview(ValueError):
    """What came is no review of the kind that is answered here; the message says what is wrong with it."""


def answering(kind: str, api_versions: Collection[str], decide: Decide) -> Handler:
    """The handler of one kind of review; it answers in the version in which it is asked."""

    def handle(review: Json) -> Object:
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
        return {"apiVersion": review["apiVersion"], "kind": kind, "response": {"uid": uid, **decide(request)}}

    return handle
