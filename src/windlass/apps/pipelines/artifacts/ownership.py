"""Which content belongs to a run: what it wrote below its own root. Pure.

A task may record any URI as that of an artifact, and importers record those of others: such content is never removed
with a run.
"""

from windlass.apps.pipelines.artifacts.uris import split_uri
from windlass.apps.pipelines.model import Run

V1_FOLDER = "artifacts"


def belongs_to(run: Run, uri: str) -> bool:
    """Whether the path of the URI has the run's id, or for a v1 run the name of its Workflow, as Kubeflow has them."""
    _, path, _ = split_uri(uri)
    bucket, *parts = path.split("/")
    if not bucket or "" in parts[:-1] or "." in parts or ".." in parts:
        return False
    if run.is_argo:
        return parts[:2] == [V1_FOLDER, run.resource_name] and len(parts) > 2
    return run.run_id in parts[:-1]
