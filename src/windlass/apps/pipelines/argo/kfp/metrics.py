"""Metrics of v1 runs, which a task writes into its output artifact `mlpipeline-metrics`. Pure."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from windlass.apps.pipelines.argo.artifacts.artifact_places import is_in_own_store
from windlass.apps.pipelines.argo.nodes import SUCCEEDED
from windlass.apps.pipelines.names import DEFAULT_BUCKET
from windlass.kube.json import Object, dig, dig_list, dig_object, parse

ARTIFACT = "mlpipeline-metrics"
MAX_METRICS = 50
"""Of one run."""
FORMATS = frozenset({"RAW", "PERCENTAGE"})
METRIC_NAME = re.compile(r"[a-zA-Z]([-_a-zA-Z0-9]{0,62}[a-zA-Z0-9])?")
MAX_NODE_ID = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    name: str
    number_value: float
    format: str


def is_metrics(name: str) -> bool:
    """Whether an artifact has metrics: its name in any case, with dashes or underscores. kfp adds the task's name."""
    return name.lower().replace("_", "-").endswith(ARTIFACT)


def metric_artifacts(workflow: Object) -> Iterator[tuple[str, str]]:
    """The id of each node that has succeeded with metrics, and the key of their artifact."""
    for node in dig_object(workflow, "status", "nodes").values():
        if node["type"] != "Pod" or node["phase"] != SUCCEEDED or len(node["id"]) > MAX_NODE_ID:
            continue
        for artifact in dig_list(node, "outputs", "artifacts"):
            key, bucket = dig(artifact, "s3", "key"), dig(artifact, "s3", "bucket") or DEFAULT_BUCKET
            if bucket != DEFAULT_BUCKET or not is_in_own_store(artifact):
                continue
            if is_metrics(str(dig(artifact, "name"))) and isinstance(key, str):
                yield str(node["id"]), key


def read_metrics(content: bytes) -> list[Metric]:
    """The metrics in a file; what is none, or has a name that is not allowed, is left out."""
    try:
        document = parse(content)
    except ValueError:
        return []
    found = [_metric(item) for item in dig_list(document, "metrics")]
    return [metric for metric in found if metric is not None][:MAX_METRICS]


def _metric(item: object) -> Metric | None:
    name = dig(item, "name")
    value = dig(item, "numberValue")
    value = dig(item, "number_value") if value is None else value
    if not isinstance(name, str) or METRIC_NAME.fullmatch(name) is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    format = str(dig(item, "format") or "").upper()
    return Metric(name=name, number_value=float(value), format=format if format in FORMATS else "UNSPECIFIED")
