import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.apiserver.admission.admission_builders import (
    MAPS,
    REGISTRATION,
    a_webhook,
    allow,
    configured,
    create_map,
    patching,
)
from tests.apiserver.webhook_server import WebhookServer
from tests.support import Windlass

POLICIES = f"{REGISTRATION}/validatingadmissionpolicies"
BINDINGS = f"{REGISTRATION}/validatingadmissionpolicybindings"


def a_policy(name: str, *validations: Any, **spec: Any) -> Any:
    match = {"resourceRules": [MAPS]}
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": name},
        "spec": {"matchConstraints": match, "validations": list(validations), **spec},
    }


def a_binding(name: str, room: str, **spec: Any) -> Any:
    here = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": room}}}
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": {"name": name},
        "spec": {"policyName": name, "validationActions": ["Deny"], "matchResources": here, **spec},
    }


@contextmanager
def bound(server: Windlass, room: str, *validations: Any, binding: Any = None, **spec: Any) -> Iterator[None]:
    """A policy and its binding, both named after the room, for the length of the block."""
    server.create(POLICIES, a_policy(room, *validations, **spec))
    server.create(BINDINGS, a_binding(room, room, **(binding or {})))
    try:
        yield
    finally:
        server.request("DELETE", f"{BINDINGS}/{room}")
        server.request("DELETE", f"{POLICIES}/{room}")


NO_DATA = {"expression": "!has(object.data)", "message": "keep it empty"}


@pytest.mark.kubectl
def test_kubectl_is_told_why_a_policy_denies(bare: Windlass, room: str) -> None:
    wanted = [a_policy(room, NO_DATA), a_binding(room, room)]
    bare.kubectl("apply", "-f", "-", stdin=json.dumps({"apiVersion": "v1", "kind": "List", "items": wanted}))

    refused = bare.kubectl("create", "configmap", "m", "--from-literal=a=b", "-n", room, check=False)
    accepted = bare.kubectl("create", "configmap", "m", "-n", room)
    bare.kubectl("delete", "validatingadmissionpolicybindings", room)

    assert refused.stderr.strip() == (
        f"error: failed to create configmap: configmaps \"m\" is forbidden: ValidatingAdmissionPolicy '{room}' "
        f"with binding '{room}' denied request: keep it empty"
    )
    assert accepted.stdout.strip() == "configmap/m created"
    assert bare.kubectl("create", "configmap", "n", "--from-literal=a=b", "-n", room).returncode == 0


def test_a_policy_denies_warns_or_stays_silent_as_its_binding_says(bare: Windlass, room: str) -> None:
    with bound(bare, room, NO_DATA):
        denied = create_map(bare, room, data={"a": "b"})
    with bound(bare, room, NO_DATA, binding={"validationActions": ["Warn"]}):
        warned = create_map(bare, room, "warned", data={"a": "b"})
    with bound(bare, room, NO_DATA, binding={"validationActions": ["Audit"]}):
        noted = create_map(bare, room, "noted", data={"a": "b"})

    assert (denied.status, denied.json()["reason"]) == (422, "Invalid")
    assert (warned.status, warned.warnings) == (
        201,
        [f"299 - \"Validation failed for ValidatingAdmissionPolicy '{room}' with binding '{room}': keep it empty\""],
    )
    assert (noted.status, noted.warnings) == (201, [])


def test_an_update_is_judged_against_what_was(bare: Windlass, room: str) -> None:
    create_map(bare, room, data={"size": "2"})
    shrinks = {"expression": "oldObject == null || int(object.data.size) >= int(oldObject.data.size)"}
    path = f"/api/v1/namespaces/{room}/configmaps/m"

    with bound(bare, room, {**shrinks, "messageExpression": "'not below ' + oldObject.data.size"}):
        refused = bare.patch(path, {"data": {"size": "1"}})
        accepted = bare.patch(path, {"data": {"size": "3"}})

    assert refused.json()["message"].endswith("denied request: not below 2")
    assert accepted.status == 200


def test_expressions_see_the_namespace_and_what_the_author_may_do(bare: Windlass, room: str) -> None:
    bare.patch(f"/api/v1/namespaces/{room}", {"metadata": {"labels": {"team": "ml"}}})

    def holds(expression: str) -> bool:
        with bound(bare, room, {"expression": expression}):
            return create_map(bare, room, query="?dryRun=All").status == 201

    assert holds("namespaceObject.metadata.labels.team == 'ml'")
    assert holds("request.dryRun && request.options.kind == 'CreateOptions' && request.operation == 'CREATE'")
    assert holds("authorizer.group('').resource('secrets').namespace(request.namespace).check('get').allowed()")
    account = "authorizer.serviceAccount(request.namespace, 'default')"
    assert not holds(f"{account}.group('').resource('secrets').namespace(request.namespace).check('get').allowed()")
    assert holds(f"{account}.path('/version').check('get').allowed()")


def test_parameters_are_live_objects_also_of_custom_kinds(bare: Windlass, room: str) -> None:
    group = f"{room}.example.com"
    names = {"plural": "bounds", "kind": "Bound"}
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    spec = {"group": group, "scope": "Namespaced", "names": names, "versions": [version]}
    bare.create(
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        {"metadata": {"name": f"bounds.{group}"}, "spec": spec},
    )
    bounds = f"/apis/{group}/v1/namespaces/{room}/bounds"
    kind = {"apiVersion": f"{group}/v1", "kind": "Bound"}
    most = {"expression": "size(object.data) <= params.most", "messageExpression": "'at most ' + string(params.most)"}
    ref = {"name": "b", "parameterNotFoundAction": "Deny"}

    with bound(bare, room, most, binding={"paramRef": ref}, paramKind=kind):
        missing = create_map(bare, room, data={"a": "b"})
        bare.create(bounds, {**kind, "metadata": {"name": "b"}, "most": 1})
        refused = create_map(bare, room, data={"a": "b", "c": "d"})
        bare.patch(f"{bounds}/b", {"most": 2})
        accepted = create_map(bare, room, data={"a": "b", "c": "d"})

    assert "no params found for policy binding with `Deny` parameterNotFoundAction" in missing.json()["message"]
    assert refused.json()["message"].endswith("denied request: at most 1")
    assert accepted.status == 201


def test_parameters_may_be_chosen_by_label(bare: Windlass, room: str) -> None:
    kind = {"apiVersion": "v1", "kind": "Secret"}
    ref = {"selector": {"matchLabels": {"rule": "yes"}}, "parameterNotFoundAction": "Allow"}
    for name, label in (("a", "yes"), ("b", "no")):
        secret = {"metadata": {"name": name, "labels": {"rule": label}}}
        bare.create(f"/api/v1/namespaces/{room}/secrets", secret)

    other_name = {"expression": "object.metadata.name != params.metadata.name"}
    with bound(bare, room, other_name, binding={"paramRef": ref}, paramKind=kind):
        assert create_map(bare, room, "a").status == 422
        assert create_map(bare, room, "b").status == 201


def test_a_deletion_can_be_denied(bare: Windlass, room: str) -> None:
    create_map(bare, room)

    with bound(bare, room, {"expression": "request.operation != 'DELETE'", "reason": "Forbidden"}):
        answer = bare.request("DELETE", f"/api/v1/namespaces/{room}/configmaps/m")

    assert (answer.status, answer.json()["reason"]) == (403, "Forbidden")


def test_policies_judge_after_mutating_and_before_validating_webhooks(
    bare: Windlass, room: str, hook: WebhookServer
) -> None:
    added = a_webhook(hook.on("/adds", patching({"op": "add", "path": "/data", "value": {"a": "b"}})), room)
    asked = a_webhook(hook.on("/asked", allow()), room)

    with configured(bare, "mutating", added), configured(bare, "validating", asked), bound(bare, room, NO_DATA):
        answer = create_map(bare, room)

    assert (answer.status, hook.reviews_at("/asked")) == (422, [])


def test_an_expression_that_does_not_compile_is_refused(bare: Windlass, room: str) -> None:
    policy = bare.request("POST", POLICIES, a_policy(room, {"expression": "object."}))
    webhook = a_webhook({"url": "https://x.example.com"}, room, matchConditions=[{"name": "a", "expression": "1 +"}])
    path = f"{REGISTRATION}/validatingwebhookconfigurations"
    configuration = bare.request("POST", path, {"metadata": {"name": room}, "webhooks": [webhook]})

    assert (policy.status, configuration.status) == (422, 422)
    assert "spec.validations[0].expression: Invalid value: " in policy.json()["message"]
    assert "webhooks[0].matchConditions[0].expression: Invalid value: " in configuration.json()["message"]
