"""Templates that act on objects."""

import json

import pytest

from tests.apps.pipelines.argo.simulation import Simulation
from tests.apps.pipelines.workflows import a_container, a_dag, a_task, a_workflow, arguments, inputs
from windlass.apps.pipelines.argo.observation import ResourceAction, ResourceAnswer
from windlass.apps.pipelines.argo.resources import BadResource, condition_holds, filtered_value, output_value
from windlass.kube.json import Object

CLAIM = """
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: '{{workflow.name}}-data'}
spec: {resources: {requests: {storage: '{{inputs.parameters.size}}'}}}
"""


def a_resource(action: str = "create", manifest: str = CLAIM, **fields: object) -> Object:
    outputs = [
        {"name": "manifest", "valueFrom": {"jsonPath": "{}"}},
        {"name": "name", "valueFrom": {"jsonPath": "{.metadata.name}"}},
        {"name": "size", "valueFrom": {"jsonPath": "{.status.capacity.storage}"}},
    ]
    return {
        "name": "claim",
        "inputs": {"parameters": [{"name": "size", "default": "1Gi"}]},
        "resource": {"action": action, "manifest": manifest, **fields},
        "outputs": {"parameters": outputs},
    }


def test_an_object_is_created_and_its_fields_are_outputs() -> None:
    use = a_container("use", "echo", "{{inputs.parameters.n}}", inputs=inputs("n"))
    dag = a_dag(
        "main",
        a_task("claim"),
        a_task("use", dependencies=["claim"], arguments=arguments(n="{{tasks.claim.outputs.parameters.name}}")),
    )

    run = Simulation(a_workflow(dag, a_resource(), use)).run()

    (action,) = run.actions
    assert (action.action, action.manifest["metadata"]["name"]) == ("create", "w-data")
    assert action.manifest["spec"]["resources"]["requests"]["storage"] == "1Gi"
    assert action.manifest["metadata"]["namespace"] == "default"
    outputs = run.outputs("claim")
    assert (outputs["name"], outputs["size"]) == ("w-data", "1Gi")
    assert json.loads(outputs["manifest"])["kind"] == "PersistentVolumeClaim"
    assert run.command_of("use") == ["echo", "w-data"]


def sized(phases: list[str], *, is_used: bool = True) -> Simulation:
    """A Workflow that makes a claim of 1Gi, whose volume has 2Gi, and the claim's phase at each look."""
    use = a_container("use", "echo", "{{inputs.parameters.n}}", inputs=inputs("n"))
    name = "size" if is_used else "name"
    dag = a_dag(
        "main",
        a_task("claim"),
        a_task("use", dependencies=["claim"], arguments=arguments(n=f"{{{{tasks.claim.outputs.parameters.{name}}}}}")),
    )
    looks = iter(phases)

    def act(action: ResourceAction) -> ResourceAnswer:
        phase = next(looks)
        capacity = {"capacity": {"storage": "2Gi"}} if phase == "Bound" else {}
        return ResourceAnswer(obj={**action.manifest, "status": {"phase": phase, **capacity}})

    return Simulation(a_workflow(dag, a_resource(), use), act=act)


def test_an_output_of_a_claim_is_that_of_the_bound_claim() -> None:
    run = sized(["Pending", "Pending", "Bound"])
    run.turn()
    assert (run.node("claim")["phase"], run.node("claim")["message"]) == (
        "Running",
        "waiting for the claim to be bound",
    )

    run.run()

    assert run.command_of("use") == ["echo", "2Gi"]
    assert "message" not in run.node("claim")
    assert [action.is_started for action in run.actions] == [False, True, True]


def test_a_claim_that_waits_for_its_first_consumer_counts_with_what_it_asks_for() -> None:
    run = sized(["Pending"] * 100).run()

    assert run.command_of("use") == ["echo", "1Gi"]
    assert len(run.actions) > 2


def test_a_claim_is_not_waited_for_where_only_its_name_is_used() -> None:
    run = sized(["Pending"], is_used=False).run()

    assert (run.phase, run.command_of("use")) == ("Succeeded", ["echo", "w-data"])


def test_the_condition_of_success_is_waited_for() -> None:
    phases = iter(["Pending", "Pending", "Bound"])

    def act(action: ResourceAction) -> ResourceAnswer:
        return ResourceAnswer(obj={**action.manifest, "status": {"phase": next(phases)}})

    run = Simulation(a_workflow(a_resource(successCondition="status.phase == Bound")), act=act)
    run.turn()
    assert run.node("")["message"] == "waiting for the condition 'status.phase == Bound'"
    run.run()

    assert run.phase == "Succeeded"
    assert "message" not in run.node("")
    assert [action.is_started for action in run.actions] == [False, True, True]


def test_the_condition_of_failure_fails_the_node() -> None:
    def act(action: ResourceAction) -> ResourceAnswer:
        return ResourceAnswer(obj={**action.manifest, "status": {"failed": 2}})

    conditions = {"successCondition": "status.succeeded > 0", "failureCondition": "status.failed > 1"}
    run = Simulation(a_workflow(a_resource(**conditions)), act=act).run()

    assert run.phase == "Failed"


def test_a_refused_action_is_an_error_with_the_message_of_the_server() -> None:
    run = Simulation(a_workflow(a_resource()), act=lambda action: ResourceAnswer(error="not allowed")).run()

    assert (run.phase, run.status["message"]) == ("Error", "not allowed")


@pytest.mark.parametrize("manifest", ["", "- a list", "a: [", "kind: Pod"])
def test_a_bad_manifest_is_an_error(manifest: str) -> None:
    run = Simulation(a_workflow(a_resource(manifest=manifest))).run()

    assert run.phase == "Error"
    assert "resource.manifest" in run.status["message"]


def test_a_generated_name_follows_from_the_node() -> None:
    manifest = "{apiVersion: v1, kind: ConfigMap, metadata: {generateName: x-}}"
    names = {
        Simulation(a_workflow(a_resource(manifest=manifest))).run().actions[0].manifest["metadata"]["name"]
        for _ in range(2)
    }

    assert len(names) == 1
    assert names.pop().startswith("x-")


def test_an_owner_is_set_when_the_template_says_so() -> None:
    run = Simulation(a_workflow(a_resource(setOwnerReference=True))).run()

    assert run.actions[0].manifest["metadata"]["ownerReferences"][0]["name"] == "w"


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("status.phase == Bound", True),
        ("status.phase != Bound", False),
        ("status.phase == Bound,status.count > 2", True),
        ("status.count > 3", False),
        ("status.missing == x", False),
        ("status.phase in (Bound, Lost)", True),
        ("status.conditions.0.type == Ready", True),
    ],
)
def test_conditions(condition: str, holds: bool) -> None:
    obj = {"status": {"phase": "Bound", "count": 3, "conditions": [{"type": "Ready"}]}}

    assert condition_holds(condition, obj) is holds


def test_a_condition_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(BadResource):
        condition_holds("status.phase ===", {})


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("{.a.b}", "1"),
        ("{.a.list[*].x}", "2 3"),
        ("{.missing}", ""),
        ("{.a.list[?(@.x==3)].y}", "z"),
        ("{.a}", '{"b":1,"list":[{"x":2},{"x":3,"y":"z"}]}'),
    ],
)
def test_outputs_by_json_path(path: str, value: str) -> None:
    assert output_value(path, {"a": {"b": 1, "list": [{"x": 2}, {"x": 3, "y": "z"}]}}) == value


@pytest.mark.parametrize("flags", [["configmap/settings"], ["configmap", "settings"], ["cm", "settings"]])
def test_a_json_patch_names_its_object_by_flags(flags: list[str]) -> None:
    operations = '[{"op": "replace", "path": "/data/x", "value": "1"}]'

    run = Simulation(a_workflow(a_resource("patch", operations, mergeStrategy="json", flags=flags))).run()

    (action,) = run.actions
    assert (run.phase, action.manifest["kind"], action.manifest["metadata"]["name"]) == (
        "Succeeded", "ConfigMap", "settings"
    )  # fmt: skip
    assert action.operations == [{"op": "replace", "path": "/data/x", "value": "1"}]


@pytest.mark.parametrize(
    ("manifest", "flags"),
    [("{}", ["cm/a"]), ("[1]", ["cm/a"]), ("[]", []), ("[]", ["cm"]), ("[]", ["nothing/a"]), ("[]", ["a/b/c"])],
)
def test_a_json_patch_without_an_object_is_an_error(manifest: str, flags: list[str]) -> None:
    run = Simulation(a_workflow(a_resource("patch", manifest, mergeStrategy="json", flags=flags))).run()

    assert (run.phase, run.actions) == ("Error", [])


@pytest.mark.parametrize(
    ("action", "manifest", "flags", "expected"),
    [
        ("get", "", ["configmap", "settings"], ("settings", "", None)),
        ("delete", "", ["cm/settings", "--wait=false"], ("settings", "", None)),
        ("delete", "", ["configmaps", "-l", "a=b"], (None, "a=b", None)),
        ("delete", "", ["configmaps", "--selector=a in (b)"], (None, "a in (b)", None)),
        ("patch", "data: {x: '1'}", ["cm", "settings"], ("settings", "", {"x": "1"})),
    ],
)
def test_flags_name_the_object(
    action: str, manifest: str, flags: list[str], expected: tuple[str | None, str, object]
) -> None:
    run = Simulation(a_workflow(a_resource(action, manifest, flags=flags))).run()

    (made,) = run.actions
    assert (run.phase, made.manifest["kind"]) == ("Succeeded", "ConfigMap")
    assert (made.manifest["metadata"].get("name"), made.selector, made.manifest.get("data")) == expected


@pytest.mark.parametrize(
    ("jq", "value"),
    [
        (".", '{"a":{"b-c":[1,{"d":"x"}]}}'),
        (".a", '{"b-c":[1,{"d":"x"}]}'),
        (".a.b-c[1].d", "x"),
        (" .a.b-c[0] ", "1"),
        (".none.here", "null"),
    ],
)
def test_a_path_of_jq_is_an_output(jq: str, value: str) -> None:
    assert filtered_value(jq, {"a": {"b-c": [1, {"d": "x"}]}}) == value


def test_other_filters_of_jq_are_refused() -> None:
    with pytest.raises(BadResource, match="only paths such as"):
        filtered_value(".a | length", {})
