"""What the API server makes of a status patch."""

from tests.kube.words_builders import core
from windlass.kube.json import Object
from windlass.kube.patch import strategic
from windlass.node.pods.status import status_patch


def merged(before: Object, after: Object) -> Object:
    """The status that the API holds after the patch from `before` to `after`; conditions have no order of their own."""
    patch = status_patch(before, after)
    assert (patch is None) == (sorted_conditions(before) == sorted_conditions(after))
    whole = strategic.apply({"kind": "Pod", "status": before}, {"status": patch or {}}, core("Pod"))
    return sorted_conditions(whole["status"])


def sorted_conditions(status: Object) -> Object:
    listed = sorted(status.get("conditions") or (), key=lambda each: each["type"])
    return {key: value for key, value in status.items() if key != "conditions"} | {"conditions": listed}
