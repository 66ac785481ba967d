"""Reviews: the requests of a Kubernetes API server to a webhook, and the envelope of the response."""

from collections.abc import Collection

from windlass.kube.json import Json, Object, is_object


class BadReview(ValueError):
    """The body is not a review of the expected kind; the message explains why."""


def request_of(review: Json, kind: str, api_versions: Collection[str]) -> Object:
    """Return the request of a review of the given kind. Raises BadReview."""
    if not is_object(review):
        raise BadReview(f"the body must be a {kind}")
    if review.get("kind") != kind or review.get("apiVersion") not in api_versions:
        given = f"{review.get('apiVersion')}, Kind={review.get('kind')}"
        raise BadReview(f"{kind} of {' or '.join(api_versions)} is supported here, not {given}")
    request = review.get("request")
    if not is_object(request):
        raise BadReview("request: Required value")
    uid = request.get("uid")
    if not isinstance(uid, str) or not uid:
        raise BadReview("request.uid: Required value")
    return request


def answered(review: Json, response: Object) -> Object:
    """Return a checked review with its response, in the version of the request."""
    uid = review["request"]["uid"]
    return {"apiVersion": review["apiVersion"], "kind": review["kind"], "response": {"uid": uid, **response}}
