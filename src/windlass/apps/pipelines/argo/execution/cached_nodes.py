"""Nodes of v1 runs that take the outputs of an earlier pod instead of running one.

The key of the cache is written into the node before its pod exists, so a node is looked up once. A node that reused
outputs has the labels that Kubeflow gives its pod, and no pod.
"""

from windlass.apps.pipelines.argo.execution.turn import Turn
from windlass.apps.pipelines.argo.inputs import Inputs
from windlass.apps.pipelines.argo.kfp.cache_key import (
    CACHE_ID_LABEL,
    KEY_FIELD,
    LABELS_FIELD,
    REUSED_LABEL,
    cache_key,
    is_cacheable,
)
from windlass.apps.pipelines.argo.nodes import SUCCEEDED
from windlass.apps.pipelines.argo.observation import CachedOutputs, CacheLookup
from windlass.apps.pipelines.argo.pods.pod_manifest import BUCKET, keeps_result
from windlass.kube.json import Object, dig_list

REUSED = "This step output is taken from cache"


def reuse_outputs(turn: Turn, node: Object, template: Object, inputs: Inputs) -> tuple[bool, Object | None]:
    """Whether it is known if outputs can be reused, and the node that has done so.

    Only runs of Kubeflow are cached. The result is part of the key, as not every run keeps it.
    """
    if not turn.run_id or KEY_FIELD in node or not is_cacheable(template):
        return True, None
    has_result = keeps_result(template, is_used=turn.keeps_results)
    key = cache_key({**template, "inputs": inputs.record}, has_result=has_result)
    if key not in turn.observation.cached:
        turn.lookups.append(CacheLookup(key=key, template=template, has_result=has_result))
        return False, None
    turn.change(node, **{KEY_FIELD: key})
    cached = turn.observation.cached[key]
    outputs = _outputs(template, cached, has_result=has_result) if cached is not None else None
    if cached is None or outputs is None:
        return True, None
    labels = {REUSED_LABEL: "true", CACHE_ID_LABEL: cached.task_id}
    turn.change(node, **{LABELS_FIELD: labels})
    return True, turn.finish(node, SUCCEEDED, REUSED, outputs=outputs)


def _outputs(template: Object, cached: CachedOutputs, *, has_result: bool) -> Object | None:
    """The outputs of the node; None if one is missing."""
    outputs: Object = {"exitCode": "0"}
    if has_result:
        if cached.result is None:
            return None
        outputs["result"] = cached.result
    for item in dig_list(template, "outputs", "parameters"):
        value = cached.parameters.get(str(item["name"]))
        if value is None:
            return None
        outputs.setdefault("parameters", []).append({**item, "value": value})
    for item in dig_list(template, "outputs", "artifacts"):
        name = str(item["name"])
        key = cached.artifacts.get(name)
        if key is not None:
            place = {"bucket": BUCKET, "key": key}
            kept = {field: item[field] for field in ("path", "archive") if item.get(field)}
            outputs.setdefault("artifacts", []).append({"name": name, "s3": place, **kept})
        elif not item.get("optional"):
            return None
    return outputs
