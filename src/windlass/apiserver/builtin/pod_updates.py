"""Allowed updates of pods: few fields of the pod itself, resources and ephemeral containers by subresource."""

from typing import Any

from windlass.apiserver.builtin.fields import MAX_INT32, Causes
from windlass.apiserver.builtin.pod_qos import qos_class
from windlass.apiserver.resources import keep_old
from windlass.kube.errors import Cause, forbidden, invalid
from windlass.kube.json import Object, dig_list, dig_object, encode

_MAY_CHANGE = (
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)
_CONTAINERS = ("containers", "initContainers")
_RESIZED = ("resources", "resizePolicy")
_TAKEN_FROM_OLD = ("activeDeadlineSeconds", "tolerations", "schedulingGates")


def validate_pod_update(new: Object, old: Object) -> list[Cause]:
    """Validate an update of the pod itself."""
    spec: Object = new.get("spec") or {}
    was: Object = old.get("spec") or {}
    causes: Causes = []
    if spec == was:
        return causes
    for field in ("containers", "initContainers"):
        if len(spec.get(field) or ()) != len(was.get(field) or ()):
            causes.append(forbidden(f"spec.{field}", "pod updates may not add or remove containers"))
    if causes:
        return causes
    _check_deadline(spec, was, causes)
    _check_tolerations(spec.get("tolerations") or [], was.get("tolerations") or [], causes)
    gated = bool(was.get("schedulingGates"))
    _check_gates(spec.get("schedulingGates") or [], was.get("schedulingGates") or [], causes)
    munged = _with_free_fields_of(spec, was, gated=gated)
    if gated:
        _check_selector_narrows(spec, was, causes)
    if munged != was:
        causes.append(forbidden("spec", f"{_MAY_CHANGE}\n{difference(was, munged)}"))
    return causes


def _with_free_fields_of(spec: Object, was: Object, *, gated: bool) -> Object:
    """Return `spec` with every mutable field reset to its old value: the remaining differences are forbidden."""
    munged = dict(spec)
    taken = (*_TAKEN_FROM_OLD, "nodeSelector", "affinity") if gated else _TAKEN_FROM_OLD
    for field in taken:
        munged.pop(field, None)
        if field in was:
            munged[field] = was[field]
    if was.get("terminationGracePeriodSeconds", 0) < 0 and spec.get("terminationGracePeriodSeconds") == 1:
        munged["terminationGracePeriodSeconds"] = was["terminationGracePeriodSeconds"]
    for field in ("containers", "initContainers"):
        before = was.get(field)
        if before:
            pairs = zip(spec[field], before, strict=True)
            munged[field] = [{**now, "image": then.get("image")} for now, then in pairs]
    return munged


def _check_deadline(spec: Object, was: Object, causes: Causes) -> None:
    now, then = spec.get("activeDeadlineSeconds"), was.get("activeDeadlineSeconds")
    field = "spec.activeDeadlineSeconds"
    if now is None:
        if then is not None:
            causes.append(invalid(field, None, "must not update from a positive integer to nil value"))
    elif not 0 <= now <= MAX_INT32:
        causes.append(invalid(field, now, f"must be between 0 and {MAX_INT32}, inclusive"))
    elif then is not None and now > then:
        causes.append(invalid(field, now, f"must be less than or equal to previous value {then}"))


def _check_tolerations(now: list[Object], then: list[Object], causes: Causes) -> None:
    def identity(toleration: Object) -> Object:
        return {key: value for key, value in toleration.items() if key != "tolerationSeconds"}

    kept = [identity(toleration) for toleration in now]
    if any(identity(toleration) not in kept for toleration in then):
        causes.append(
            forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds")
        )


def _check_gates(now: list[Object], then: list[Object], causes: Causes) -> None:
    known = {gate.get("name") for gate in then}
    for index, gate in enumerate(now):
        if gate.get("name") not in known:
            why = f"only deletion is allowed, but found new scheduling gate '{gate.get('name')}'"
            causes.append(forbidden(f"spec.schedulingGates[{index}].name", why))


def _check_selector_narrows(spec: Object, was: Object, causes: Causes) -> None:
    now = dig_object(spec, "nodeSelector")
    for key, value in dig_object(was, "nodeSelector").items():
        if now.get(key) != value:
            causes.append(invalid("spec.nodeSelector", now, "only additions are allowed (no mutations or deletions)"))
            return


def difference(old: Object, new: Object) -> str:
    """The differing fields, one `-` and one `+` line each."""
    lines = ["  core.PodSpec{"]
    for field in dict.fromkeys((*old, *new)):
        before, after = old.get(field), new.get(field)
        if before != after:
            lines += [
                f"{sign} \t{field}: {_short(value)},"
                for sign, value in (("-", before), ("+", after))
                if value is not None
            ]
    return "\n".join([*lines, "  }\n"])


def _short(value: Any) -> str:
    return encode(value).decode()


def keep_all_but_ephemeral(new: Object, old: Object) -> None:
    """Keep all but the ephemeral containers: pods/ephemeralcontainers may not change the rest of the pod."""
    containers = dig_list(new, "spec", "ephemeralContainers")
    keep_old(new, old)
    new["spec"] = {name: value for name, value in dig_object(old, "spec").items() if name != "ephemeralContainers"}
    if containers:
        new["spec"]["ephemeralContainers"] = containers


def keep_all_but_resources(new: Object, old: Object) -> None:
    """Keep all but resources and resize policies of existing containers, which pods/resize may change."""
    wanted = {field: {c.get("name"): c for c in dig_list(new, "spec", field)} for field in _CONTAINERS}
    keep_old(new, old)
    new["spec"] = dict(dig_object(old, "spec"))
    for field in _CONTAINERS:
        if field in new["spec"]:
            new["spec"][field] = [_resized(c, wanted[field].get(c.get("name"))) for c in dig_list(old, "spec", field)]


def _resized(container: Object, wanted: Object | None) -> Object:
    if wanted is None:
        return container
    kept = {name: value for name, value in container.items() if name not in _RESIZED}
    return {**kept, **{name: wanted[name] for name in _RESIZED if name in wanted}}


def validate_subresource_update(new: Object, old: Object) -> list[Cause]:
    """Validate a subresource: binding sets the node, ephemeralcontainers adds, resize changes cpu and memory."""
    spec: Object = new.get("spec") or {}
    was: Object = old.get("spec") or {}
    if spec == was:
        return []
    return [*_ephemeral_causes(spec, was), *_resize_causes(spec, was)]


def _ephemeral_causes(spec: Object, was: Object) -> list[Cause]:
    """Report ephemeral containers that were removed or changed."""
    after = {container.get("name"): container for container in spec.get("ephemeralContainers") or ()}
    causes: Causes = []
    for index, container in enumerate(dig_list(was, "ephemeralContainers")):
        name = container.get("name")
        if name not in after:
            why = f'existing ephemeral containers "{name}" may not be removed\n'
            causes.append(forbidden("spec.ephemeralContainers", why))
        elif after[name] != container:
            why = f'existing ephemeral containers "{name}" may not be changed\n'
            causes.append(forbidden(f"spec.ephemeralContainers[{index}]", why))
    return causes


def _resize_causes(spec: Object, was: Object) -> list[Cause]:
    """Report changes of resources other than cpu and memory, and of the QoS class."""
    causes: Causes = []
    for field in ("containers", "initContainers"):
        for index, (now, then) in enumerate(zip(dig_list(spec, field), dig_list(was, field), strict=False)):
            if _without_compute(now) != _without_compute(then):
                why = "only cpu and memory resources are mutable"
                causes.append(forbidden(f"spec.{field}[{index}].resources", why))
    if qos_class(spec) != qos_class(was):
        why = "Pod QOS Class may not change as a result of resizing"
        causes.append(invalid("spec", qos_class(spec), why))
    return causes


def _without_compute(container: Object) -> Object:
    resources = dig_object(container, "resources")
    return {
        part: {name: value for name, value in dig_object(resources, part).items() if name not in ("cpu", "memory")}
        for part in ("limits", "requests")
    }
