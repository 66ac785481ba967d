"""Evaluation of ValidatingAdmissionPolicies: CEL expressions that validate a write.

    verdict = judge(policies, bindings, attributes, facts)
    if (refusal := verdict.refusal(attributes)) is not None: raise refusal

`judge` is pure: what an expression may read besides the write (the namespace, parameter objects, permissions) is in
`Facts`. The verdict contains the refusal, the warnings and the audit annotations.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from windlass.apiserver.admission.chain import Attributes
from windlass.apiserver.admission.matching import matches_rules, matches_selectors
from windlass.kube.errors import ApiError, Cause, Forbidden, Invalid, TooLarge, Unauthorized
from windlass.kube.json import Json, Object, dig, dig_list, dig_object, encode, is_list, is_object

FindParams: TypeAlias = Callable[[str, str, str, str, Object | None], "list[Object] | None"]
"""Finds objects by apiVersion, kind, namespace, name (or ""), label selector (or None); None for an unknown kind."""
Authorize: TypeAlias = Callable[[Object], tuple[bool, str]]

_GROUP = "admissionregistration.k8s.io"
_AUDIT_KEY = "validation.policy.admission.k8s.io/validation_failure"
_LONGEST_MESSAGE = 5 * 1024
_ERRORS: dict[str, type[ApiError]] = {
    "Unauthorized": Unauthorized,
    "Forbidden": Forbidden,
    "Invalid": Invalid,
    "RequestEntityTooLarge": TooLarge,
}
VARIABLES = (
    ("authorizer", "object"),
    ("namespaceObject", "dyn"),
    ("object", "dyn"),
    ("oldObject", "dyn"),
    ("params", "dyn"),
    ("request", "object"),
    ("variables", "object"),
)


def _no_params(api_version: str, kind: str, namespace: str, name: str, selector: Object | None) -> list[Object] | None:
    return None


def _not_allowed(asked: Object) -> tuple[bool, str]:
    return False, "no authorizer is available"


@dataclass(frozen=True, slots=True)
class Facts:
    """What expressions may read besides the write."""

    namespace: Object | None = None
    find_params: FindParams = _no_params
    authorize: Authorize = _not_allowed


@dataclass(frozen=True, slots=True)
class Failure:
    """A validation that was false or could not be evaluated."""

    policy: str
    binding: str
    message: str
    reason: str = ""
    index: int = 0
    actions: tuple[str, ...] = ("Deny",)


@dataclass(slots=True)
class Verdict:
    failures: list[Failure] = field(default_factory=list[Failure])
    annotations: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def warnings(self) -> list[str]:
        return [
            f"Validation failed for ValidatingAdmissionPolicy '{found.policy}' with binding '{found.binding}': "
            f"{found.message}"
            for found in self.failures
            if "Warn" in found.actions
        ]

    @property
    def audit(self) -> dict[str, str]:
        """Return annotations for the audit event."""
        noted: list[Object] = [
            {
                "message": found.message,
                "policy": found.policy,
                "binding": found.binding,
                "expressionIndex": found.index,
                "validationActions": list(found.actions),
            }
            for found in self.failures
            if "Audit" in found.actions
        ]
        return {**self.annotations, _AUDIT_KEY: encode(noted).decode()} if noted else dict(self.annotations)

    def refusal(self, attributes: Attributes) -> ApiError | None:
        """Return the error of a refusal; None if no policy denies the write."""
        denied = next((found for found in self.failures if "Deny" in found.actions), None)
        if denied is None:
            return None
        by = f" with binding '{denied.binding}'" if denied.binding else ""
        message = f"ValidatingAdmissionPolicy '{denied.policy}'{by} denied request: {denied.message}"
        forbidden = attributes.forbid(message)
        error = _ERRORS.get(denied.reason, Invalid)
        causes = [Cause("", message, "")]
        return error(forbidden.message, kind=forbidden.kind, group=forbidden.group, name=forbidden.name, causes=causes)


def judge(policies: Iterable[Object], bindings: Iterable[Object], attributes: Attributes, facts: Facts) -> Verdict:
    """Evaluate all policies, through their bindings, on one write."""
    verdict = Verdict()
    if attributes.resource.group == _GROUP:
        return verdict  # a policy that forbids its own removal could never be removed
    by_policy: dict[str, list[Object]] = {}
    for binding in bindings:
        by_policy.setdefault(str(dig(binding, "spec", "policyName") or ""), []).append(binding)
    for policy in policies:
        bound = by_policy.get(str(dig(policy, "metadata", "name")))
        if bound and _concerns(dig_object(policy, "spec", "matchConstraints"), attributes, facts):
            for binding in bound:
                resources = dig_object(binding, "spec", "matchResources")
                if not resources or _concerns(resources, attributes, facts, optional_rules=True):
                    _Evaluation(policy, binding, attributes, facts, verdict).run()
    return verdict


def _concerns(match: Object, attributes: Attributes, facts: Facts, *, optional_rules: bool = False) -> bool:
    """Whether matchConstraints or matchResources match the write."""
    how = str(match.get("matchPolicy") or "Equivalent")
    rules = dig_list(match, "resourceRules")
    if not (optional_rules and not rules) and not matches_rules(rules, attributes, how):
        return False
    if matches_rules(dig_list(match, "excludeResourceRules"), attributes, how):
        return False
    return matches_selectors(match, attributes, facts.namespace)


class _Misconfigured(Exception):
    """A binding whose parameters cannot be found."""


class _Evaluation:
    """Evaluates one policy through one binding for one write; adds to a verdict."""

    def __init__(self, policy: Object, binding: Object, attributes: Attributes, facts: Facts, verdict: Verdict) -> None:
        self._spec = dig_object(policy, "spec")
        self._policy = str(dig(policy, "metadata", "name"))
        self._binding = binding
        self._attributes = attributes
        self._facts = facts
        self._verdict = verdict
        actions = tuple(str(action) for action in dig_list(binding, "spec", "validationActions"))
        self._actions = actions or ("Deny",)

    def run(self) -> None:
        try:
            for params in self._params():
                self._evaluate(params)
        except _Misconfigured as error:
            self._fail(f"failed to configure binding: {error}")

    def _fail(self, message: str, reason: str = "", index: int = 0) -> None:
        name = str(dig(self._binding, "metadata", "name"))
        self._verdict.failures.append(Failure(self._policy, name, message, reason, index, self._actions))

    def _fail_closed(self, message: str, index: int = 0) -> None:
        """Handle an expression that could not be evaluated: refuse, unless the failure policy is Ignore."""
        if self._spec.get("failurePolicy") != "Ignore":
            self._fail(message, "", index)

    # parameters

    def _params(self) -> list[Object | None]:
        kind, ref = self._spec.get("paramKind"), dig(self._binding, "spec", "paramRef")
        if not is_object(kind) or not is_object(ref):
            return [None]
        namespace = str(ref.get("namespace") or self._attributes.namespace or "")
        name, selector = str(ref.get("name") or ""), ref.get("selector")
        found = self._facts.find_params(
            str(kind.get("apiVersion")),
            str(kind.get("kind")),
            namespace,
            name,
            selector if is_object(selector) else None,
        )
        if found is None:
            if self._spec.get("failurePolicy") == "Ignore":
                return []
            spelt = f"{kind.get('apiVersion')}, Kind={kind.get('kind')}"
            raise _Misconfigured(f"failed to find resource referenced by paramKind: '{spelt}'")
        if not found and ref.get("parameterNotFoundAction") != "Allow":
            if self._spec.get("failurePolicy") == "Ignore":
                return []
            raise _Misconfigured("no params found for policy binding with `Deny` parameterNotFoundAction")
        return list(found)

    # expressions

    def _evaluate(self, params: Object | None) -> None:
        from windlass.apiserver.cel.library import AUTHORIZE

        token = AUTHORIZE.set(self._facts.authorize)
        try:
            scope = Scope(self._attributes, self._facts.namespace, params)
            if not self._conditions_hold(scope):
                return
            for variable in dig_list(self._spec, "variables"):
                scope.define(str(dig(variable, "name")), str(dig(variable, "expression")))
            for index, validation in enumerate(dig_list(self._spec, "validations")):
                self._validate(scope, validation, index)
            for annotation in dig_list(self._spec, "auditAnnotations"):
                self._annotate(scope, annotation)
        finally:
            AUTHORIZE.reset(token)

    def _conditions_hold(self, scope: "Scope") -> bool:
        held, errors = conditions_hold(dig_list(self._spec, "matchConditions"), scope)
        if held and errors:
            self._fail_closed(errors[0] if len(errors) == 1 else f"[{', '.join(errors)}]")
        return held and not errors

    def _validate(self, scope: "Scope", validation: Json, index: int) -> None:
        expression = str(dig(validation, "expression") or "")
        value, error = scope.value(expression)
        if error:
            self._fail_closed(f"expression '{expression}' resulted in error: {error}", index)
        elif value is not True:
            reason = str(dig(validation, "reason") or "Invalid")
            self._fail(self._message(scope, validation, expression), reason, index)

    def _message(self, scope: "Scope", validation: Json, expression: str) -> str:
        made, error = scope.value(str(dig(validation, "messageExpression") or "''"))
        text = made.strip() if isinstance(made, str) and not error else ""
        if text and "\n" not in text and len(text) <= _LONGEST_MESSAGE:
            return text
        return str(dig(validation, "message") or "").strip() or f"failed expression: {expression.strip()}"

    def _annotate(self, scope: "Scope", annotation: Json) -> None:
        value, error = scope.value(str(dig(annotation, "valueExpression") or "null"))
        key = f"{self._policy}/{dig(annotation, 'key')}"
        if error:
            self._fail_closed(f"valueExpression '{dig(annotation, 'valueExpression')}' resulted in error: {error}")
        elif isinstance(value, str):
            before = self._verdict.annotations.get(key)
            self._verdict.annotations[key] = f"{before}, {value}" if before and before != value else value


def conditions_hold(conditions: Iterable[Json], scope: "Scope") -> tuple[bool, list[str]]:
    """Whether no match condition is false, and the errors of those that could not be evaluated."""
    errors: list[str] = []
    for condition in conditions:
        expression = str(dig(condition, "expression") or "")
        value, error = scope.value(expression)
        if error:
            errors.append(f"expression '{expression}' resulted in error: {error}")
        elif value is not True:
            return False, []
    return True, errors


class Scope:
    """The variables of policies and match conditions, bound for any number of expressions."""

    def __init__(self, attributes: Attributes, namespace: Object | None = None, params: Object | None = None) -> None:
        self._values: Object = {
            "object": attributes.obj,
            "oldObject": attributes.old,
            "request": request_of(attributes),
            "params": params,
            "namespaceObject": namespace,
            "variables": {},
            "authorizer": _authorizer(attributes),
        }
        self._broken: dict[str, str] = {}
        self._bound: Any = None

    def define(self, name: str, expression: str) -> None:
        """Add `variables.name`. If it fails, every expression that uses it fails."""
        value, error = self.value(expression)
        if error:
            self._broken[name] = error
            return
        self._values["variables"] = {**self._values["variables"], name: value}
        self._bound = None

    def value(self, expression: str) -> tuple[Any, str]:
        """The value of an expression, or its error."""
        from windlass.apiserver.cel.runtime import CompileError, EvaluationError, compiled, environment

        if self._bound is None:
            self._bound = environment(VARIABLES).bind(self._values)
        try:
            return compiled(expression, VARIABLES).run(self._bound), ""
        except CompileError as error:
            return None, f"compilation failed: {error}"
        except EvaluationError as error:
            missing = error.missing_key
            if missing in self._broken and f"variables.{missing}" in expression:
                return None, f'composited variable "{missing}" fails to evaluate: {self._broken[missing]}'
            return None, str(error)


def request_of(attributes: Attributes) -> Object:
    """The `request` variable: an AdmissionRequest without its objects."""
    resource = attributes.resource
    kind = attributes.kind
    named = {"group": resource.group, "version": resource.version, "resource": resource.plural}
    return {
        "kind": kind,
        "resource": named,
        "subResource": attributes.subresource,
        "requestKind": kind,
        "requestResource": named,
        "requestSubResource": attributes.subresource,
        "name": attributes.name,
        "namespace": attributes.namespace,
        "operation": attributes.operation,
        "userInfo": attributes.user.info(),
        "dryRun": attributes.dry_run,
        "options": attributes.options,
    }


def _authorizer(attributes: Attributes) -> Object:
    from windlass.apiserver.cel.library import AUTHORIZER

    resource = attributes.resource
    asked = {
        "group": resource.group,
        "resource": resource.plural,
        "subresource": attributes.subresource,
        "namespace": attributes.namespace,
        "name": attributes.name,
    }
    empty: Object = {}
    return {AUTHORIZER: empty, "requestResource": {AUTHORIZER: asked}}


def policy_causes(policy: Object) -> Iterator[Cause]:
    """Return every expression of a policy that does not compile or has the wrong type."""
    spec = dig_object(policy, "spec")
    for section, word, wanted in (
        ("matchConditions", "expression", "BOOL"),
        ("variables", "expression", ""),
        ("validations", "expression", "BOOL"),
        ("validations", "messageExpression", "STRING"),
        ("auditAnnotations", "valueExpression", ""),
    ):
        entries = spec.get(section)
        for index, entry in enumerate(entries if is_list(entries) else []):
            expression = dig(entry, word)
            if isinstance(expression, str) and expression.strip():
                yield from _expression_causes(expression, f"spec.{section}[{index}].{word}", wanted)


def _expression_causes(expression: str, at: str, wanted: str) -> Iterator[Cause]:
    from windlass.apiserver.cel.runtime import CompileError, compiled
    from windlass.kube.errors import invalid

    try:
        program = compiled(expression, VARIABLES)
    except CompileError as error:
        yield invalid(at, expression, f"compilation failed: {error}")
        return
    if wanted and program.returns not in (wanted, "DYN"):
        yield invalid(at, expression, f"must evaluate to {wanted.lower()}")
