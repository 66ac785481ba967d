"""The groups `scheduling.k8s.io` (PriorityClass) and `node.k8s.io` (RuntimeClass): how pods are placed and run."""

from windlass.apiserver.builtin.fields import Causes, canonicalize, check_dns_label, check_immutable, unsupported
from windlass.apiserver.builtin.placement import check_tolerations
from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Builtin, Plain
from windlass.kube.errors import Cause, forbidden, required
from windlass.kube.json import Object, dig, dig_list, dig_object

HIGHEST_USER_PRIORITY = 1_000_000_000
SYSTEM_PRIORITIES = {"system-node-critical": 2_000_001_000, "system-cluster-critical": 2_000_000_000}
_POLICIES = ("PreemptLowerPriority", "Never")


class PriorityClasses(Builtin):
    # It is given a generation, which never grows: the value may not change.
    generation_fields = ("value",)
    allows_create_on_update = True

    def default(self, obj: Object) -> None:
        obj.setdefault("value", 0)
        if not obj.get("preemptionPolicy"):
            obj["preemptionPolicy"] = "PreemptLowerPriority"

    def validate(self, obj: Object) -> list[Cause]:
        causes: Causes = []
        name, value = dig(obj, "metadata", "name") or "", obj.get("value", 0)
        if name.startswith("system-"):
            problem = _system_problem(name, value)
            if problem:
                why = f"priority class names with 'system-' prefix are reserved for system use only. error: {problem}"
                causes.append(forbidden("metadata.name", why))
        elif value > HIGHEST_USER_PRIORITY:
            why = f"maximum allowed value of a user defined priority is {HIGHEST_USER_PRIORITY}"
            causes.append(forbidden("value", why))
        policy = obj.get("preemptionPolicy", "")
        if policy not in _POLICIES:
            causes.append(unsupported("preemptionPolicy", policy, _POLICIES))
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        causes: Causes = []
        if new.get("value") != old.get("value"):
            causes.append(forbidden("value", "may not be changed in an update."))
        check_immutable("preemptionPolicy", new.get("preemptionPolicy"), old.get("preemptionPolicy"), causes)
        return causes


def _system_problem(name: str, value: int) -> str:
    known = SYSTEM_PRIORITIES.get(name)
    if known is None:
        return f"{name} is not a known system priority class"
    return "" if known == value else f"value of {name} PriorityClass must be {known}"


class RuntimeClasses(Plain):
    allows_unconditional_update = False

    def default(self, obj: Object) -> None:
        canonicalize(dig_object(obj, "overhead", "podFixed"))

    def validate(self, obj: Object) -> list[Cause]:
        causes: Causes = []
        handler = obj.get("handler")
        if not handler:
            causes.append(required("handler"))
        else:
            check_dns_label("handler", handler, causes)
        check_tolerations("scheduling.tolerations", dig_list(obj, "scheduling", "tolerations"), causes)
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        causes: Causes = []
        check_immutable("handler", new.get("handler"), old.get("handler"), causes)
        return causes


RESOURCES = (
    resource(
        "scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", "pc", namespaced=False, strategy=PriorityClasses
    ),
    resource("node.k8s.io", "v1", "RuntimeClass", "runtimeclasses", namespaced=False, strategy=RuntimeClasses),
)
