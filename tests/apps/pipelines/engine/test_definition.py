"""What the engine derives from the specification of a run."""

from tests.apps.pipelines.specs import container, dag, pipeline, task
from windlass.apps.pipelines.engine.definition import Pipeline
from windlass.apps.pipelines.model import Run


def test_fields_that_are_null_are_not_set() -> None:
    """As in protobuf's JSON form; the executor reads the component as JSON, and expects objects there."""
    spec = pipeline(dag({"a": task("plain")}), plain=container())
    spec["components"]["comp-plain"]["inputDefinitions"] = {"parameters": {"text": None}}
    spec["deploymentSpec"]["executors"]["exec-plain"]["container"]["env"] = None
    platform = {"platforms": {"kubernetes": {"deploymentSpec": {"executors": {"exec-plain": {"nodeSelector": None}}}}}}
    run = Run(run_id="r", namespace="ml", display_name="r", resource_name="r", spec=spec, platform_spec=platform)

    found = Pipeline(run).definition("comp-plain")

    assert found.raw_component["inputDefinitions"] == {"parameters": {}}
    assert "env" not in found.raw_executor["container"]
    assert found.platform == {}
