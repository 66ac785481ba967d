"""The group `coordination.k8s.io`: Leases."""

from windlass.apiserver.builtin.fields import Causes, check_not_negative
from windlass.apiserver.builtin.registry import resource
from windlass.apiserver.builtin.strategy import Plain
from windlass.kube.errors import Cause, invalid
from windlass.kube.json import Object, dig_object


class Leases(Plain):
    allows_unconditional_update = False
    allows_create_on_update = True

    def validate(self, obj: Object) -> list[Cause]:
        spec = dig_object(obj, "spec")
        causes: Causes = []
        duration = spec.get("leaseDurationSeconds")
        if duration is not None and duration <= 0:
            causes.append(invalid("spec.leaseDurationSeconds", duration, "must be greater than 0"))
        check_not_negative("spec.leaseTransitions", spec.get("leaseTransitions"), causes)
        return causes


RESOURCES = (resource("coordination.k8s.io", "v1", "Lease", "leases", namespaced=True, strategy=Leases),)
