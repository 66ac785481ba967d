from typing import Any

import pytest

from windlass.apiserver.admission.chain import Attributes
from windlass.apiserver.admission.policies import Facts, Scope, Verdict, conditions_hold, judge, policy_causes
from windlass.apiserver.auth.user import User
from windlass.apiserver.resources import Resource
from windlass.kube.json import Object
from windlass.kube.schema import ANY

PODS = Resource(group="", version="v1", kind="Pod", plural="pods", namespaced=True, load_schema=lambda: ANY)
POD_RULE: Object = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE"], "resources": ["pods"]}


def a_write(obj: Object | None = None, old: Object | None = None, operation: str = "CREATE") -> Attributes:
    return Attributes(
        operation=operation,
        resource=PODS,
        subresource="",
        namespace="ns",
        name="web",
        obj=obj
        if obj is not None
        else {"metadata": {"name": "web", "labels": {"app": "web"}}, "spec": {"replicas": 5}},
        old=old,
        user=User("alice", groups=("devs",)),
    )


def a_policy(*validations: Object, **spec: Any) -> Object:
    match = {"resourceRules": [POD_RULE]}
    return {"metadata": {"name": "p"}, "spec": {"matchConstraints": match, "validations": list(validations), **spec}}


def a_binding(**spec: Any) -> Object:
    return {"metadata": {"name": "b"}, "spec": {"policyName": "p", "validationActions": ["Deny"], **spec}}


def judged(
    policy: Object, binding: Object | None = None, write: Attributes | None = None, facts: Facts | None = None
) -> Verdict:
    return judge([policy], [binding or a_binding()], write or a_write(), facts or Facts())


def messages(verdict: Verdict) -> list[str]:
    return [failure.message for failure in verdict.failures]


TOO_MANY: Object = {"expression": "object.spec.replicas <= 3"}


def test_a_refusal_reads_as_in_kubernetes() -> None:
    verdict = judged(a_policy({**TOO_MANY, "message": "too many"}))

    refusal = verdict.refusal(a_write())

    assert refusal is not None
    assert refusal.status() == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "pods \"web\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: too many",
        "reason": "Invalid",
        "details": {
            "name": "web",
            "kind": "pods",
            "causes": [
                {
                    "reason": "",
                    "message": "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: too many",
                    "field": "",
                }
            ],
        },
        "code": 422,
    }


def test_a_policy_without_a_binding_says_nothing() -> None:
    verdict = judge([a_policy(TOO_MANY)], [], a_write(), Facts())

    assert verdict.failures == []
    assert verdict.refusal(a_write()) is None


@pytest.mark.parametrize(
    ("validation", "message"),
    [
        (TOO_MANY, "failed expression: object.spec.replicas <= 3"),
        ({**TOO_MANY, "messageExpression": "'has ' + string(object.spec.replicas)"}, "has 5"),
        ({**TOO_MANY, "messageExpression": "object.absent", "message": "static"}, "static"),
        (
            {"expression": "object.spec.absent > 1"},
            "expression 'object.spec.absent > 1' resulted in error: no such key: absent",
        ),
        ({"expression": "request.operation == 'DELETE'"}, "failed expression: request.operation == 'DELETE'"),
    ],
)
def test_each_failure_explains_itself(validation: Object, message: str) -> None:
    assert messages(judged(a_policy(validation))) == [message]


@pytest.mark.parametrize(
    "expression",
    [
        "object.metadata.name == 'web' && oldObject == null",
        "request.userInfo.username == 'alice' && 'devs' in request.userInfo.groups",
        "request.kind.kind == 'Pod' && request.resource.resource == 'pods' && request.namespace == 'ns'",
        "namespaceObject.metadata.labels['team'] == 'ml'",
        "params == null",
        "authorizer.group('').resource('pods').namespace('ns').check('create').allowed()",
        "authorizer.requestResource.check('create').reason() == 'because'",
        "!authorizer.path('/healthz').check('delete').allowed()",
        "authorizer.serviceAccount('ns', 'default').group('apps').resource('deployments').check('create').allowed()",
    ],
)
def test_expressions_see_the_whole_write(expression: str) -> None:
    facts = Facts(
        namespace={"metadata": {"name": "ns", "labels": {"team": "ml"}}},
        authorize=lambda asked: (asked["verb"] == "create", "because"),
    )

    assert messages(judged(a_policy({"expression": expression}), facts=facts)) == []


def test_a_reason_chooses_the_code() -> None:
    refusal = judged(a_policy({**TOO_MANY, "reason": "Forbidden"})).refusal(a_write())

    assert refusal is not None
    assert (refusal.code, refusal.reason) == (403, "Forbidden")


def test_failure_policy_ignore_lets_broken_expressions_go() -> None:
    broken = {"expression": "object.spec.absent > 1"}

    assert messages(judged(a_policy(broken, failurePolicy="Ignore"))) == []
    assert len(messages(judged(a_policy(TOO_MANY, failurePolicy="Ignore")))) == 1


def test_warn_and_audit_do_not_refuse() -> None:
    verdict = judged(a_policy({**TOO_MANY, "message": "m"}), a_binding(validationActions=["Warn", "Audit"]))

    assert verdict.refusal(a_write()) is None
    assert verdict.warnings == ["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': m"]
    assert verdict.audit == {
        "validation.policy.admission.k8s.io/validation_failure": '[{"message":"m","policy":"p","binding":"b",'
        '"expressionIndex":0,"validationActions":["Warn","Audit"]}]'
    }


def test_audit_annotations_are_named_after_the_policy() -> None:
    annotations = [
        {"key": "replicas", "valueExpression": "'has ' + string(object.spec.replicas)"},
        {"key": "none", "valueExpression": "null"},
    ]

    assert judged(a_policy(auditAnnotations=annotations)).audit == {"p/replicas": "has 5"}


def test_variables_build_on_each_other() -> None:
    variables = [
        {"name": "n", "expression": "object.spec.replicas"},
        {"name": "double", "expression": "variables.n * 2"},
    ]

    assert messages(judged(a_policy({"expression": "variables.double == 10"}, variables=variables))) == []


def test_a_broken_variable_is_named_where_it_is_used() -> None:
    variables = [{"name": "bad", "expression": "object.absent"}]
    validations = [{"expression": "true"}, {"expression": "variables.bad == 1"}]

    assert messages(judged(a_policy(*validations, variables=variables))) == [
        "expression 'variables.bad == 1' resulted in error: composited variable \"bad\" fails to "
        "evaluate: no such key: absent"
    ]


@pytest.mark.parametrize(
    ("match", "concerned"),
    [
        ({"resourceRules": [POD_RULE]}, True),
        ({"resourceRules": [{**POD_RULE, "operations": ["DELETE"]}]}, False),
        ({"resourceRules": [{**POD_RULE, "resources": ["services"]}]}, False),
        ({"resourceRules": [{**POD_RULE, "resourceNames": ["other"]}]}, False),
        ({"resourceRules": [POD_RULE], "excludeResourceRules": [{**POD_RULE, "resourceNames": ["web"]}]}, False),
        ({"resourceRules": [POD_RULE], "objectSelector": {"matchLabels": {"app": "web"}}}, True),
        ({"resourceRules": [POD_RULE], "objectSelector": {"matchLabels": {"app": "db"}}}, False),
        ({"resourceRules": [POD_RULE], "namespaceSelector": {"matchLabels": {"team": "ml"}}}, True),
        ({"resourceRules": [POD_RULE], "namespaceSelector": {"matchLabels": {"team": "web"}}}, False),
    ],
)
def test_only_what_matches_is_judged(match: Object, concerned: bool) -> None:
    facts = Facts(namespace={"metadata": {"name": "ns", "labels": {"team": "ml"}}})

    assert bool(judged(a_policy(TOO_MANY, matchConstraints=match), facts=facts).failures) is concerned
    binding = a_binding(matchResources=match)
    assert bool(judged(a_policy(TOO_MANY), binding, facts=facts).failures) is concerned


def test_match_conditions_come_first() -> None:
    never = [{"name": "a", "expression": "object.absent == 1"}, {"name": "b", "expression": "false"}]
    broken = [{"name": "a", "expression": "object.absent == 1"}]

    assert messages(judged(a_policy(TOO_MANY, matchConditions=never))) == []
    assert messages(judged(a_policy(TOO_MANY, matchConditions=broken))) == [
        "expression 'object.absent == 1' resulted in error: no such key: absent"
    ]
    assert messages(judged(a_policy(TOO_MANY, matchConditions=broken, failurePolicy="Ignore"))) == []
    assert conditions_hold([{"expression": "request.name == 'web'"}], Scope(a_write())) == (True, [])


# parameters


LIMIT: Object = {
    "expression": "object.spec.replicas <= params.data.limit",
    "messageExpression": "'at most ' + string(params.data.limit)",
}
CONFIG_MAP: Object = {"apiVersion": "v1", "kind": "ConfigMap"}


def limits(*values: int) -> Facts:
    return Facts(
        find_params=lambda api_version, kind, namespace, name, selector: [{"data": {"limit": v}} for v in values]
    )


def test_every_parameter_object_is_judged_by() -> None:
    binding = a_binding(paramRef={"selector": {}, "parameterNotFoundAction": "Deny"})

    verdict = judged(a_policy(LIMIT, paramKind=CONFIG_MAP), binding, facts=limits(9, 3, 4))

    assert messages(verdict) == ["at most 3", "at most 4"]


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ("Allow", []),
        (
            "Deny",
            ["failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction"],
        ),
    ],
)
def test_a_missing_parameter_is_handled_as_the_binding_says(action: str, expected: list[str]) -> None:
    binding = a_binding(paramRef={"name": "x", "parameterNotFoundAction": action})

    assert messages(judged(a_policy(LIMIT, paramKind=CONFIG_MAP), binding, facts=limits())) == expected


def test_an_unknown_parameter_kind_is_an_error() -> None:
    binding = a_binding(paramRef={"name": "x", "parameterNotFoundAction": "Deny"})

    assert messages(judged(a_policy(LIMIT, paramKind=CONFIG_MAP), binding)) == [
        "failed to configure binding: failed to find resource referenced by paramKind: 'v1, Kind=ConfigMap'"
    ]


def test_parameters_are_looked_for_in_the_writes_namespace() -> None:
    asked: list[tuple[str, str, str, str]] = []

    def find(api_version: str, kind: str, namespace: str, name: str, selector: Object | None) -> list[Object]:
        asked.append((api_version, kind, namespace, name))
        return [{"data": {"limit": 9}}]

    judged(a_policy(LIMIT, paramKind=CONFIG_MAP), a_binding(paramRef={"name": "x"}), facts=Facts(find_params=find))

    assert asked == [("v1", "ConfigMap", "ns", "x")]


def test_an_expression_that_does_not_compile_is_named() -> None:
    policy = a_policy({"expression": "nope()"}, {"expression": "1"}, {"expression": "true", "messageExpression": "1"})

    fields = [(cause.field, cause.message.splitlines()[0]) for cause in policy_causes(policy)]

    assert fields == [
        (
            "spec.validations[0].expression",
            "Invalid value: \"nope()\": compilation failed: ERROR: <input>:1:5: undeclared reference to 'nope' "
            "(in container '')",
        ),
        ("spec.validations[1].expression", 'Invalid value: "1": must evaluate to bool'),
        ("spec.validations[2].messageExpression", 'Invalid value: "1": must evaluate to string'),
    ]
