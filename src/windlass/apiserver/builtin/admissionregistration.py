"""The group `admissionregistration.k8s.io`: webhook configurations and admission policies."""

from functools import partial
from typing import ClassVar

from windlass.apiserver.builtin.fields import Causes, check_each, check_label_selector, unsupported
from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Builtin
from windlass.kube import names
from windlass.kube.errors import Cause, duplicate, forbidden, invalid, required
from windlass.kube.json import Object, dig, dig_list, dig_object

_OPERATIONS = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_FAILURE = ("Fail", "Ignore")
_MATCH = ("Equivalent", "Exact")
_SCOPES = ("*", "Cluster", "Namespaced")


def _default_match(match: Object, rules: str) -> None:
    """What webhooks and policies share: which objects they are about."""
    match.setdefault("matchPolicy", "Equivalent")
    match.setdefault("namespaceSelector", {})
    match.setdefault("objectSelector", {})
    for field in (rules, "excludeResourceRules"):
        for rule in dig_list(match, field):
            rule.setdefault("scope", "*")


class WebhookConfigurations(Builtin):
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
    problems = names.dns_subdomain_errors(name)
    check_each(field, name, problems, causes)
    if not problems and name.count(".") < 2:
        causes.append(invalid(field, name, "should be a domain with at least three segments separated by dots"))


def _check_hook(path: str, hook: Object, causes: Causes) -> None:
    for index, rule in enumerate(dig_list(hook, "rules")):
        check_rule(f"{path}.rules[{index}]", rule, causes)
    if hook.get("failurePolicy", "Fail") not in _FAILURE:
        causes.append(unsupported(f"{path}.failurePolicy", hook["failurePolicy"], _FAILURE))
    if hook.get("matchPolicy", "Exact") not in _MATCH:
        causes.append(unsupported(f"{path}.matchPolicy", hook["matchPolicy"], _MATCH))
    effects = hook.get("sideEffects")
    if effects is None:
        causes.append(required(f"{path}.sideEffects", "must specify one of None, NoneOnDryRun"))
    elif effects not in ("None", "NoneOnDryRun"):
        causes.append(unsupported(f"{path}.sideEffects", effects, ("None", "NoneOnDryRun")))
    versions = dig_list(hook, "admissionReviewVersions")
    if not versions:
        causes.append(required(f"{path}.admissionReviewVersions", "must specify one of v1, v1beta1"))
    elif not {"v1", "v1beta1"} & set(versions):
        why = "must include at least one of v1, v1beta1"
        causes.append(invalid(f"{path}.admissionReviewVersions", versions, why))
    seconds = hook.get("timeoutSeconds", 10)
    if not 1 <= seconds <= 30:
        why = "the timeout value must be between 1 and 30 seconds"
        causes.append(invalid(f"{path}.timeoutSeconds", seconds, why))
    for field in ("namespaceSelector", "objectSelector"):
        check_label_selector(f"{path}.{field}", hook.get(field), causes)
    _check_client(f"{path}.clientConfig", dig_object(hook, "clientConfig"), causes)


def _check_client(path: str, client: Object, causes: Causes) -> None:
    url, service = client.get("url"), client.get("service")
    if (url is None) == (service is None):
        causes.append(required(path, "exactly one of url or service is required"))
    elif url is not None:
        if not url.startswith("https://"):
            why = "'https' is the only allowed URL scheme; desired format: https://host[/path]"
            causes.append(invalid(f"{path}.url", url, why))
    else:
        for field in ("namespace", "name"):
            if not dig(service, field):
                causes.append(required(f"{path}.service.{field}", f"service {field} is required"))


def check_rule(path: str, rule: Object, causes: Causes) -> None:
    """Operations, groups, versions and resources: each must name something, and a `*` stands alone."""
    operations = dig_list(rule, "operations")
    if not operations:
        causes.append(required(f"{path}.operations"))
    for index, operation in enumerate(operations):
        if operation not in _OPERATIONS:
            causes.append(unsupported(f"{path}.operations[{index}]", operation, _OPERATIONS))
    for field in ("apiGroups", "apiVersions", "resources"):
        values = dig_list(rule, field)
        if not values:
            causes.append(required(f"{path}.{field}"))
        if field != "resources" and "*" in values and len(values) > 1:
            what = "groups" if field == "apiGroups" else "versions"
            why = f"if '*' is present, must not specify other API {what}"
            causes.append(invalid(f"{path}.{field}", values, why))
    if rule.get("scope", "*") not in _SCOPES:
        causes.append(unsupported(f"{path}.scope", rule["scope"], _SCOPES))


class AdmissionPolicies(Builtin):
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
