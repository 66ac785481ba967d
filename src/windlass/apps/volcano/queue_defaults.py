"""Defaults of new Queues."""

from windlass.kube.json import Object, dig_object, is_object

HIERARCHY = "volcano.sh/hierarchy"
HIERARCHY_WEIGHTS = "volcano.sh/hierarchy-weights"


def with_defaults(queue: Object) -> Object:
    """Return the queue with the defaults of Volcano's webhook: reclaimable, and a hierarchy path from the root."""
    spec = queue.get("spec", {})
    if not is_object(spec):
        return queue  # which its schema refuses
    made = {**spec, "weight": spec.get("weight") or 1}
    if spec.get("reclaimable") is None:
        made["reclaimable"] = True
    return {**queue, "metadata": _rooted(dig_object(queue, "metadata")), "spec": made}


def _rooted(metadata: Object) -> Object:
    annotations = dig_object(metadata, "annotations")
    path, weights = annotations.get(HIERARCHY), annotations.get(HIERARCHY_WEIGHTS)
    if not path or not weights or str(path).split("/")[0] == "root":
        return metadata
    return {**metadata, "annotations": {**annotations, HIERARCHY: f"root/{path}", HIERARCHY_WEIGHTS: f"1/{weights}"}}
