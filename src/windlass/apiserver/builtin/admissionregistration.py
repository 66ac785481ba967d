"""The group `admissionregistration.k8s.io`: webhook configurations and admission policies."""

from functools import partial
from typing import ClassVar

from windlass.apiserver.builtin.fields import Causes, check_each, check_label_selector, unsupported
from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Builtin
from windlass.apiserver.webhook_fields import REVIEW_VERSIONS, client_causes, review_version_causes
from windlass.kube import names
from windlass.kube.errors import Cause, duplicate, forbidden, invalid, required, too_many
from windlass.kube.json import Object, dig, dig_list, dig_object

_OPERATIONS = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_FAILURE = ("Fail", "Ignore")
_MATCH = ("Equivalent", "Exact")
_SCOPES = ("*", "Cluster", "Namespaced")
_SIDE_EFFECTS = ("None", "NoneOnDryRun")
_CHOICES = {
    "failurePolicy": _FAILURE,
    "matchPolicy": _MATCH,
    "sideEffects": _SIDE_EFFECTS,
    "reinvocationPolicy": ("IfNeeded", "Never"),
}
_MAX_CONDITIONS = 64


def _default_match(match: Object, rules: str) -> None:
    """Set the defaults that webhooks and policies share: which objects they match."""
    match.setdefault("matchPolicy", "Equivalent")
    match.setdefault("namespaceSelector", {})
    match.setdefault("objectSelector", {})
    for field in (rules, "excludeResourceRules"):
        for rule in dig_list(match, field):
            rule.setdefault("scope", "*")


class WebhookConfigurations(Builtin):
    allows_unconditional_update = False
    generation_fields: ClassVar[tuple[str, ...] | None] = ("webhooks",)
    mutating: ClassVar[bool] = False

    def default(self, obj: Object) -> None:
        for hook in dig_list(obj, "webhooks"):
            hook.setdefault("failurePolicy", "Fail")
            hook.setdefault("timeoutSeconds", 10)
            _default_match(hook, "rules")
            if self.mutating:
                hook.setdefault("reinvocationPolicy", "Never")
            service = dig(hook, "clientConfig", "service")
            if service is not None:
                service.setdefault("port", 443)

    def validate(self, obj: Object) -> list[Cause]:
        causes: Causes = []
        seen: set[str] = set()
        for index, hook in enumerate(dig_list(obj, "webhooks")):
            path = f"webhooks[{index}]"
            name = hook.get("name", "")
            _check_name(f"{path}.name", name, causes)
            if name in seen:
                causes.append(duplicate(f"{path}.name", name))
            seen.add(name)
            _check_hook(path, hook, causes)
        return causes


class MutatingWebhooks(WebhookConfigurations):
    mutating = True


def _check_name(field: str, name: str, causes: Causes) -> None:
    if not name:
        causes.append(required(field))
        return
    if problems := names.dns_subdomain_errors(name):
        causes.append(invalid(field, name, ",".join(problems)))
    elif name.count(".") < 2:
        causes.append(invalid(field, name, "should be a domain with at least three segments separated by dots"))


def _check_hook(path: str, hook: Object, causes: Causes) -> None:
    for index, rule in enumerate(dig_list(hook, "rules")):
        check_rule(f"{path}.rules[{index}]", rule, causes)
    for field, supported in _CHOICES.items():
        if hook.get(field) is not None and hook[field] not in supported:
            causes.append(unsupported(f"{path}.{field}", hook[field], supported))
    if hook.get("sideEffects") is None:
        causes.append(required(f"{path}.sideEffects", f"must specify one of {', '.join(_SIDE_EFFECTS)}"))
    seconds = hook.get("timeoutSeconds", 10)
    if not 1 <= seconds <= 30:
        why = "the timeout value must be between 1 and 30 seconds"
        causes.append(invalid(f"{path}.timeoutSeconds", seconds, why))
    for field in ("namespaceSelector", "objectSelector"):
        check_label_selector(f"{path}.{field}", hook.get(field), causes)
    causes += client_causes(dig_object(hook, "clientConfig"), f"{path}.clientConfig")
    check_conditions(f"{path}.matchConditions", dig_list(hook, "matchConditions"), causes)
    versions = [str(version) for version in dig_list(hook, "admissionReviewVersions")]
    needed = f"must specify one of {', '.join(REVIEW_VERSIONS)}"
    causes += review_version_causes(versions, f"{path}.admissionReviewVersions", needed)


def check_conditions(path: str, conditions: list[Object], causes: Causes) -> None:
    """Validate the form of match conditions; admission compiles their expressions."""
    if len(conditions) > _MAX_CONDITIONS:
        causes.append(too_many(path, len(conditions), _MAX_CONDITIONS))
    seen: set[str] = set()
    for index, condition in enumerate(conditions):
        at, name = f"{path}[{index}]", condition.get("name") or ""
        if not (condition.get("expression") or "").strip():
            causes.append(required(f"{at}.expression"))
        if not name:
            causes.append(required(f"{at}.name"))
            continue
        check_each(f"{at}.name", name, names.label_key_errors(name), causes)
        if name in seen:
            causes.append(duplicate(f"{at}.name", name))
        seen.add(name)


def check_rule(path: str, rule: Object, causes: Causes) -> None:
    """Validate operations, groups, versions and resources: none may be empty, and a `*` must be alone."""
    operations = dig_list(rule, "operations")
    _check_wildcard(f"{path}.operations", operations, "operations", causes)
    for index, operation in enumerate(operations):
        if operation not in _OPERATIONS:
            causes.append(unsupported(f"{path}.operations[{index}]", operation, _OPERATIONS))
    _check_wildcard(f"{path}.apiGroups", dig_list(rule, "apiGroups"), "API groups", causes)
    versions = dig_list(rule, "apiVersions")
    _check_wildcard(f"{path}.apiVersions", versions, "API versions", causes)
    causes += [required(f"{path}.apiVersions[{index}]") for index, version in enumerate(versions) if not version]
    _check_resources(f"{path}.resources", [str(named) for named in dig_list(rule, "resources")], causes)
    if rule.get("scope", "*") not in _SCOPES:
        causes.append(unsupported(f"{path}.scope", rule["scope"], _SCOPES))


def _check_wildcard(path: str, values: list[str], what: str, causes: Causes) -> None:
    if not values:
        causes.append(required(path))
    elif len(values) > 1 and "*" in values:
        causes.append(invalid(path, values, f"if '*' is present, must not specify other {what}"))


def _check_resources(path: str, resources: list[str], causes: Causes) -> None:
    """Validate resources such as `pods`, `pods/status` and `*`: none may be covered by another."""
    if not resources:
        causes.append(required(path))
    for index, named in enumerate(resources):
        at = f"{path}[{index}]"
        if not named:
            causes.append(required(at))
            continue
        kind, slash, part = named.partition("/")
        for wildcard in (f"{kind}/*", f"*/{part}") if slash else ():
            if wildcard in resources[:index]:
                causes.append(invalid(at, named, f"if '{wildcard}' is present, must not specify {named}"))
    if len(resources) > 1 and "*/*" in resources:
        causes.append(invalid(path, resources, "if '*/*' is present, must not specify other resources"))
    plain = [named for named in resources if named and "/" not in named]
    if "*" in plain and plain[-1] != "*":  # Kubernetes looks at the last of them
        why = "if '*' is present, must not specify other resources without subresources"
        causes.append(invalid(path, resources, why))


class AdmissionPolicies(Builtin):
    allows_unconditional_update = False
    written_with_status = ()

    def default(self, obj: Object) -> None:
        spec: Object = obj.setdefault("spec", {})
        spec.setdefault("failurePolicy", "Fail")
        if spec.get("matchConstraints") is not None:
            _default_match(spec["matchConstraints"], "resourceRules")

    def validate(self, obj: Object) -> list[Cause]:
        spec: Object = obj.get("spec") or {}
        causes: Causes = []
        if spec.get("failurePolicy") not in _FAILURE:
            causes.append(unsupported("spec.failurePolicy", spec.get("failurePolicy", ""), _FAILURE))
        _check_match(spec.get("matchConstraints"), causes)
        check_conditions("spec.matchConditions", dig_list(spec, "matchConditions"), causes)
        validations = dig_list(spec, "validations")
        if not validations and not spec.get("auditAnnotations"):
            why = "validations or auditAnnotations must contain at least one item"
            causes += [required("spec.validations", why), required("spec.auditAnnotations", why)]
        for index, rule in enumerate(validations):
            if not (rule.get("expression") or "").strip():
                causes.append(required(f"spec.validations[{index}].expression", "expression is not specified"))
        kind = spec.get("paramKind")
        if kind is not None:
            for field in ("apiVersion", "kind"):
                if not kind.get(field):
                    causes.append(required(f"spec.paramKind.{field}"))
        return causes


def _check_match(match: Object | None, causes: Causes) -> None:
    path = "spec.matchConstraints"
    if match is None:
        causes.append(required(path))
        return
    rules = dig_list(match, "resourceRules")
    if not rules:
        causes.append(required(f"{path}.resourceRules"))
    for index, rule in enumerate(rules):
        check_rule(f"{path}.resourceRules[{index}]", rule, causes)
    for field in ("namespaceSelector", "objectSelector"):
        check_label_selector(f"{path}.{field}", match.get(field), causes)


class PolicyBindings(Builtin):
    allows_unconditional_update = False

    def default(self, obj: Object) -> None:
        match = dig(obj, "spec", "matchResources")
        if match is not None:
            _default_match(match, "resourceRules")
        reference = dig(obj, "spec", "paramRef")
        if reference is not None:
            reference.setdefault("parameterNotFoundAction", "Deny")

    def validate(self, obj: Object) -> list[Cause]:
        spec: Object = obj.get("spec") or {}
        causes: Causes = []
        if not spec.get("policyName"):
            causes.append(required("spec.policyName"))
        actions = dig_list(spec, "validationActions")
        if not actions:
            causes.append(required("spec.validationActions", "at least one validation action is required"))
        for index, action in enumerate(actions):
            if action not in ("Audit", "Deny", "Warn"):
                causes.append(unsupported(f"spec.validationActions[{index}]", action, ("Audit", "Deny", "Warn")))
            elif action in actions[:index]:
                causes.append(duplicate(f"spec.validationActions[{index}]", action))
        if "Deny" in actions and "Warn" in actions:
            why = (
                "must not contain both Deny and Warn (repeating the same validation failure information in the API "
                "response and headers serves no purpose)"
            )
            causes.append(invalid("spec.validationActions", actions, why))
        reference = spec.get("paramRef")
        if reference is not None and ("name" in reference) == ("selector" in reference):
            causes.append(forbidden("spec.paramRef.name", "name and selector are mutually exclusive"))
        return causes


_admission = partial(resource, "admissionregistration.k8s.io", "v1", namespaced=False, categories=("api-extensions",))

RESOURCES = (
    _admission("MutatingWebhookConfiguration", "mutatingwebhookconfigurations", strategy=MutatingWebhooks),
    _admission(
        "ValidatingAdmissionPolicy",
        "validatingadmissionpolicies",
        strategy=AdmissionPolicies,
        subresources=("status",),
    ),
    _admission("ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", strategy=PolicyBindings),
    _admission("ValidatingWebhookConfiguration", "validatingwebhookconfigurations", strategy=WebhookConfigurations),
)
