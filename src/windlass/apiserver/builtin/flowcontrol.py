"""The group `flowcontrol.apiserver.k8s.io`: fair sharing of an API server among its clients.

This server answers on one event loop, in order of arrival, and does not queue requests: the objects are stored for
compatibility and have no effect.
"""

from functools import partial

from windlass.apiserver.builtin.fields import Causes, check_subdomain, unsupported
from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Builtin
from windlass.kube.errors import Cause, forbidden, invalid, required
from windlass.kube.json import Object, dig, dig_list, dig_object

_LAST_PRECEDENCE = 10_000
_DISTINGUISHERS = ("ByNamespace", "ByUser")
_TYPES = ("Exempt", "Limited")
_RESPONSES = ("Queue", "Reject")
_SUBJECTS = {"User": "user", "Group": "group", "ServiceAccount": "serviceAccount"}


class FlowSchemas(Builtin):
    written_with_status = ()

    def default(self, obj: Object) -> None:
        spec: Object = obj.setdefault("spec", {})
        if not spec.get("matchingPrecedence"):
            spec["matchingPrecedence"] = 1000

    def validate(self, obj: Object) -> list[Cause]:
        spec, causes = dig_object(obj, "spec"), Causes()
        precedence = spec.get("matchingPrecedence", 0)
        if precedence <= 0:
            causes.append(invalid("spec.matchingPrecedence", precedence, "must be a positive value"))
        elif precedence > _LAST_PRECEDENCE:
            why = f"must not be greater than {_LAST_PRECEDENCE}"
            causes.append(invalid("spec.matchingPrecedence", precedence, why))
        elif precedence == 1 and dig(obj, "metadata", "name") != "exempt":
            why = "only the schema named 'exempt' may have matchingPrecedence 1"
            causes.append(invalid("spec.matchingPrecedence", precedence, why))
        method = spec.get("distinguisherMethod")
        if method is not None and method.get("type") not in _DISTINGUISHERS:
            causes.append(unsupported("spec.distinguisherMethod", method.get("type", ""), _DISTINGUISHERS))
        level = dig(spec, "priorityLevelConfiguration", "name")
        if level:
            check_subdomain("spec.priorityLevelConfiguration.name", level, causes)
        else:
            causes.append(required("spec.priorityLevelConfiguration.name", "must reference a priority level"))
        for index, rule in enumerate(dig_list(spec, "rules")):
            _check_rule(f"spec.rules[{index}]", rule, causes)
        return causes


def _check_rule(path: str, rule: Object, causes: Causes) -> None:
    subjects = dig_list(rule, "subjects")
    if not subjects:
        causes.append(required(f"{path}.subjects", "subjects must contain at least one value"))
    for index, subject in enumerate(subjects):
        kind = subject.get("kind", "")
        if kind not in _SUBJECTS:
            causes.append(unsupported(f"{path}.subjects[{index}].kind", kind, _SUBJECTS))
        elif not subject.get(_SUBJECTS[kind]):
            where = f"{path}.subjects[{index}].{_SUBJECTS[kind]}"
            causes.append(required(where, f"{_SUBJECTS[kind]} is required when subject kind is '{kind}'"))
    if not rule.get("resourceRules") and not rule.get("nonResourceRules"):
        causes.append(required(path, "at least one of resourceRules and nonResourceRules has to be non-empty"))
    for name in ("resourceRules", "nonResourceRules"):
        for index, inner in enumerate(dig_list(rule, name)):
            if not inner.get("verbs"):
                causes.append(required(f"{path}.{name}[{index}].verbs", "verbs must contain at least one value"))


class PriorityLevels(Builtin):
    written_with_status = ()

    def default(self, obj: Object) -> None:
        spec: Object = obj.setdefault("spec", {})
        if spec.get("type") == "Exempt":
            exempt: Object = spec.setdefault("exempt", {})
            exempt.setdefault("nominalConcurrencyShares", 0)
            exempt.setdefault("lendablePercent", 0)
        limited = spec.get("limited")
        if limited is None:
            return
        limited.setdefault("nominalConcurrencyShares", 30)
        limited.setdefault("lendablePercent", 0)
        queuing = dig(limited, "limitResponse", "queuing")
        if queuing is not None:
            for name, value in (("queues", 64), ("handSize", 8), ("queueLengthLimit", 50)):
                queuing[name] = queuing.get(name) or value

    def validate(self, obj: Object) -> list[Cause]:
        spec, causes = dig_object(obj, "spec"), Causes()
        kind, limited = spec.get("type", ""), spec.get("limited")
        if kind not in _TYPES:
            causes.append(unsupported("spec.type", kind, _TYPES))
        elif kind == "Exempt":
            if limited is not None:
                causes.append(forbidden("spec.limited", "must be nil if the type is not Limited"))
        elif limited is None:
            causes.append(required("spec.limited", "must not be empty when type is Limited"))
        else:
            response = dig_object(limited, "limitResponse")
            if response.get("type") not in _RESPONSES:
                causes.append(unsupported("spec.limited.limitResponse.type", response.get("type", ""), _RESPONSES))
            elif response["type"] == "Queue" and response.get("queuing") is None:
                why = "must not be empty if limited.limitResponse.type is Queue"
                causes.append(required("spec.limited.limitResponse.queuing", why))
        return causes


_flow = partial(
    resource, "flowcontrol.apiserver.k8s.io", "v1", namespaced=False, subresources=("status",),
)  # fmt: skip

RESOURCES = (
    _flow("FlowSchema", "flowschemas", strategy=FlowSchemas),
    _flow("PriorityLevelConfiguration", "prioritylevelconfigurations", strategy=PriorityLevels),
)
