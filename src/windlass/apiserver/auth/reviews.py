"""Responses to the review kinds: TokenReview, SelfSubjectReview, the SubjectAccessReviews, SelfSubjectRulesReview.

Each function takes the posted object and returns it with a status, as Kubernetes does on create.
"""

from collections.abc import Iterable

import msgspec

from windlass.apiserver.auth.attributes import Attributes
from windlass.apiserver.auth.authenticate import Authenticator
from windlass.apiserver.auth.jws import BadToken
from windlass.apiserver.auth.oidc import KeysNeeded
from windlass.apiserver.auth.rbac import Rbac
from windlass.apiserver.auth.rules import Rule
from windlass.apiserver.auth.user import User, extra_of
from windlass.kube.errors import BadRequest, Cause, Invalid, invalid, required
from windlass.kube.json import Json, Object, dig, dig_list, dig_object, is_list, is_object, timestamp

AUTHORIZATION = "authorization.k8s.io"


async def token_review(authenticator: Authenticator, review: Object) -> Object:
    token = dig(review, "spec", "token")
    if not isinstance(token, str) or not token:
        raise BadRequest("token is required for TokenReview in authentication")
    audiences = [str(audience) for audience in dig_list(review, "spec", "audiences")]
    try:
        try:
            verified = authenticator.verify_token(token, audiences)
        except KeysNeeded as needed:
            await needed.fetch()
            verified = authenticator.verify_token(token, audiences)
    except (BadToken, KeysNeeded) as error:
        return {**review, "status": {"user": {}, "error": f"[invalid bearer token, {error}]"}}
    status: Object = {"authenticated": True, "user": verified.user.info()}
    if verified.audiences:
        status["audiences"] = list(verified.audiences)
    return {**review, "status": status}


def self_subject_review(user: User, review: Object) -> Object:
    created = {**dig_object(review, "metadata"), "creationTimestamp": timestamp()}
    return {**review, "metadata": created, "status": {"userInfo": user.info()}}


def self_subject_access_review(rbac: Rbac, user: User, review: Object) -> Object:
    spec = dig_object(review, "spec")
    _check("SelfSubjectAccessReview", _attribute_problems(spec))
    return {**review, "status": _answer(rbac, user, spec)}


def subject_access_review(rbac: Rbac, review: Object) -> Object:
    spec = dig_object(review, "spec")
    _check("SubjectAccessReview", _attribute_problems(spec) + _subject_problems(spec))
    return {**review, "status": _answer(rbac, _subject(spec), spec)}


def local_subject_access_review(rbac: Rbac, namespace: str, review: Object) -> Object:
    """Answer a `subject_access_review` about one namespace; `namespace` is that of the request's path."""
    spec = dig_object(review, "spec")
    problems = _attribute_problems(spec) + _subject_problems(spec)
    asked = dig(spec, "resourceAttributes", "namespace")
    if asked != namespace:
        why = "must match metadata.namespace"
        problems.append(invalid("spec.resourceAttributes.namespace", asked or "", why))
    if "nonResourceAttributes" in spec:
        problems.append(
            invalid("spec.nonResourceAttributes", spec["nonResourceAttributes"], "disallowed on this kind of request")
        )
    _check("LocalSubjectAccessReview", problems)
    return {**review, "status": _answer(rbac, _subject(spec), spec)}


def self_subject_rules_review(rbac: Rbac, user: User, review: Object) -> Object:
    namespace = dig(review, "spec", "namespace")
    if not isinstance(namespace, str) or not namespace:
        raise BadRequest("no namespace on request")
    rules = rbac.rules_for(user, namespace)
    status: Object = {
        "resourceRules": [_resource_rule(rule) for rule in _once(rules) if rule.resources],
        "nonResourceRules": [
            {"verbs": list(rule.verbs), "nonResourceURLs": list(rule.paths)} for rule in _once(rules) if rule.paths
        ],
        "incomplete": False,
    }
    return {**review, "status": status}


def _once(rules: Iterable[Rule]) -> list[Rule]:
    return list(dict.fromkeys(rules))


def _resource_rule(rule: Rule) -> Object:
    return msgspec.structs.replace(rule, paths=()).manifest()


def _answer(rbac: Rbac, user: User, spec: Object) -> Object:
    decision = rbac.allowed(user, _attributes(spec))
    status: Object = {"allowed": decision.allowed}
    if decision.reason:
        status["reason"] = decision.reason
    return status


def _attributes(spec: Object) -> Attributes:
    asked = spec.get("resourceAttributes")
    if is_object(asked):
        fields = ("verb", "group", "resource", "subresource", "namespace", "name")
        verb, group, resource, subresource, namespace, name = (str(asked.get(field) or "") for field in fields)
        # An omitted resource asks about all of them; RBAC has a word for that, and an empty one would be a path.
        return Attributes(verb, group, resource or "*", subresource, namespace, name)
    path = dig_object(spec, "nonResourceAttributes")
    return Attributes(str(path.get("verb") or ""), path=str(path.get("path") or ""))


def _subject(spec: Object) -> User:
    extra = {str(key): _strings(values) for key, values in dig_object(spec, "extra").items()}
    groups = tuple(_strings(spec.get("groups")))
    return User(str(spec.get("user") or ""), str(spec.get("uid") or ""), groups, extra_of(extra))


def _strings(values: Json) -> list[str]:
    return [str(value) for value in values] if is_list(values) else []


def _attribute_problems(spec: Object) -> list[Cause]:
    asks_resource, asks_path = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if asks_resource is not None and asks_path is not None:
        why = "cannot be specified in combination with resourceAttributes"
        return [invalid("spec.nonResourceAttributes", asks_path, why)]
    if asks_resource is None and asks_path is None:
        why = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
        return [invalid("spec.resourceAttributes", asks_resource, why)]
    return []


def _subject_problems(spec: Object) -> list[Cause]:
    if spec.get("user") or spec.get("groups"):
        return []
    return [required("spec.user", "at least one of user or group must be specified")]


def _check(kind: str, problems: list[Cause]) -> None:
    if problems:
        raise Invalid.of(kind, AUTHORIZATION, "", problems)
