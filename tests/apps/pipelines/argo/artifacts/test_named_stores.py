"""Artifacts in stores that they name, repositories of Workflows, and the removal of artifacts."""

from typing import Any

import pytest

from tests.apps.pipelines.argo.simulation import End, Simulation, by_task
from tests.apps.pipelines.workflows import a_container, a_dag, a_task, a_workflow, arguments, steps
from windlass.apps.pipelines.argo.artifacts.artifact_gc import removals, started_spec
from windlass.apps.pipelines.argo.artifacts.artifact_places import (
    artifact_uri,
    place_of,
    place_problem,
    placed_artifact,
    with_sub_path,
)
from windlass.apps.pipelines.artifacts.stores.store_locations import Place, PlacedArtifact, SecretKey
from windlass.kube.json import Object, dig, dig_list

KEYS = {"accessKeySecret": {"name": "keys", "key": "id"}, "secretKeySecret": {"name": "other", "key": "secret"}}
S3: Object = {"endpoint": "s3.example.com:9000", "bucket": "data", "key": "in/x.csv", "insecure": True, **KEYS}
AZURE: Object = {"endpoint": "https://acct.blob.core.windows.net", "container": "c", "blob": "b/x"}


@pytest.mark.parametrize(
    ("artifact", "place"),
    [
        (
            {"s3": {**S3, "region": "eu-west-1"}},
            Place(
                scheme="s3",
                bucket="data",
                key="in/x.csv",
                endpoint="s3.example.com:9000",
                region="eu-west-1",
                insecure=True,
                secrets=(SecretKey(name="keys", key="id"), SecretKey(name="other", key="secret")),
            ),
        ),
        (
            {"gcs": {"bucket": "b", "key": "k/", "serviceAccountKeySecret": {"name": "g", "key": "json"}}},
            Place(scheme="gs", bucket="b", key="k", secrets=(SecretKey(name="g", key="json"),)),
        ),
        (
            {"azure": AZURE},
            Place(scheme="az", bucket="c", key="b/x", endpoint="https://acct.blob.core.windows.net"),
        ),
    ],
)
def test_a_location_names_all_it_takes_to_reach_an_object(artifact: Object, place: Place) -> None:
    assert place_of(artifact) == place
    assert place_problem({"name": "a", **artifact}) == ""
    assert artifact_uri(artifact) == place.uri


@pytest.mark.parametrize(
    ("artifact", "problem"),
    [
        ({"s3": {**S3, "endpoint": "a/b c"}}, "a.s3.endpoint: 'a/b c' is not a host"),
        ({"s3": {**S3, "region": "??"}}, "a.s3.region: '??' is not a region"),
        (
            {"azure": {**AZURE, "endpoint": "https://UPPER.example.com"}},
            "a.azure.endpoint: is not the name of a storage",
        ),
        ({"gcs": {"key": "k"}}, "a.gcs.bucket: Required value"),
    ],
)
def test_a_location_that_cannot_be_used_is_refused_by_its_field(artifact: Object, problem: str) -> None:
    assert place_problem({"name": "a", **artifact}).startswith(problem)


@pytest.mark.parametrize(
    ("fields", "packed"),
    [
        ({}, ("tgz", 6)),
        ({"archive": {"tar": {"compressionLevel": 0}}}, ("tgz", 0)),
        ({"archive": {"none": {}}}, ("none", 6)),
        ({"archive": {"zip": {}}}, ("zip", 6)),
    ],
)
def test_the_archive_says_how_an_artifact_is_packed(fields: Object, packed: tuple[str, int]) -> None:
    made = placed_artifact({"name": "a", "path": "/tmp/model", "s3": S3, **fields}, "p")

    assert (made.archive, made.level, made.name, made.path) == (*packed, "model", "p")


@pytest.mark.parametrize(
    ("artifact", "key"), [({"s3": S3}, "in/x.csv/sub/a"), ({"gcs": {"bucket": "b", "key": "k/"}}, "k/sub/a")]
)
def test_a_sub_path_is_below_the_key(artifact: Object, key: str) -> None:
    assert place_of(with_sub_path(artifact, "/sub/a/")).key == key


def reader(*, name: str = "read", **fields: Any) -> Object:
    return a_container(name, "cat", "/in/data", inputs={"artifacts": [{"name": "data", "path": "/in/data", **fields}]})


def writer(**fields: Any) -> Object:
    return a_container("write", "touch", "/out", outputs={"artifacts": [{"name": "made", "path": "/out/x", **fields}]})


def program_of(run: Simulation, name: str = "") -> str:
    return run.command_of(name)[2]


def test_an_input_is_fetched_before_its_pod_and_copied_from_the_pods_folder() -> None:
    run = Simulation(a_workflow(reader(s3=S3)))

    made = run.run().last

    assert (run.phase, run.fetched, made is not None) == ("Succeeded", ["s3://data/in/x.csv"], True)
    assert "cp -R /var/run/argo/inputs/data /in/data" in program_of(run)
    (volume,) = run.pod_of("")["spec"]["containers"][0]["volumeMounts"]
    assert (volume["mountPath"], volume["subPath"]) == ("/var/run/argo", ".argo/w")


def test_an_input_that_cannot_be_fetched_ends_the_node_in_error_without_a_pod() -> None:
    run = Simulation(a_workflow(reader(s3=S3)), unreachable={"s3://data/in/x.csv": "Cannot fetch it: refused"}).run()

    assert (run.phase, run.manifests) == ("Error", {})
    assert run.node("")["message"] == "inputs.artifacts.data: Cannot fetch it: refused"


def test_an_optional_input_that_its_store_does_not_have_is_left_out() -> None:
    missing = frozenset({"s3://data/in/x.csv"})

    run = Simulation(a_workflow(reader(s3=S3, optional=True)), missing=missing).run()

    assert run.phase == "Succeeded"
    assert run.command_of("") == ["cat", "/in/data"]
    assert Simulation(a_workflow(reader(s3=S3)), missing=missing).run().phase == "Error"


def test_an_output_is_published_and_passed_on_with_its_location() -> None:
    place = {**S3, "key": "out/{{workflow.name}}"}
    call = a_task(
        "read", dependencies=["write"], arguments={"artifacts": [source("{{tasks.write.outputs.artifacts.made}}")]}
    )

    run = Simulation(
        a_workflow(a_dag("main", a_task("write"), call), writer(s3=place, archive={"zip": {}}), reader()),
        by_task(write=End(artifacts=("made",))),
    ).run()

    assert run.phase == "Succeeded"
    (published,) = run.published.values()
    assert published == PlacedArtifact(
        place=place_of({"s3": {**S3, "key": "out/w"}}),
        path=f".argo/{run.pod_of('write')['metadata']['name']}/outputs/made",
        archive="zip",
        name="x",
    )
    assert run.fetched == ["s3://data/out/w"]
    (shown,) = dig_list(run.node("write"), "outputs", "artifacts")
    assert shown == {"name": "made", "path": "/out/x", "s3": {**S3, "key": "out/w"}, "archive": {"zip": {}}}


def source(tag: str, **fields: Any) -> Object:
    return {"name": "data", "from": tag, **fields}


def test_an_output_that_was_not_written_ends_the_node_in_error() -> None:
    run = Simulation(a_workflow(writer(s3=S3))).run()

    assert (run.phase, run.node("")["message"]) == ("Error", "the output artifact made was not written to /out/x")


def test_an_expression_chooses_the_artifact_of_the_branch_that_ran() -> None:
    heads, tails = (writer_named(name) for name in ("heads", "tails"))
    expression = (
        "steps['flip'].outputs.result == 'h' ? steps.heads.outputs.artifacts.made : steps.tails.outputs.artifacts.made"
    )
    workflow = a_workflow(
        steps(
            "main",
            [a_task("flip")],
            [
                a_task("heads", when="{{steps.flip.outputs.result}} == h"),
                a_task("tails", when="{{steps.flip.outputs.result}} == t"),
            ],
            [a_task("read", arguments={"artifacts": [{"name": "data", "fromExpression": expression}]})],
        ),
        {"name": "flip", "script": {"image": "i", "command": ["sh"], "source": "x"}},
        heads,
        tails,
        reader(),
    )

    run = Simulation(workflow, by_task(flip=End(result="t"), tails=End(artifacts=("made",)))).run()

    assert run.phase == "Succeeded", run.phases()
    mounted = [mount["subPath"] for mount in run.pod_of("[2].read")["spec"]["containers"][0]["volumeMounts"]]
    assert any("tails" in path for path in mounted)


def writer_named(name: str) -> Object:
    return {**writer(), "name": name}


# --- repositories


def repositories(text: str, **annotations: str) -> dict[str, Object]:
    metadata = {"name": "artifact-repositories", "annotations": annotations}
    return {"artifact-repositories": {"metadata": metadata, "data": {"mine": text}}}


REPOSITORY = """
s3:
  endpoint: s3.example.com:9000
  bucket: data
  insecure: true
  accessKeySecret: {name: keys, key: id}
  secretKeySecret: {name: keys, key: secret}
  keyFormat: "runs/{{workflow.name}}/{{workflow.parameters.p}}/{{pod.name}}"
"""


def test_outputs_go_to_the_repository_of_the_workflow() -> None:
    workflow = a_workflow(writer(), artifactRepositoryRef={"key": "mine"}, arguments=arguments(p="x"))

    run = Simulation(workflow, lambda pod: End(artifacts=("made",)), config_maps=repositories(REPOSITORY)).run()

    assert run.phase == "Succeeded"
    (published,) = run.published.values()
    assert published.place.uri == "s3://data/runs/w/x/w/made.tgz"
    assert [secret.key for secret in published.place.secrets] == ["id", "secret"]
    assert dig(run.status, "artifactRepositoryRef", "artifactRepository", "s3", "bucket") == "data"
    assert dig(run.node(""), "outputs", "artifacts")[0]["s3"]["endpoint"] == "s3.example.com:9000"


def test_a_repository_completes_a_key_and_is_chosen_by_an_annotation() -> None:
    workflow = a_workflow(reader(s3={"key": "a/b"}), artifactRepositoryRef={}, arguments=arguments(p="x"))
    known = repositories(REPOSITORY, **{"workflows.argoproj.io/default-artifact-repository": "mine"})

    run = Simulation(workflow, config_maps=known).run()

    assert (run.phase, run.fetched) == ("Succeeded", ["s3://data/a/b"])


def test_a_workflow_keeps_the_repository_with_which_it_started() -> None:
    workflow = a_workflow(
        a_dag("main", a_task("a", "write"), a_task("b", "write", dependencies=["a"])),
        writer(),
        artifactRepositoryRef={"key": "mine"},
        arguments=arguments(p="x"),
    )
    run = Simulation(workflow, lambda pod: End(artifacts=("made",)), config_maps=repositories(REPOSITORY))
    run.turn()
    run.config_maps = repositories(REPOSITORY.replace("bucket: data", "bucket: other"))

    run.run()

    assert {place.place.bucket for place in run.published.values()} == {"data"}


@pytest.mark.parametrize(
    ("known", "reference", "problem"),
    [
        ({}, {"key": "mine"}, "artifactRepositoryRef: the ConfigMap artifact-repositories does not exist"),
        (repositories(REPOSITORY), {}, "artifactRepositoryRef.key: required"),
        (
            repositories(REPOSITORY),
            {"key": "no"},
            "artifactRepositoryRef: the ConfigMap artifact-repositories has no key",
        ),
        (
            repositories("[1]"),
            {"key": "mine"},
            "artifactRepositoryRef: the ConfigMap artifact-repositories, mine: not an",
        ),
        (repositories("oss: {}"), {"key": "mine"}, "mine: oss is not supported"),
        (repositories("s3: {roleARN: x}"), {"key": "mine"}, "mine: s3.roleARN is not supported"),
        (repositories("archiveLogs: true"), {"key": "mine"}, "mine: one of s3, gcs, azure is required"),
    ],
)
def test_a_repository_that_cannot_be_used_ends_the_workflow_with_the_field(
    known: dict[str, Object], reference: Object, problem: str
) -> None:
    run = Simulation(a_workflow(writer(), artifactRepositoryRef=reference), config_maps=known).run()

    assert run.phase == "Error"
    assert problem in run.status["message"]
    assert run.turn().status["phase"] == "Error", "a finished Workflow asks for nothing any more"


# --- logs


@pytest.mark.parametrize(
    ("spec", "template", "is_kept"),
    [
        ({}, {}, False),
        ({"archiveLogs": True}, {}, True),
        ({"archiveLogs": True}, {"archiveLocation": {"archiveLogs": False}}, False),
        ({}, {"archiveLocation": {"archiveLogs": True}}, True),
    ],
)
def test_the_log_of_a_container_is_an_artifact(spec: Object, template: Object, is_kept: bool) -> None:
    run = Simulation(
        a_workflow(a_container("m", "echo", **template), **spec), lambda pod: End(artifacts=("main-logs",))
    )
    run.run()

    artifacts = dig_list(run.node(""), "outputs", "artifacts")
    assert [item["s3"]["key"].rpartition("/")[2] for item in artifacts] == (["main.log"] if is_kept else [])


# --- removal


@pytest.mark.parametrize(
    ("spec", "own", "is_removed"),
    [
        ({}, {}, False),
        ({"artifactGC": {"strategy": "OnWorkflowCompletion"}}, {}, True),
        ({"artifactGC": {"strategy": "OnWorkflowCompletion"}}, {"artifactGC": {"strategy": "Never"}}, False),
        ({}, {"artifactGC": {"strategy": "OnWorkflowCompletion"}}, True),
        ({"artifactGC": {"strategy": "OnWorkflowDeletion"}}, {}, False),
    ],
)
@pytest.mark.parametrize("place", [{}, {"s3": S3}])
def test_artifacts_are_removed_after_the_workflow(spec: Object, own: Object, is_removed: bool, place: Object) -> None:
    run = Simulation(a_workflow(writer(**own, **place), **spec), lambda pod: End(artifacts=("made",))).run()
    key = dig(run.node(""), "outputs", "artifacts")[0]["s3"]["key"]
    assert run.removed == []

    run.turn()
    run.turn()

    assert run.removed == ([f"s3://data/{key}" if place else f"minio://mlpipeline/{key}"] if is_removed else [])
    assert bool(dig(run.node(""), "outputs", "artifacts")[0].get("deleted")) is is_removed


def test_a_removal_that_fails_is_a_condition_and_not_repeated() -> None:
    workflow = a_workflow(writer(s3=S3), artifactGC={"strategy": "OnWorkflowCompletion"})
    run = Simulation(
        workflow, lambda pod: End(artifacts=("made",)), unreachable={"s3://data/in/x.csv": "refused"}
    ).run()

    run.turn()

    assert {"type": "ArtifactGCError", "status": "True", "message": "refused"} in run.status["conditions"]
    assert run.turn().removals == []


def test_removal_at_deletion_needs_a_finalizer() -> None:
    plain = Simulation(a_workflow(writer()))
    removed = Simulation(a_workflow(writer(artifactGC={"strategy": "OnWorkflowDeletion"})))

    assert (plain.turn().needs_finalizer, removed.turn().needs_finalizer) == (False, True)


def test_the_strategy_may_be_that_of_the_template_with_which_the_workflow_started() -> None:
    library = a_workflow(writer(), artifactGC={"strategy": "OnWorkflowDeletion"})["spec"]
    workflow = a_workflow()
    workflow["spec"] = {"workflowTemplateRef": {"name": "t"}}
    run = Simulation(workflow, lambda pod: End(artifacts=("made",)), templates={("t", False): library}).run()

    spec = started_spec(run.workflow)

    assert [removal.name for removal in removals(spec, run.status, "OnWorkflowDeletion")] == ["made"]
    assert not list(removals(spec, run.status, "OnWorkflowCompletion"))


# --- lists of objects


def a_list(*expressions: str, **place: Object) -> Object:
    steps = [{"expression": expression} for expression in expressions]
    return {"name": "l", "data": {"source": {"artifactPaths": {"name": "a", **place}}, "transformation": steps}}


@pytest.mark.parametrize(
    ("place", "uri"),
    [({"s3": {"key": "in"}}, "minio://mlpipeline/in"), ({"s3": {**S3, "key": "in"}}, "s3://data/in")],
)
def test_data_lists_objects_and_changes_the_list(place: Object, uri: str) -> None:
    template = a_list("filter(data, {# endsWith '.pdf'})", "map(data, {upper(#)})", **place)

    run = Simulation(a_workflow(template), objects={uri: ["in/a.pdf", "in/b.txt", "in/c.pdf"]}).run()

    assert (run.phase, run.manifests) == ("Succeeded", {})
    assert run.node("")["outputs"]["result"] == '["IN/A.PDF","IN/C.PDF"]'


def test_the_list_of_data_is_looped_over() -> None:
    loop = a_task(
        "each", "e", dependencies=["l"], withParam="{{tasks.l.outputs.result}}", arguments=arguments(x="{{item}}")
    )
    template = a_container("e", "echo", "{{inputs.parameters.x}}", inputs={"parameters": [{"name": "x"}]})

    run = Simulation(
        a_workflow(a_dag("main", a_task("l"), loop), a_list("data", s3={"key": "in"}), template),
        objects={"minio://mlpipeline/in": ["in/a", "in/b"]},
    ).run()

    assert [name for name in run.phases() if name.startswith("each(")] == ["each(0:in/a)", "each(1:in/b)"]


@pytest.mark.parametrize(
    ("expression", "unreachable", "message"),
    [
        ("data +", {}, "data.transformation: "),
        ("nothing", {}, "data.transformation: nothing"),
        ("data", {"minio://mlpipeline/in": "Cannot list it"}, "Cannot list it"),
    ],
)
def test_data_that_cannot_be_listed_or_changed_is_an_error(
    expression: str, unreachable: dict[str, str], message: str
) -> None:
    run = Simulation(a_workflow(a_list(expression, s3={"key": "in"})), unreachable=unreachable).run()

    assert run.phase == "Error"
    assert message in run.node("")["message"]
