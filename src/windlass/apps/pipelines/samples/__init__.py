"""Shared pipelines of a new database: tutorials, compiled by kfp from examples/pipelines, under Kubeflow's names."""

import time
import uuid
from pathlib import Path

from windlass.apps.pipelines.ir.package import read_package
from windlass.apps.pipelines.model import Pipeline, PipelineVersion

FOLDER = Path(__file__).parent
SAMPLES = {
    "[Tutorial] Data passing in python components": "data_passing.yaml",
    "[Tutorial] DSL - Control structures": "control_structures.yaml",
}
DESCRIPTION = "Its source is examples/pipelines/{}.py of Windlass."


def sample_records() -> list[Pipeline | PipelineVersion]:
    """As they are created now."""
    now = time.time()
    return [record for name, file in SAMPLES.items() for record in records_of(name, FOLDER / file, now)]


def records_of(name: str, file: Path, now: float) -> tuple[Pipeline, PipelineVersion]:
    """A pipeline without a namespace, which everyone reads, and its only version."""
    package = read_package(file.read_bytes())
    description = DESCRIPTION.format(file.stem)
    pipeline = Pipeline(
        pipeline_id=str(uuid.uuid4()),
        namespace="",
        name=name,
        display_name=name,
        description=description,
        created_at=now,
    )
    version = PipelineVersion(
        pipeline_version_id=str(uuid.uuid4()),
        pipeline_id=pipeline.pipeline_id,
        name=name,
        display_name=name,
        description=description,
        created_at=now,
        spec=package.pipeline_spec,
        platform_spec=package.platform_spec,
    )
    return pipeline, version
