"""The columns of cluster kinds: nodes, namespaces, configuration, quotas, events, leases, classes."""

from datetime import datetime
from typing import Any

from windlass.apiserver.resources import Column
from windlass.apiserver.tables.cells import (
    AGE,
    NAME,
    Cell,
    at,
    condition_status,
    count,
    flag,
    number,
    since,
    text,
    wide,
)
from windlass.kube.json import Object, dig, dig_list, dig_object


def _node_status(node: Object, now: datetime) -> str:
    ready = condition_status(node, "Ready")
    word = {"": "Unknown", "True": "Ready"}.get(ready, "NotReady")
    return f"{word},SchedulingDisabled" if dig(node, "spec", "unschedulable") else word


def _node_roles(node: Object, now: datetime) -> str:
    roles: set[str] = set()
    for key, value in dig_object(node, "metadata", "labels").items():
        if key.startswith("node-role.kubernetes.io/"):
            roles.add(key.removeprefix("node-role.kubernetes.io/"))
        elif key == "kubernetes.io/role":
            roles.add(value)
    return ",".join(sorted(roles - {""})) or "<none>"


def _node_address(type_: str) -> Cell:
    def cell(node: Object, now: datetime) -> str:
        addresses = dig_list(node, "status", "addresses")
        return next((item.get("address", "") for item in addresses if item.get("type") == type_), "<none>")

    return cell


def _node_info(title: str, field: str) -> Column:
    return wide(title, at("status", "nodeInfo", field, default="<unknown>"), "As reported by the node.")


NODE = (
    NAME,
    text("Status", _node_status, "The status of the node"),
    text("Roles", _node_roles, "The roles of the node"),
    AGE,
    text("Version", at("status", "nodeInfo", "kubeletVersion"), "The version of the node agent."),
    wide("Internal-IP", _node_address("InternalIP"), "The address inside the cluster."),
    wide("External-IP", _node_address("ExternalIP"), "The address outside of the cluster."),
    _node_info("OS-Image", "osImage"),
    _node_info("Kernel-Version", "kernelVersion"),
    _node_info("Container-Runtime", "containerRuntimeVersion"),
)
NAMESPACE = (NAME, text("Status", at("status", "phase"), "The status of the namespace"), AGE)
CONFIG_MAP = (
    NAME,
    text("Data", lambda obj, now: len(obj.get("data") or ()) + len(obj.get("binaryData") or ()), "The number of keys."),
    AGE,
)
SECRET = (
    NAME,
    text("Type", at("type"), "The type of the secret."),
    text("Data", count("data"), "The number of keys."),
    AGE,
)
SERVICE_ACCOUNT = (NAME, text("Secrets", count("secrets"), "The number of secrets that its pods may use."), AGE)


def _quota(limits: bool) -> Cell:
    """Used and hard amounts of the resources of one column: those that start with `limits.`, or all others."""

    def cell(quota: Object, now: datetime) -> str:
        used = dig_object(quota, "status", "used")
        hard = sorted(dig_object(quota, "status", "hard").items())
        return ", ".join(
            f"{name}: {used.get(name, 0)}/{most}" for name, most in hard if name.startswith("limits.") is limits
        )

    return cell


RESOURCE_QUOTA = (
    NAME,
    text("Request", _quota(limits=False), "Used and hard amounts of requests and counts."),
    text("Limit", _quota(limits=True), "Used and hard amounts of limits."),
    AGE,
)


# Events have other field names in events.k8s.io/v1 than in v1: each cell looks for both.


def _event_first(event: Object) -> Any:
    return event.get("firstTimestamp") or event.get("deprecatedFirstTimestamp") or event.get("eventTime")


def _first_occurrence(event: Object, now: datetime) -> str:
    return since(_event_first(event), now)


def _last_occurrence(event: Object, now: datetime) -> str:
    if series := event.get("series"):
        return since(series.get("lastObservedTime"), now)
    last = event.get("lastTimestamp") or event.get("deprecatedLastTimestamp")
    return since(last or _event_first(event), now)


def _event_object(event: Object) -> Object:
    return event.get("involvedObject") or event.get("regarding") or {}


def _event_target(event: Object, now: datetime) -> str:
    target = _event_object(event)
    kind = target.get("kind", "").lower()
    return f"{kind}/{target['name']}" if target.get("name") else kind


def _event_source(event: Object, now: datetime) -> str:
    source: Object = event.get("source") or event.get("deprecatedSource") or {}
    component = source.get("component") or event.get("reportingComponent") or event.get("reportingController") or ""
    instance = source.get("host") or event.get("reportingInstance")
    return f"{component}, {instance}" if instance else component


def _event_count(event: Object, now: datetime) -> int:
    if series := event.get("series"):
        return series.get("count", 0)
    return event.get("count") or event.get("deprecatedCount") or 1


def _event_message(event: Object, now: datetime) -> str:
    return (event.get("message") or event.get("note") or "").strip()


EVENT = (
    text("Last Seen", _last_occurrence, "Time since the last occurrence."),
    text("Type", at("type"), "Normal or Warning."),
    text("Reason", at("reason"), "The reason in CamelCase."),
    text("Object", _event_target, "The involved object."),
    wide("Subobject", lambda obj, now: _event_object(obj).get("fieldPath", ""), "The field of the involved object."),
    wide("Source", _event_source, "The reporting component."),
    text("Message", _event_message, "What happened."),
    wide("First Seen", _first_occurrence, "Time since the first occurrence."),
    wide("Count", _event_count, "The number of occurrences."),
    Column(NAME.name, NAME.cell, NAME.type, NAME.format, NAME.description, 1),
)


def _component_condition(field: str) -> Cell:
    def cell(component: Object, now: datetime) -> str:
        conditions = dig_list(component, "conditions")
        return next((item.get(field, "") for item in conditions if item.get("type") == "Healthy"), "")

    return cell


def _component_health(component: Object, now: datetime) -> str:
    word = _component_condition("status")(component, now)
    return {"": "Unknown", "True": "Healthy"}.get(word, "Unhealthy")


COMPONENT_STATUS = (
    NAME,
    text("Status", _component_health, "Status of the component conditions"),
    text("Message", _component_condition("message"), "Message of the component conditions"),
    text("Error", _component_condition("error"), "Error of the component conditions"),
)
LEASE = (NAME, text("Holder", at("spec", "holderIdentity"), "The holder of the lease."), AGE)
LEASE_CANDIDATE = (
    NAME,
    text("LeaseName", at("spec", "leaseName"), "The lease of the candidate."),
    text("BinaryVersion", at("spec", "binaryVersion")),
    text("EmulationVersion", at("spec", "emulationVersion")),
    AGE,
)
PRIORITY_CLASS = (
    NAME,
    number("Value", at("value", default=0), "The priority of the pods."),
    flag("Global-Default", at("globalDefault", default=False), "Whether this is the default class."),
    AGE,
    text("PreemptionPolicy", at("preemptionPolicy"), "Whether the pods may preempt pods of lower priority."),
)
RUNTIME_CLASS = (NAME, text("Handler", at("handler"), "The runtime handler of the pods."), AGE)


def _claim_state(claim: Object, now: datetime) -> str:
    states: list[str] = []
    deleted = bool(claim["metadata"].get("deletionTimestamp"))
    if deleted:
        states.append("deleted")
    if dig(claim, "status", "allocation") is not None:
        states.append("allocated")
        if dig(claim, "status", "reservedFor"):
            states.append("reserved")
    elif not deleted:
        states.append("pending")
    return ",".join(states)


NAME_AND_AGE = (NAME, AGE)
RESOURCE_CLAIM = (NAME, text("State", _claim_state, "A summary of the current state."), AGE)
RESOURCE_SLICE = (
    NAME,
    text("Node", at("spec", "nodeName"), "The node of the devices."),
    text("Driver", at("spec", "driver"), "The driver of the devices."),
    text("Pool", at("spec", "pool", "name"), "The pool of the devices."),
    AGE,
)
