"""Parameters whose values are in ConfigMaps."""

import pytest

from tests.apps.pipelines.argo.simulation import Simulation
from tests.apps.pipelines.workflows import a_container, a_workflow
from windlass.kube.json import Object

LABELS = {"workflows.argoproj.io/configmap-type": "Parameter"}
SETTINGS = {"metadata": {"name": "settings", "labels": LABELS}, "data": {"size": "7"}}
SECRETIVE = {"metadata": {"name": "secretive"}, "data": {"size": "7"}}
MAPS: dict[str, Object] = {"settings": SETTINGS, "secretive": SECRETIVE}


def parameter(name: str, key: str = "size", **fields: object) -> Object:
    return {"name": "p", "valueFrom": {"configMapKeyRef": {"name": name, "key": key}, **fields}}


def shown(workflow: Object) -> Simulation:
    return Simulation(workflow, config_maps=MAPS).run()


def test_an_argument_of_the_workflow_has_the_value_of_a_key() -> None:
    main = a_container("main", "echo", "{{workflow.parameters.p}}")

    assert shown(a_workflow(main, arguments={"parameters": [parameter("settings")]})).command_of("") == ["echo", "7"]


def test_an_input_has_the_value_of_a_key_named_by_a_parameter() -> None:
    main = a_container(
        "main", "echo", "{{inputs.parameters.p}}", inputs={"parameters": [parameter("{{workflow.parameters.map}}")]}
    )
    given = {"parameters": [{"name": "map", "value": "settings"}]}

    assert shown(a_workflow(main, arguments=given)).command_of("") == ["echo", "7"]


@pytest.mark.parametrize(
    ("declared", "value"),
    [
        ({**parameter("settings"), "value": "1"}, "1"),
        (parameter("absent", default="2"), "2"),
        (parameter("settings", "absent", default="3"), "3"),
        (
            {"name": "p", "valueFrom": {"configMapKeyRef": {"name": "a", "key": "b", "optional": True}}, "default": 4},
            "4",
        ),
    ],
)
def test_values_and_defaults_come_before_what_is_missing(declared: Object, value: str) -> None:
    main = a_container("main", "echo", "{{inputs.parameters.p}}", inputs={"parameters": [declared]})

    assert shown(a_workflow(main)).command_of("") == ["echo", value]


@pytest.mark.parametrize(
    ("declared", "problem"),
    [
        (parameter("absent"), "the ConfigMap absent has no key 'size', or does not exist"),
        (parameter("settings", "absent"), "the ConfigMap settings has no key 'absent', or does not exist"),
        (parameter("secretive"), "needs the label workflows.argoproj.io/configmap-type: Parameter"),
    ],
)
def test_what_is_missing_or_not_meant_for_workflows_is_an_error(declared: Object, problem: str) -> None:
    of_input = shown(a_workflow(a_container("main", inputs={"parameters": [declared]})))
    of_workflow = shown(a_workflow(arguments={"parameters": [declared]}))

    assert (of_input.phase, of_workflow.phase) == ("Error", "Error")
    assert problem in of_input.status["message"]
    assert problem in of_workflow.status["message"]
