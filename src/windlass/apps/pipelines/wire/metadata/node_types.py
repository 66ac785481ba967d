"""The types of nodes, and their ids. Types have no properties of their own: nodes have custom ones. Pure."""

from collections.abc import Iterable

from windlass.apps.pipelines.rows.metadata.node_queries import (
    CONTAINER_EXECUTION,
    DAG_EXECUTION,
    IMPORTER_EXECUTION,
    PIPELINE_CONTEXT,
    RUN_CONTEXT,
)
from windlass.apps.pipelines.rows.numbers import digest_number
from windlass.kube.json import Object

EXECUTION_TYPES = (DAG_EXECUTION, CONTAINER_EXECUTION, IMPORTER_EXECUTION)
CONTEXT_TYPES = (PIPELINE_CONTEXT, RUN_CONTEXT)
ARTIFACT_TYPES = tuple(
    f"system.{name}"
    for name in (
        "Artifact",
        "ClassificationMetrics",
        "Dataset",
        "HTML",
        "Markdown",
        "Metrics",
        "Model",
        "SlicedClassificationMetrics",
    )
)
"""Those of Kubeflow, which are there before an artifact has them."""


def type_id(name: str) -> int:
    return digest_number(name)


def shown_types(names: Iterable[str]) -> list[Object]:
    return [shown_type(name) for name in names]


def shown_type(name: str) -> Object:
    return {"id": type_id(name), "name": name}
