"""Workflows with something odd in them: what validation accepts, the engine runs or ends with an error."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.apis.pipelines.test_validation import RESOURCE, SPEC, TASK, TEMPLATE
from tests.apis.pipelines.workflows import a_container, a_dag, a_task, a_workflow, arguments, inputs, steps
from tests.pipelines.argo.simulation import Simulation
from windlass.apis.argoproj_v1alpha1 import Workflow
from windlass.apis.crd import definition
from windlass.apis.pipelines.validation import workflow_problems
from windlass.apiserver.crds.structural import Structural
from windlass.kube.json import Object

SCHEMA = Structural(definition(Workflow)["spec"]["versions"][0]["schema"]["openAPIV3Schema"])
ODD: list[Any] = [
    None,
    "",
    0,
    -1,
    10**30,
    1.5,
    True,
    [],
    {},
    [None],
    [1],
    {"a": None},
    "{{",
    "{{}}",
    "{{=}}",
    "{{=1/0}}",
    "{{item}}",
    "{{inputs.parameters.x}}",
    "{{tasks.none.outputs.result}}",
    "main",
    "dag",
    "x" * 300,
    "../../etc",
    "\x00",
    "99999999999h",
    "%s%s%n",
    "-5",
]


def everything() -> Object:
    dag = a_dag(
        "dag", a_task("s", "main", arguments=arguments(x=1)), TASK, a_task("again", "steps", dependencies=["s"])
    )
    other = {"name": "resource", "resource": {**RESOURCE, "flags": []}}
    script = {
        "name": "script",
        "script": {"image": "i", "command": ["sh"], "source": "echo"},
        "retryStrategy": {"limit": 1},
    }
    group = steps(
        "steps",
        [a_task("a", "script", hooks={"exit": {"template": "bye"}}), a_task("r", "resource")],
        [a_task("b", "echo", withSequence={"count": 2, "format": "%d"}, arguments=arguments(x="{{item}}"))],
        [a_task("c", "echo", withParam="[1, 2]", arguments=arguments(x="{{=asInt(item) + 1}}"), when="1 == 1")],
        [a_task("p", "pause")],
    )
    echo = a_container("echo", "echo", "{{inputs.parameters.x}}", inputs=inputs("x"))
    pause = {"name": "pause", "suspend": {"duration": "1"}}
    spec = {**SPEC, "onExit": "bye"}
    return a_workflow(dag, TEMPLATE, other, script, group, echo, pause, a_container("bye"), **spec)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in items:
        found += places(inner, (*path, name))
    return found


PLACES = [place for place in places(everything()) if place[0] == "spec"]


def mutated(workflow: Object, place: tuple[Any, ...], odd: Any) -> Object:
    made = json.loads(json.dumps(workflow))
    holder = made
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = odd
    return made


def test_the_unchanged_workflow_runs() -> None:
    assert workflow_problems(everything()) == []
    assert Simulation(everything()).run().phase in ("Succeeded", "Failed", "Error")


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(PLACES), st.sampled_from(ODD))
def test_whatever_is_accepted_runs_or_ends_with_an_error(place: tuple[Any, ...], odd: Any) -> None:
    workflow = mutated(everything(), place, odd)
    if workflow_problems(workflow) or SCHEMA.validate(workflow):
        return
    run = Simulation(workflow)
    for _ in range(12):
        made = run.turn()
        if made.status["phase"] in ("Succeeded", "Failed", "Error"):
            break
        for name in run.active_pods():
            run.end_pod(name)
        if made.wake_at is not None:
            run.now = max(run.now, made.wake_at)
