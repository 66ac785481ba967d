"""Tags in the fields of a Workflow itself."""

import pytest

from tests.apps.pipelines.argo.simulation import Simulation
from tests.apps.pipelines.workflows import a_container, a_workflow, arguments, inputs
from windlass.kube.json import Object, dig


def test_tags_of_the_spec_are_replaced_by_what_holds_for_the_whole_workflow() -> None:
    storage = {"requests": {"storage": "{{workflow.parameters.size}}"}}
    run = Simulation(
        a_workflow(
            a_container("main"),
            entrypoint="{{workflow.parameters.first}}",
            arguments=arguments(first="main", account="robot", zone="eu", claim="data", size="3Gi"),
            serviceAccountName="{{workflow.parameters.account}}",
            nodeSelector={"zone": "{{workflow.parameters.zone}}"},
            volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "{{workflow.parameters.claim}}"}}],
            volumeClaimTemplates=[{"metadata": {"name": "work"}, "spec": {"resources": storage}}],
            podMetadata={"labels": {"of": "{{workflow.name}}"}},
        )
    )
    made = run.turn()

    pod = run.pod_of("")
    assert pod["spec"]["serviceAccountName"] == "robot"
    assert pod["spec"]["nodeSelector"] == {"zone": "eu"}
    assert pod["spec"]["volumes"][0]["persistentVolumeClaim"] == {"claimName": "data"}
    assert pod["metadata"]["labels"]["of"] == "w"
    assert dig(made.objects[0], "spec", "resources", "requests", "storage") == "3Gi"


def test_a_tag_that_only_the_end_of_the_workflow_gives_a_value_is_replaced_then() -> None:
    bye = a_container("bye", "echo", "{{inputs.parameters.how}} {{workflow.status}}", inputs=inputs("how"))
    hook = {"template": "bye", "arguments": arguments(how="{{workflow.status}}")}

    run = Simulation(a_workflow(a_container("main"), bye, hooks={"exit": hook})).run()

    assert (run.phase, run.command_of("onExit")) == ("Succeeded", ["echo", "Succeeded Succeeded"])


@pytest.mark.parametrize(
    "fields",
    [
        {"entrypoint": "{{workflow.parameters.none}}"},
        {"serviceAccountName": "{{workflow.parameters.none}}"},
        {"nodeSelector": {"zone": "{{workflow.parameters.none}}"}},
        {"volumeClaimTemplates": [{"metadata": {"name": "work"}, "spec": {"size": "{{workflow.parameters.none}}"}}]},
    ],
)
def test_a_tag_without_a_value_is_an_error_that_names_it(fields: Object) -> None:
    run = Simulation(a_workflow(a_container("main"), **fields)).run()

    assert (run.phase, run.order) == ("Error", [])
    assert "{{workflow.parameters.none}}" in run.status["message"]
    run.turn()
    assert run.phase == "Error"


def test_paths_of_artifacts_may_have_tags() -> None:
    path = "/tmp/{{inputs.parameters.x}}/{{workflow.name}}"
    raw = {"raw": {"data": "text"}}
    template = a_container(
        "main",
        "cat",
        "{{inputs.artifacts.a.path}}",
        "{{outputs.artifacts.b.path}}",
        inputs={**inputs("x"), "artifacts": [{"name": "a", "path": path, **raw}]},
        outputs={"artifacts": [{"name": "b", "path": path}]},
    )

    run = Simulation(a_workflow(template, arguments=arguments(x="there")))
    run.turn()

    assert run.command_of("")[-2:] == ["/tmp/there/w", "/tmp/there/w"]
    assert run.node("")["inputs"]["artifacts"][0]["path"] == "/tmp/there/w"
