"""StatefulSets, DaemonSets and ControllerRevisions: workloads whose pods have an identity."""

from windlass.apiserver.builtin.fields import Causes, check_immutable, check_not_negative, unsupported
from windlass.apiserver.builtin.pod_defaults import default_claim_spec, default_template
from windlass.apiserver.builtin.strategy import Plain
from windlass.apiserver.builtin.workloads import (
    Workload,
    check_counts,
    check_lasting_template,
    check_rolling_update,
    check_selector,
    selector_immutable,
)
from windlass.kube.errors import Cause, forbidden, invalid, required
from windlass.kube.json import Object, dig_object

_MAY_CHANGE = (
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
)
_FORBIDDEN = (
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "
    "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
)
_RETENTION = ("Retain", "Delete")


class StatefulSets(Workload):
    initial_status = {"availableReplicas": 0, "replicas": 0}

    def default(self, obj: Object) -> None:
        spec: Object = obj.setdefault("spec", {})
        if not spec.get("podManagementPolicy"):
            spec["podManagementPolicy"] = "OrderedReady"
        update: Object = spec.setdefault("updateStrategy", {})
        if not update.get("type"):
            update["type"] = "RollingUpdate"
        if update["type"] == "RollingUpdate":
            rolling: Object = update.setdefault("rollingUpdate", {})
            rolling.setdefault("partition", 0)
        retention: Object = spec.setdefault("persistentVolumeClaimRetentionPolicy", {})
        for when in ("whenDeleted", "whenScaled"):
            if not retention.get(when):
                retention[when] = "Retain"
        spec.setdefault("replicas", 1)
        spec.setdefault("revisionHistoryLimit", 10)
        for claim in spec.get("volumeClaimTemplates") or ():
            claim.setdefault("apiVersion", "v1")
            claim.setdefault("kind", "PersistentVolumeClaim")
            default_claim_spec(claim.setdefault("spec", {}))
            claim.setdefault("status", {"phase": "Pending"})
        default_template(spec.setdefault("template", {}))

    def validate(self, obj: Object) -> list[Cause]:
        spec: Object = obj.get("spec") or {}
        causes: Causes = []
        _check_policies(spec, causes)
        check_counts(spec, causes)
        check_selector(spec, "statefulset", causes)
        # Mounts may name the claims, which become volumes of each pod.
        check_lasting_template(_with_claims_as_volumes(spec), "StatefulSet", causes)
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        spec: Object = new.get("spec") or {}
        was: Object = old.get("spec") or {}
        fixed = {field: value for field, value in spec.items() if field not in _MAY_CHANGE}
        if fixed == {field: value for field, value in was.items() if field not in _MAY_CHANGE}:
            return []
        return [forbidden("spec", _FORBIDDEN)]


def _with_claims_as_volumes(spec: Object) -> Object:
    claims = spec.get("volumeClaimTemplates")
    template = spec.get("template")
    if not claims or not template:
        return spec
    pod = dig_object(template, "spec")
    named = {volume.get("name") for volume in pod.get("volumes") or ()}
    names = [dig_object(claim, "metadata").get("name", "") for claim in claims]
    added = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in names if name not in named]
    return {**spec, "template": {**template, "spec": {**pod, "volumes": [*(pod.get("volumes") or ()), *added]}}}


def _check_policies(spec: Object, causes: Causes) -> None:
    management = spec.get("podManagementPolicy", "")
    if management not in ("OrderedReady", "Parallel"):
        causes.append(invalid("spec.podManagementPolicy", management, "must be 'OrderedReady' or 'Parallel'"))
    update = dig_object(spec, "updateStrategy")
    kind = update.get("type", "")
    if kind == "OnDelete":
        if update.get("rollingUpdate") is not None:
            why = "only allowed for updateStrategy 'RollingUpdate'"
            causes.append(invalid("spec.updateStrategy.rollingUpdate", update["rollingUpdate"], why))
    elif kind == "RollingUpdate":
        partition = dig_object(update, "rollingUpdate").get("partition")
        check_not_negative("spec.updateStrategy.rollingUpdate.partition", partition, causes)
    else:
        causes.append(invalid("spec.updateStrategy", update, "must be 'RollingUpdate' or 'OnDelete'"))
    retention = dig_object(spec, "persistentVolumeClaimRetentionPolicy")
    for when in ("whenDeleted", "whenScaled"):
        if retention.get(when, "Retain") not in _RETENTION:
            field = f"spec.persistentVolumeClaimRetentionPolicy.{when}"
            causes.append(unsupported(field, retention[when], _RETENTION))
    start = dig_object(spec, "ordinals").get("start")
    check_not_negative("spec.ordinals.start", start, causes)


_TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"


def _set_template_generation(obj: Object, generation: int) -> None:
    """Store the template generation in an annotation, as Kubernetes does since v1 has no field for it."""
    meta: Object = obj.setdefault("metadata", {})
    meta.setdefault("annotations", {})[_TEMPLATE_GENERATION] = str(generation)


class DaemonSets(Workload):
    initial_status = {
        "currentNumberScheduled": 0,
        "desiredNumberScheduled": 0,
        "numberMisscheduled": 0,
        "numberReady": 0,
    }

    def default(self, obj: Object) -> None:
        spec: Object = obj.setdefault("spec", {})
        update: Object = spec.setdefault("updateStrategy", {})
        if not update.get("type"):
            update["type"] = "RollingUpdate"
        if update["type"] == "RollingUpdate":
            rolling: Object = update.setdefault("rollingUpdate", {})
            rolling.setdefault("maxUnavailable", 1)
            rolling.setdefault("maxSurge", 0)
        spec.setdefault("revisionHistoryLimit", 10)
        default_template(spec.setdefault("template", {}))

    def prepare_create(self, obj: Object) -> None:
        super().prepare_create(obj)
        _set_template_generation(obj, 1)

    def prepare_update(self, new: Object, old: Object) -> None:
        super().prepare_update(new, old)
        before = dig_object(old, "metadata", "annotations").get(_TEMPLATE_GENERATION, "")
        generation = int(before) if before.isdecimal() else 1
        same = dig_object(new, "spec", "template") == dig_object(old, "spec", "template")
        _set_template_generation(new, generation if same else generation + 1)

    def validate(self, obj: Object) -> list[Cause]:
        spec: Object = obj.get("spec") or {}
        causes: Causes = []
        check_counts(spec, causes)
        check_selector(spec, "daemonset", causes)
        check_lasting_template(spec, "DaemonSet", causes)
        update = dig_object(spec, "updateStrategy")
        if update.get("type") == "RollingUpdate":
            check_rolling_update("spec.updateStrategy.rollingUpdate", dig_object(update, "rollingUpdate"), causes)
        elif update.get("type") != "OnDelete":
            causes.append(unsupported("spec.updateStrategy", update.get("type", ""), ("RollingUpdate", "OnDelete")))
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        return selector_immutable(new, old)


class ControllerRevisions(Plain):
    def validate(self, obj: Object) -> list[Cause]:
        causes: Causes = []
        check_not_negative("revision", obj.get("revision", 0), causes)
        if obj.get("data") is None:
            causes.append(required("data", "data is mandatory"))
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        causes: Causes = []
        check_immutable("data", new.get("data"), old.get("data"), causes)
        return causes
