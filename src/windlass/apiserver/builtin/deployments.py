"""Deployments, ReplicaSets and ReplicationControllers: workloads of interchangeable pods."""

from windlass.apiserver.builtin.fields import Causes, check_labels, check_not_negative, unsupported
from windlass.apiserver.builtin.pod_defaults import default_template
from windlass.apiserver.builtin.workloads import (
    NO_MATCH,
    Workload,
    check_counts,
    check_lasting_template,
    check_rolling_update,
    check_selector,
    selector_immutable,
)
from windlass.kube.errors import Cause, forbidden, invalid, required
from windlass.kube.json import Object, dig, dig_object


class Deployments(Workload):
    written_with_status = ("annotations", "ownerReferences", "finalizers")

    def default(self, obj: Object) -> None:
        spec: Object = obj.setdefault("spec", {})
        spec.setdefault("replicas", 1)
        spec.setdefault("revisionHistoryLimit", 10)
        spec.setdefault("progressDeadlineSeconds", 600)
        strategy: Object = spec.setdefault("strategy", {})
        if not strategy.get("type"):
            strategy["type"] = "RollingUpdate"
        if strategy["type"] == "RollingUpdate":
            rolling: Object = strategy.setdefault("rollingUpdate", {})
            rolling.setdefault("maxUnavailable", "25%")
            rolling.setdefault("maxSurge", "25%")
        default_template(spec.setdefault("template", {}))

    def validate(self, obj: Object) -> list[Cause]:
        spec: Object = obj.get("spec") or {}
        causes: Causes = []
        check_counts(spec, causes)
        check_selector(spec, "deployment", causes)
        check_lasting_template(spec, "ReplicaSet", causes)
        _check_strategy(dig_object(spec, "strategy"), causes)
        deadline = spec.get("progressDeadlineSeconds")
        if deadline is not None and deadline <= spec.get("minReadySeconds", 0):
            causes.append(invalid("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds"))
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        return selector_immutable(new, old)


def _check_strategy(strategy: Object, causes: Causes) -> None:
    kind, rolling = strategy.get("type"), strategy.get("rollingUpdate")
    if kind == "Recreate":
        if rolling is not None:
            why = "may not be specified when strategy `type` is 'Recreate'"
            causes.append(forbidden("spec.strategy.rollingUpdate", why))
    elif kind == "RollingUpdate":
        check_rolling_update("spec.strategy.rollingUpdate", rolling or {}, causes)
    else:
        causes.append(unsupported("spec.strategy", strategy, ("Recreate", "RollingUpdate")))


class ReplicaSets(Workload):
    initial_status = {"replicas": 0}

    def default(self, obj: Object) -> None:
        spec: Object = obj.setdefault("spec", {})
        spec.setdefault("replicas", 1)
        default_template(spec.setdefault("template", {}))

    def validate(self, obj: Object) -> list[Cause]:
        spec: Object = obj.get("spec") or {}
        causes: Causes = []
        check_counts(spec, causes)
        # Kubernetes says "deployment" here too.
        check_selector(spec, "deployment", causes)
        check_lasting_template(spec, "ReplicaSet", causes)
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        return selector_immutable(new, old)

    def selectable_fields(self, obj: Object) -> dict[str, str]:
        return {"status.replicas": str(dig(obj, "status", "replicas") or 0)}


class ReplicationControllers(Workload):
    orphans_dependents = True
    initial_status = {"replicas": 0}

    def default(self, obj: Object) -> None:
        spec: Object = obj.setdefault("spec", {})
        spec.setdefault("replicas", 1)
        template = spec.get("template")
        if template is None:
            return
        labels = dig_object(template, "metadata", "labels")
        meta: Object = obj.setdefault("metadata", {})
        if labels and not spec.get("selector"):
            spec["selector"] = dict(labels)
        if labels and not meta.get("labels"):
            meta["labels"] = dict(labels)
        default_template(template)

    def validate(self, obj: Object) -> list[Cause]:
        spec: Object = obj.get("spec") or {}
        selector = dig_object(spec, "selector")
        causes: Causes = []
        for field in ("replicas", "minReadySeconds"):
            check_not_negative(f"spec.{field}", spec.get(field), causes)
        if not selector:
            causes.append(required("spec.selector"))
        check_labels("spec.selector", selector, causes)
        if spec.get("template") is None:
            causes.append(required("spec.template"))
            return causes
        labels = dig_object(spec, "template", "metadata", "labels")
        if selector and not selector.items() <= labels.items():
            causes.append(invalid("spec.template.metadata.labels", labels, NO_MATCH))
        check_lasting_template(spec, "ReplicationController", causes)
        return causes

    def selectable_fields(self, obj: Object) -> dict[str, str]:
        return {"status.replicas": str(dig(obj, "status", "replicas") or 0)}
