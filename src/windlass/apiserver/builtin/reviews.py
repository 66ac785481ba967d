"""The groups `authentication.k8s.io` and `authorization.k8s.io`: reviews, which are created and never stored."""

from dataclasses import replace
from functools import partial

from windlass.apiserver.builtin.registry import CREATE_ONLY, resource
from windlass.apiserver.builtin.strategy import Review

_authentication = partial(resource, "authentication.k8s.io", "v1", namespaced=False, strategy=Review, verbs=CREATE_ONLY)
_authorization = partial(resource, "authorization.k8s.io", "v1", strategy=Review, verbs=CREATE_ONLY)

_SELF_SUBJECT_REVIEW = _authentication("SelfSubjectReview", "selfsubjectreviews")

RESOURCES = (
    _SELF_SUBJECT_REVIEW,
    _authentication("TokenReview", "tokenreviews"),
    _authorization("LocalSubjectAccessReview", "localsubjectaccessreviews", namespaced=True),
    _authorization("SelfSubjectAccessReview", "selfsubjectaccessreviews", namespaced=False),
    _authorization("SelfSubjectRulesReview", "selfsubjectrulesreviews", namespaced=False),
    _authorization("SubjectAccessReview", "subjectaccessreviews", namespaced=False),
)

_SHAPE = {"type": "object", "properties": {"status": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}}
LEGACY = (replace(_SELF_SUBJECT_REVIEW, version="v1beta1", openapi=lambda: _SHAPE),)
"""Versions that Kubernetes has removed and older clients need: kubectl 1.27's `auth whoami` supports no other."""
