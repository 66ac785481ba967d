"""Workflows that share locks and settings, hooks of Workflows, and texts longer than a command may be."""

import pytest

from tests.apis.pipelines.workflows import a_dag, a_task, a_workflow
from tests.e2e.workflows.conftest import WorkflowShell
from tests.e2e.workflows.test_workflows import script, shell

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(240)]
LIMIT = {"semaphores": [{"configMapKeyRef": {"name": "limits", "key": "steps"}}]}


def span(node: dict[str, str]) -> tuple[str, str]:
    return node["startedAt"], node["finishedAt"]


def test_workflows_hold_a_mutex_one_after_the_other(kubectl: WorkflowShell) -> None:
    names = [
        kubectl.submit(
            a_workflow(shell("main", "sleep 1"), name=f"locked-{number}", synchronization={"mutexes": [{"name": "m"}]})
        )
        for number in range(3)
    ]

    spans = sorted(span(kubectl.node(kubectl.ended(name), name)) for name in names)

    assert spans[0][1] <= spans[1][0] <= spans[1][1] <= spans[2][0]


def test_a_semaphore_and_a_parameter_of_config_maps(kubectl: WorkflowShell) -> None:
    kubectl("create configmap limits --from-literal=steps=1")
    kubectl("create configmap settings --from-literal=word=hello")
    kubectl("label configmap settings workflows.argoproj.io/configmap-type=Parameter")
    word = {"name": "word", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "word"}}}
    main = a_dag("main", a_task("each", "say", withItems=["1", "2"]))
    say = shell("say", "echo {{workflow.parameters.word}}", synchronization=LIMIT)
    hooks = {"running": {"template": "hook", "expression": "workflow.status == 'Running'"}}
    name = kubectl.submit(
        a_workflow(main, say, shell("hook", "echo hooked"), arguments={"parameters": [word]}, hooks=hooks)
    )

    done = kubectl.ended(name)

    spans = sorted(span(kubectl.node(done, display)) for display in ("each(0:1)", "each(1:2)"))
    assert spans[0][1] <= spans[1][0]
    assert kubectl.log_of(done, "each(0:1)").strip() == "hello"
    assert kubectl.log_of(done, f"{name}.hooks.running").strip() == "hooked"


def test_a_script_and_an_artifact_may_be_long(kubectl: WorkflowShell) -> None:
    long = "#" * 150_000
    artifact = {"name": "text", "path": "/tmp/text", "raw": {"data": "y" * 130_000}}
    main = script("main", f"{long}\nprint(len(open('/tmp/text').read()))", inputs={"artifacts": [artifact]})
    name = kubectl.submit(a_workflow(main))

    assert kubectl.node(kubectl.ended(name), name)["outputs"]["result"] == "130000"
