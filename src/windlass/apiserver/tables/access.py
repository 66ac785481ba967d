"""The columns of RBAC, certificates, admission and flow control kinds."""

from datetime import datetime

from windlass.apiserver.tables.cells import (
    AGE,
    NAME,
    Cell,
    at,
    count,
    human_duration,
    number,
    selector_text,
    shown,
    text,
    wide,
)
from windlass.kube.json import Object, dig, dig_list, dig_object


def _role(binding: Object, now: datetime) -> str:
    return f"{dig(binding, 'roleRef', 'kind') or ''}/{dig(binding, 'roleRef', 'name') or ''}"


def _subjects(kind: str) -> Cell:
    def cell(binding: Object, now: datetime) -> str:
        found = [subject for subject in dig_list(binding, "subjects") if subject.get("kind") == kind]
        if kind != "ServiceAccount":
            return ", ".join(subject.get("name", "") for subject in found)
        return ", ".join("/".join(filter(None, (s.get("namespace"), s.get("name", "")))) for s in found)

    return cell


ROLE_BINDING = (
    NAME,
    text("Role", _role, "The referenced role."),
    AGE,
    wide("Users", _subjects("User"), "Users with the role."),
    wide("Groups", _subjects("Group"), "Groups with the role."),
    wide("ServiceAccounts", _subjects("ServiceAccount"), "Service accounts with the role."),
)


def _requested_duration(request: Object, now: datetime) -> str:
    seconds = dig(request, "spec", "expirationSeconds")
    return "<none>" if seconds is None else human_duration(seconds)


def _request_condition(request: Object, now: datetime) -> str:
    types = {condition.get("type") for condition in dig_list(request, "status", "conditions")}
    word = "Denied" if "Denied" in types else "Approved" if "Approved" in types else "Pending"
    if "Failed" in types:
        word += ",Failed"
    return f"{word},Issued" if dig(request, "status", "certificate") else word


CERTIFICATE_SIGNING_REQUEST = (
    NAME,
    AGE,
    text("SignerName", at("spec", "signerName", default="<none>"), "The requested signer."),
    text("Requestor", at("spec", "username"), "Who asks."),
    text("RequestedDuration", _requested_duration, "The requested lifetime of the certificate."),
    text("Condition", _request_condition, "The state of the request."),
)
CLUSTER_TRUST_BUNDLE = (
    NAME,
    text("SignerName", at("spec", "signerName", default="<none>"), "The signer of the trust anchors."),
)

WEBHOOK_CONFIGURATION = (
    NAME,
    number("Webhooks", count("webhooks"), "Webhooks indicates the number of webhooks registered in this configuration"),
    AGE,
)


def _param_kind(policy: Object, now: datetime) -> str:
    kind = dig(policy, "spec", "paramKind")
    return f"{kind.get('apiVersion', '')}/{kind.get('kind', '')}" if kind is not None else "<unset>"


def _param_ref(binding: Object, now: datetime) -> str:
    reference = dig_object(binding, "spec", "paramRef")
    if reference.get("name"):
        return f"{reference.get('namespace') or '*'}/{reference['name']}"
    return selector_text(reference["selector"]) if reference.get("selector") is not None else "<unset>"


_PARAM_KIND = text("ParamKind", _param_kind, "The kind of object that parameterizes the policy.")
VALIDATING_ADMISSION_POLICY = (
    NAME,
    number("Validations", count("spec", "validations"), "The number of validation rules."),
    _PARAM_KIND,
    AGE,
)
MUTATING_ADMISSION_POLICY = (
    NAME,
    number("Mutations", count("spec", "mutations"), "The number of mutations."),
    _PARAM_KIND,
    AGE,
)
ADMISSION_POLICY_BINDING = (
    NAME,
    text("PolicyName", at("spec", "policyName"), "The referenced policy."),
    text("ParamRef", _param_ref, "The object that parameterizes the policy."),
    AGE,
)


def _service(api: Object, now: datetime) -> str:
    service = dig(api, "spec", "service")
    return f"{service.get('namespace', '')}/{service.get('name', '')}" if service else "Local"


def _available(api: Object, now: datetime) -> str:
    for condition in dig_list(api, "status", "conditions"):
        if condition.get("type") == "Available":
            status, reason = condition.get("status", "Unknown"), condition.get("reason")
            return f"{status} ({reason})" if status != "True" and reason else status
    return "Unknown"


API_SERVICE = (
    NAME,
    text("Service", _service, "The reference to the service that hosts this API endpoint."),
    text("Available", _available, "Whether this service is available."),
    AGE,
)


def _dangling(schema: Object, now: datetime) -> str:
    conditions = dig_list(schema, "status", "conditions")
    return next((item.get("status", "") for item in conditions if item.get("type") == "Dangling"), "?")


FLOW_SCHEMA = (
    NAME,
    text("PriorityLevel", at("spec", "priorityLevelConfiguration", "name"), "The priority level of the requests."),
    text(
        "MatchingPrecedence",
        at("spec", "matchingPrecedence", default=0),
        "Schemas with a lower precedence are matched first.",
    ),
    text(
        "DistinguisherMethod",
        at("spec", "distinguisherMethod", "type", default="<none>"),
        "How requests are divided into flows.",
    ),
    AGE,
    text("MissingPL", _dangling, "references a broken or non-existent PriorityLevelConfiguration"),
)
_QUEUING = ("spec", "limited", "limitResponse", "queuing")
PRIORITY_LEVEL_CONFIGURATION = (
    NAME,
    text("Type", at("spec", "type"), "Whether requests are limited."),
    text("NominalConcurrencyShares", shown("spec", "limited", "nominalConcurrencyShares", default="<none>")),
    text("Queues", shown(*_QUEUING, "queues", default="<none>")),
    text("HandSize", shown(*_QUEUING, "handSize", default="<none>")),
    text("QueueLengthLimit", shown(*_QUEUING, "queueLengthLimit", default="<none>")),
    AGE,
)
