"""Artifacts that name their place in the store, and outputs of containers without a command."""

from typing import Any

import pytest

from tests.apps.pipelines.argo.simulation import End, Simulation, by_task
from tests.apps.pipelines.workflows import a_container, a_dag, a_task, a_workflow, arguments
from windlass.apis.images import IMAGE_PROGRAM
from windlass.apps.pipelines.argo.artifacts.artifact_places import output_place, path_of, place_problem, uri_of
from windlass.kube.json import Object


def reader(place: Object, **fields: Any) -> Object:
    artifact = {"name": "data", "path": "/in/data", "s3": place, **fields}
    return a_container("read", "cat", "/in/data", inputs={"parameters": [{"name": "k"}], "artifacts": [artifact]})


def mounts(run: Simulation, name: str = "") -> dict[str, str]:
    (main,) = run.pod_of(name)["spec"]["containers"]
    return {mount["mountPath"]: mount["subPath"] for mount in main.get("volumeMounts", [])}


@pytest.mark.parametrize(
    ("place", "uri", "path"),
    [
        ({"key": "a/b"}, "minio://mlpipeline/a/b", "minio/mlpipeline/a/b"),
        ({"key": "a/", "bucket": "mine"}, "minio://mine/a", "minio/mine/a"),
        ({"key": "a", "endpoint": "minio-service.kubeflow:9000"}, "minio://mlpipeline/a", "minio/mlpipeline/a"),
    ],
)
def test_places_are_in_the_claim(place: Object, uri: str, path: str) -> None:
    assert (uri_of(place), path_of(place), place_problem({"name": "a", "s3": place})) == (uri, path, "")
    assert uri_of(output_place({"name": "a", "s3": place}, "unused")) == uri


def test_an_input_is_mounted_from_its_key_which_may_contain_tags() -> None:
    workflow = a_workflow(reader({"key": "{{workflow.name}}/{{inputs.parameters.k}}"}), arguments=arguments(k="x.csv"))

    run = Simulation(workflow).run()

    assert run.phase == "Succeeded"
    assert mounts(run)["/var/run/argo-artifacts/inputs/data"] == "minio/mlpipeline/w/x.csv"


def test_an_argument_replaces_the_place_of_an_input() -> None:
    given = {"name": "data", "s3": {"bucket": "mine", "key": "other"}}
    call = a_task("read", arguments={**arguments(k=""), "artifacts": [given]})

    run = Simulation(a_workflow(a_dag("main", call), reader({"key": "default"}))).run()

    assert mounts(run, "read")["/var/run/argo-artifacts/inputs/data"] == "minio/mine/other"


def test_an_input_that_does_not_exist_ends_the_node_in_error() -> None:
    workflow = a_workflow(reader({"key": "gone"}), arguments=arguments(k=""))

    run = Simulation(workflow, missing=frozenset({"minio://mlpipeline/gone"})).run()

    assert (run.phase, run.manifests) == ("Error", {})
    assert run.node("")["message"] == (
        "inputs.artifacts.data: Cannot fetch minio://mlpipeline/gone: there is no such object, and none below it"
    )


def test_an_optional_input_that_does_not_exist_is_left_out() -> None:
    workflow = a_workflow(reader({"key": "gone"}, optional=True), arguments=arguments(k=""))

    run = Simulation(workflow, missing=frozenset({"minio://mlpipeline/gone"})).run()

    assert run.phase == "Succeeded"
    assert mounts(run) == {}


@pytest.mark.parametrize("place", [{"key": "{{inputs.parameters.k}}"}, {"key": "a", "endpoint": "{{workflow.name}}"}])
def test_a_place_is_checked_again_when_its_tags_are_replaced(place: Object) -> None:
    run = Simulation(a_workflow(reader(place), arguments=arguments(k="../etc"))).run()

    assert run.phase == "Error"
    assert "inputs.artifacts.data.s3." in run.node("")["message"]


@pytest.mark.parametrize(
    ("key", "folder"), [("models/{{pod.name}}/m.bin", "minio/mine/models/w"), ("m.bin", "minio/mine")]
)
def test_an_output_is_written_to_its_key_and_passed_on(key: str, folder: str) -> None:
    artifact = {"name": "model", "path": "/out/model", "s3": {"bucket": "mine", "key": key}}
    make = a_container("make", outputs={"artifacts": [artifact, {"name": "other", "path": "/out/other"}]})
    use = a_container("use", inputs={"artifacts": [{"name": "m", "path": "/m"}]})
    passed = {"artifacts": [{"name": "m", "from": "{{tasks.make.outputs.artifacts.model}}"}]}
    graph = a_dag("main", a_task("make"), a_task("use", dependencies=["make"], arguments=passed))

    run = Simulation(a_workflow(graph, make, use), by_task(make=End(artifacts=("model", "other")))).run()

    made, other = run.node("make")["outputs"]["artifacts"]
    assert made["s3"]["bucket"] == "mine"
    assert other["s3"]["key"].endswith("/other.tgz")
    assert mounts(run, "make")["/var/run/argo-artifacts/places/model"].startswith(folder)
    assert "cp -RL /out/model /var/run/argo-artifacts/places/model/m.bin" in run.command_of("make")[2]
    assert mounts(run, "use")["/var/run/argo-artifacts/inputs/m"] == path_of(made["s3"])


def test_outputs_of_a_container_without_a_command_are_kept_around_the_image_s_program() -> None:
    outputs = {"parameters": [{"name": "p", "valueFrom": {"path": "/tmp/p"}}]}
    template: Object = {"name": "c", "container": {"image": "i", "args": ["--fast"]}, "outputs": outputs}

    run = Simulation(a_workflow(template), lambda pod: End(parameters={"p": "1"})).run()

    (main,) = run.pod_of("")["spec"]["containers"]
    assert (main["command"][-1], main["args"]) == (IMAGE_PROGRAM, ["--fast"])
    assert run.outputs("") == {"p": "1"}
