"""Admits or rejects a pod bound to this node: resources, labels, taints, and fields that the node supports."""

import contextlib
from collections.abc import Iterable, Iterator

import msgspec

from windlass.apis.core_v1 import Node, Pod
from windlass.apis.node_fit import first_untolerated, fits_node
from windlass.apis.quota_usage import add, container_requests, is_extended, pod_amounts
from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.quantity import ZERO, Quantity
from windlass.node.lifecycle import main_container
from windlass.node.lifecycle.decision import EventRecord
from windlass.node.lifecycle.observed import Rejection
from windlass.node.lifecycle.view import TERMINAL

RUNTIME_CLASSES = ("", "windlass")
UNSUPPORTED = "UnsupportedField"


class Admission(msgspec.Struct, frozen=True):
    """The result of admission.

    `rejection` is None for an admitted pod; `warnings` are events about fields without effect.
    """

    rejection: Rejection | None = None
    warnings: tuple[EventRecord, ...] = ()


def admit(pod: Object, node: Object, others: Iterable[Object], *, has_groups: bool = True) -> Admission:
    """Admit a pod. `others` are the pods of this node; ended pods and the pod itself do not count.

    `has_groups`: whether containers can have supplementary groups.
    """
    refused = next(_unsupported(pod), None)
    if refused is not None:
        return Admission(refused)
    spec, typed_node = dig_object(pod, "spec"), _typed_node(node)
    if not fits_node(spec, typed_node):
        text = "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"
        return Admission(Rejection("NodeAffinity", text))
    taint = first_untolerated(dig_list(spec, "tolerations"), typed_node.spec.taints, ("NoExecute",))
    if taint is not None:
        text = f"Predicate TaintToleration failed: node(s) had untolerated taint {{{taint.key}: {taint.value}}}"
        return Admission(Rejection("TaintToleration", text))
    uid = dig(pod, "metadata", "uid")
    there = [each for each in others if dig(each, "metadata", "uid") != uid and not _has_ended(each)]
    try:
        wanted = _needs(pod)
    except ValueError as error:
        return Admission(Rejection("UnexpectedAdmissionError", f"the pod's resources are invalid: {error}"))
    short = _short(wanted, dig_object(node, "status", "allocatable"), there)
    if short is not None:
        return Admission(short)
    return Admission(warnings=(*_warnings(pod), *(() if has_groups else _without_groups(pod))))


def _has_ended(pod: Object) -> bool:
    return dig(pod, "status", "phase") in TERMINAL


def _typed_node(node: Object) -> Node:
    """Convert the parts of the Node that affect admission; the rest of the object may have any shape."""
    metadata = {key: value for key, value in dig_object(node, "metadata").items() if key in ("name", "labels")}
    return msgspec.convert({"metadata": metadata, "spec": {"taints": dig_list(node, "spec", "taints")}}, Node)


def _needs(pod: Object) -> dict[str, Quantity]:
    """Return the pod's requests plus the overhead of its runtime class. Raises ValueError for invalid quantities."""
    spec = dig_object(pod, "spec")
    counted: Object = {
        listed: [
            {key: each[key] for key in ("name", "resources", "restartPolicy") if each.get(key) is not None}
            for each in dig_list(spec, listed)
        ]
        for listed in ("containers", "initContainers")
    }
    counted |= {key: spec[key] for key in ("overhead", "resources") if spec.get(key) is not None}
    typed = msgspec.convert({"spec": counted}, Pod, strict=False)
    needs = pod_amounts(typed, container_requests)
    add(needs, {name: Quantity.parse(amount) for name, amount in typed.spec.overhead.items()})
    return needs


def _short(wanted: dict[str, Quantity], allocatable: Object, others: list[Object]) -> Rejection | None:
    """Return the first insufficient resource."""
    used: dict[str, Quantity] = {}
    for each in others:
        with contextlib.suppress(ValueError):  # it runs all the same
            add(used, _needs(each))
    pods = Quantity.parse(allocatable.get("pods", 0))
    if len(others) + 1 > pods.value():
        return _out_of("pods", 1, len(others), pods.value())
    for name, amount in sorted(wanted.items()):
        have, taken = Quantity.parse(allocatable.get(name, 0)), used.get(name, ZERO)
        if not amount or amount + taken <= have:
            continue
        if name not in allocatable and is_extended(name):
            text = f"Allocate failed due to requested number of devices unavailable for {name}. "
            text += f"Requested: {amount.value()}, Available: 0, which is unexpected"
            return Rejection("UnexpectedAdmissionError", text)
        if name == "cpu":
            return _out_of(name, amount.milli(), taken.milli(), have.milli())
        return _out_of(name, amount.value(), taken.value(), have.value())
    return None


def _out_of(name: str, wanted: int, used: int, capacity: int) -> Rejection:
    amounts = f"requested: {wanted}, used: {used}, capacity: {capacity}"
    return Rejection(f"OutOf{name}", f"Node didn't have enough resource: {name}, {amounts}")


def _containers(spec: Object) -> Iterator[tuple[str, Object]]:
    for listed in ("initContainers", "containers", "ephemeralContainers"):
        for index, each in enumerate(dig_list(spec, listed)):
            yield f"spec.{listed}[{index}]", each


def _contexts(spec: Object) -> Iterator[tuple[str, Object]]:
    yield "spec.securityContext", dig_object(spec, "securityContext")
    for where, each in _containers(spec):
        yield f"{where}.securityContext", dig_object(each, "securityContext")


def _unsupported(pod: Object) -> Iterator[Rejection]:
    """Return the first field that this node cannot honour without changing its meaning."""
    spec = dig_object(pod, "spec")
    if dig(spec, "os", "name") not in (None, "linux"):
        text = "Failed to admit pod as the OS field doesn't match node OS"
        yield Rejection("PodOSNotSupported", text)
    runtime = spec.get("runtimeClassName") or ""
    if runtime not in RUNTIME_CLASSES:
        yield Rejection(UNSUPPORTED, f'spec.runtimeClassName: this node has no runtime class "{runtime}"')
    if spec.get("hostPID"):
        yield Rejection(UNSUPPORTED, "spec.hostPID: pods of this node cannot see the processes of the host")
    if dig_list(spec, "resourceClaims"):
        yield Rejection(UNSUPPORTED, "spec.resourceClaims: this node has no driver for dynamic resources")
    for where, context in _contexts(spec):
        if context.get("privileged"):
            yield Rejection(UNSUPPORTED, f"{where}.privileged: privileged containers are not supported on this node")
        if context.get("windowsOptions"):
            yield Rejection(UNSUPPORTED, f"{where}.windowsOptions: this node runs Linux")
        if context.get("procMount") not in (None, "Default"):
            yield Rejection(UNSUPPORTED, f"{where}.procMount: only Default is supported on this node")
        if dig(context, "appArmorProfile", "type") == "Localhost":
            text = f"{where}.appArmorProfile: Localhost profiles are not supported on this node"
            yield Rejection(UNSUPPORTED, text)
    for where, each in _containers(spec):
        if any(rule.get("action") not in (None, "Restart") for rule in dig_list(each, "restartPolicyRules")):
            yield Rejection(UNSUPPORTED, f"{where}.restartPolicyRules: only the action Restart is supported")


def _warnings(pod: Object) -> Iterator[EventRecord]:
    """Return warnings about fields that are ignored without changing what the pod does."""
    spec = dig_object(pod, "spec")
    no_main = main_container.problem(dig_object(pod, "metadata"), dig_list(spec, "containers"))
    if no_main:
        yield EventRecord("UnknownMainContainer", no_main, warning=True)
    for where, context in _contexts(spec):
        if context.get("seLinuxOptions"):
            yield EventRecord(
                UNSUPPORTED, f"{where}.seLinuxOptions: SELinux labels are not set on this node", warning=True
            )
        if dig_list(context, "capabilities", "add"):
            text = f"{where}.capabilities.add: applies only inside the pod's own user namespace"
            yield EventRecord(UNSUPPORTED, text, warning=True)
        if dig(context, "appArmorProfile", "type") == "RuntimeDefault":
            text = f"{where}.appArmorProfile: this node has no AppArmor profile to apply"
            yield EventRecord(UNSUPPORTED, text, warning=True)


def _without_groups(pod: Object) -> Iterator[EventRecord]:
    context = dig_object(pod, "spec", "securityContext")
    if dig_list(context, "supplementalGroups"):
        text = "spec.securityContext.supplementalGroups: ignored, since the user who runs this node cannot set groups"
        yield EventRecord(UNSUPPORTED, text, warning=True)
    if context.get("fsGroup") is not None:
        text = "spec.securityContext.fsGroup: the user who runs this node has no other groups to give; volumes are "
        yield EventRecord(UNSUPPORTED, text + "that user's", warning=True)
