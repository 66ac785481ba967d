"""Namespaces, Nodes and ServiceAccounts."""

from windlass.apiserver.builtin.fields import Causes, canonicalize, check_label_key, check_label_value, unsupported
from windlass.apiserver.builtin.placement import EFFECTS
from windlass.apiserver.builtin.strategy import Plain
from windlass.kube import names
from windlass.kube.errors import Cause, duplicate, forbidden, required
from windlass.kube.json import Object, dig, dig_list, dig_object

NAME_LABEL = "kubernetes.io/metadata.name"


class Namespaces(Plain):
    def default(self, obj: Object) -> None:
        meta: Object = obj.setdefault("metadata", {})
        name = meta.get("name")
        if name:
            labels: Object = meta.setdefault("labels", {})
            labels[NAME_LABEL] = name

    def prepare_create(self, obj: Object) -> None:
        spec: Object = obj.setdefault("spec", {})
        finalizers: list[str] = spec.setdefault("finalizers", [])
        if "kubernetes" not in finalizers:
            finalizers.append("kubernetes")
        obj["status"] = {"phase": "Active"}

    def prepare_update(self, new: Object, old: Object) -> None:
        super().prepare_update(new, old)
        # Finalizers of a namespace change by its finalize subresource alone.
        new["spec"] = old.get("spec") or {}

    def validate(self, obj: Object) -> list[Cause]:
        causes: Causes = []
        for finalizer in dig_list(obj, "spec", "finalizers"):
            if finalizer != "kubernetes":
                check_label_key("spec.finalizers", finalizer, causes)
        return causes

    def validate_name(self, name: str) -> list[str]:
        return names.dns_label_errors(name)

    def selectable_fields(self, obj: Object) -> dict[str, str]:
        phase = dig(obj, "status", "phase") or ""
        return {"status.phase": phase, "name": dig(obj, "metadata", "name") or ""}


class Nodes(Plain):
    def default(self, obj: Object) -> None:
        obj.setdefault("spec", {})
        status: Object = obj.setdefault("status", {})
        capacity = status.get("capacity")
        if capacity:
            canonicalize(capacity)
            if not status.get("allocatable"):
                status["allocatable"] = dict(capacity)
            canonicalize(status["allocatable"])

    def prepare_create(self, obj: Object) -> None:
        """Keep the status: a node agent registers its node together with its status."""

    def validate(self, obj: Object) -> list[Cause]:
        causes: Causes = []
        seen: set[tuple[str, str]] = set()
        for index, taint in enumerate(dig_list(obj, "spec", "taints")):
            path = f"spec.taints[{index}]"
            key, effect = taint.get("key", ""), taint.get("effect", "")
            check_label_key(f"{path}.key", key, causes)
            check_label_value(f"{path}.value", taint.get("value", ""), causes)
            if not effect:
                causes.append(required(f"{path}.effect"))
            elif effect not in EFFECTS:
                causes.append(unsupported(f"{path}.effect", effect, EFFECTS))
            if (key, effect) in seen:
                causes.append(duplicate(path, taint))
            seen.add((key, effect))
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        now, then = dig_object(new, "spec"), dig_object(old, "spec")
        causes: Causes = []
        if then.get("podCIDRs") and now.get("podCIDRs") != then["podCIDRs"]:
            why = 'node updates may not change podCIDR except from "" to valid'
            causes.append(forbidden("spec.podCIDRs", why))
        if then.get("providerID") and now.get("providerID") != then["providerID"]:
            why = 'node updates may not change providerID except from "" to valid'
            causes.append(forbidden("spec.providerID", why))
        return causes

    def selectable_fields(self, obj: Object) -> dict[str, str]:
        return {"spec.unschedulable": "true" if dig(obj, "spec", "unschedulable") else "false"}


class ServiceAccounts(Plain):
    """ServiceAccounts have no special behaviour."""

    returns_deleted = True
