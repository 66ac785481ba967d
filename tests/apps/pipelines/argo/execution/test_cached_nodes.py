"""v1 runs reuse outputs of earlier pods; plain Workflows do not."""

from typing import Any

import pytest

from tests.apps.pipelines.argo.simulation import End, Simulation, by_task
from tests.apps.pipelines.workflows import a_container, a_dag, a_task, a_workflow
from windlass.apps.pipelines.argo.kfp import run_records
from windlass.apps.pipelines.argo.observation import CachedOutputs
from windlass.apps.pipelines.model import TaskState
from windlass.kube.json import Object

ENABLED = {"pipelines.kubeflow.org/cache_enabled": "true"}
OUTPUTS = {
    "parameters": [{"name": "p", "valueFrom": {"path": "/p"}}],
    "artifacts": [{"name": "model", "path": "/model"}],
}


def a_run(labels: dict[str, str] = ENABLED, run_id: str = "run-1", **template: Any) -> Object:
    dag = a_dag("main", a_task("a", "make"), a_task("b", "use", dependencies=["a"]))
    made = a_container("make", "run", outputs=OUTPUTS, metadata={"labels": labels}, **template)
    workflow = a_workflow(dag, made, a_container("use"))
    if run_id:
        workflow["metadata"]["labels"] = {"pipeline/runid": run_id}
    return workflow


ENDS = by_task(a=End(parameters={"p": "v"}, artifacts=("model",)), b=End())


def key_of(workflow: Object) -> str:
    """The key that a run records for its task."""
    done = Simulation(workflow, ENDS).run().workflow
    return {task.path: task for task in run_records.tasks(done)}["root.a"].fingerprint


def cached(**more: Any) -> CachedOutputs:
    return CachedOutputs(task_id="earlier", **{"parameters": {"p": "old"}, "artifacts": {"model": "k.tgz"}, **more})


def test_a_hit_runs_no_pod_and_has_the_earlier_outputs() -> None:
    key = key_of(a_run())

    done = Simulation(a_run(), ENDS, cached={key: cached()}).run()

    assert done.order == ["w.b"]
    assert done.workflow["status"]["phase"] == "Succeeded"
    tasks = {task.path: task for task in run_records.tasks(done.workflow)}
    task = tasks["root.a"]
    assert (task.state, task.cached_task_id, task.pod_name) == (TaskState.CACHED, "earlier", "")
    assert task.outputs.parameters == {"p": "old"}
    (artifact,) = run_records.artifacts(done.workflow)
    assert artifact.uri == "minio://mlpipeline/k.tgz"
    node = next(node for node in done.workflow["status"]["nodes"].values() if node["displayName"] == "a")
    assert node["labels"]["pipelines.kubeflow.org/reused_from_cache"] == "true"
    assert node["labels"]["pipelines.kubeflow.org/cache_id"] == "earlier"
    assert tasks["root.b"].state is TaskState.COMPLETE


@pytest.mark.parametrize("lacking", [{"parameters": {}}, {"artifacts": {}}])
def test_outputs_that_lack_something_are_not_reused(lacking: dict[str, Any]) -> None:
    done = Simulation(a_run(), ENDS, cached={key_of(a_run()): cached(**lacking)}).run()

    assert done.order == ["w.a", "w.b"]


def test_a_result_is_reused_where_the_workflow_uses_it() -> None:
    def with_result() -> Object:
        workflow = a_run()
        workflow["spec"]["templates"][0]["dag"]["tasks"][1]["when"] = "{{tasks.a.outputs.result}} == x"
        return workflow

    ends = by_task(a=End(parameters={"p": "v"}, artifacts=("model",), result="x"))
    first = Simulation(with_result(), ends).run().workflow
    key = {task.path: task for task in run_records.tasks(first)}["root.a"].fingerprint

    hit = Simulation(with_result(), ends, cached={key: cached(result="x")}).run()
    miss = Simulation(with_result(), ends, cached={key: cached()}).run()

    assert (hit.order, miss.order) == (["w.b"], ["w.a", "w.b"])
    assert hit.node("a")["outputs"]["result"] == "x"
    assert key != key_of(a_run()), "outputs of a run that kept no result are not enough"


@pytest.mark.parametrize(
    "workflow",
    [
        a_run(run_id=""),
        a_run(labels={}),
        a_run(labels={**ENABLED, "pipelines.kubeflow.org/enable_caching": "false"}),
    ],
    ids=["plain Workflow", "not enabled", "opted out"],
)
def test_what_is_no_cached_run_has_no_key_and_is_not_looked_up(workflow: Object) -> None:
    done = Simulation(workflow, ENDS, cached={key_of(a_run()): cached()}).run()

    assert done.order == ["w.a", "w.b"]
    assert {task.fingerprint for task in run_records.tasks(done.workflow)} == {""}


def test_a_task_that_has_started_is_not_looked_up_again() -> None:
    simulation = Simulation(a_run(), ENDS)
    simulation.turn()

    simulation.cached = {key_of(a_run()): cached()}

    assert simulation.run().order == ["w.a", "w.b"]
