"""Containers with the cache, importers, and operations on claims."""

from typing import Any

import pytest

from tests.apps.pipelines.engine.world import Failure, World, constant, failing, run
from tests.apps.pipelines.specs import PLAIN, TEXT, art, cached, container, dag, given, out, pipeline, task
from windlass.apps.pipelines.engine import effects, events
from windlass.apps.pipelines.model import Error, RunState, TaskState, TaskType

Json = dict[str, Any]
MAKE = container(inputs={"msg": "STRING"}, outputs={"Output": "STRING"}, writes=("out",))
USE = container(reads=("inp",))
SPEC = pipeline(
    dag(
        {"make": cached(task("make", msg=given("p"))), "use": cached(task("use", inp=art("make")))},
        inputs={"p": "STRING"},
    ),
    make=MAKE,
    use=USE,
)


def again(first: World, **fields: Any) -> World:
    """Another run, which knows the history of the first."""
    options: Json = {"parameters": first.parameters, "behaviours": first.behaviours} | fields
    world = World(first.spec, cache=first.cache, **options)
    world.artifacts.update(first.artifacts)
    return world.run_to_end()


def a_first_run(**fields: Any) -> World:
    return World(SPEC, parameters={"p": "x"}, behaviours={"make": constant("made")}, **fields).run_to_end()


def test_a_second_run_takes_everything_from_the_cache() -> None:
    first = a_first_run()

    second = again(first)

    assert second.run.state is RunState.SUCCEEDED
    assert second.started == []
    assert second.paths(TaskState.CACHED) == {"make", "use"}
    assert second.task("make").outputs == first.task("make").outputs
    assert second.task("make").cached_task_id == first.task("make").task_id
    assert first.task("make").fingerprint == second.task("make").fingerprint != ""


def test_other_inputs_are_other_cache_entries() -> None:
    second = again(a_first_run(), parameters={"p": "y"})

    assert second.started[0] == "root.make"


def test_a_run_without_the_cache_asks_for_nothing() -> None:
    second = again(a_first_run(), run_fields={"is_cache_enabled": False})

    assert second.started == ["root.make", "root.use"]
    assert not any(effect.startswith("cache") for effect in second.issued)
    assert second.task("make").fingerprint == ""


@pytest.mark.parametrize("restarts", [False, True])
def test_why_a_pod_waits_is_in_its_task_until_it_does_not(restarts: bool) -> None:
    world = World(pipeline(dag({"a": task("plain")}), plain=PLAIN), restarts=restarts)
    world.turn()
    made = world.task("a").task_id

    world.turn(events.PodWaits(task_id=made, message="Unschedulable: no node"))
    assert world.task("a").state is TaskState.RUNNING
    assert world.task("a").error == Error(code=14, message="Unschedulable: no node")
    world.turn(events.PodWaits(task_id=made, message=""))
    assert world.task("a").error is None

    world.turn(events.PodWaits(task_id=made, message="Unschedulable: no node"))
    world.run_to_end()
    assert (world.task("a").state, world.task("a").error) == (TaskState.COMPLETE, None)


def test_a_task_without_caching_options_is_not_cached() -> None:
    world = run(pipeline(dag({"a": task("plain")}), plain=PLAIN))

    assert world.issued == ["start root.a-0"]
    assert world.task("a").fingerprint == ""


def test_a_cache_key_replaces_the_inputs() -> None:
    keyed = pipeline(dag({"a": cached(task("make", msg=given("p")), "mine")}, inputs={"p": "STRING"}), make=MAKE)
    first = World(keyed, parameters={"p": "x"}, behaviours={"a": constant("made")}).run_to_end()

    assert again(first, parameters={"p": "y"}).started == []


def test_a_hit_whose_artifacts_are_not_given_is_a_miss() -> None:
    first = a_first_run()
    world = World(SPEC, parameters={"p": "x"}, cache=first.cache, behaviours=first.behaviours).run_to_end()

    assert world.started[0] == "root.make"


def test_a_failed_task_is_not_in_the_cache_and_its_retry_does_not_ask_again() -> None:
    spec = pipeline(dag({"a": cached(task("plain")) | {"retryPolicy": {"maxRetryCount": 1}}}), plain=PLAIN)

    world = run(spec, {"a": failing(Failure(), {})})

    assert world.issued == ["cache root.a-0", "start root.a-0", "start root.a-1"]
    assert world.task("a").fingerprint != ""


def test_inputs_that_cannot_be_fingerprinted_fail_the_task() -> None:
    executors = {"exec-plain": {"pvcMount": [{"mountPath": "/data", "pvcNameParameter": given("missing")}]}}
    platform = {"platforms": {"kubernetes": {"deploymentSpec": {"executors": executors}}}}

    world = World(pipeline(dag({"a": cached(task("plain"))}), plain=PLAIN), platform=platform)
    world.turn()

    assert world.started == []
    assert world.run.state is RunState.FAILED


# --- importers


def importing(importer: Json, **inputs: Any) -> Json:
    declared = dict.fromkeys(inputs, "STRING")
    return pipeline(
        dag({"load": task("load", **inputs), "use": task("use", inp=art("load", "artifact"))}, inputs={"p": "STRING"}),
        load=container(inputs=declared, writes=("artifact",), executor={"importer": importer}),
        use=USE,
    )


def test_an_importer_asks_for_its_artifact_with_resolved_metadata() -> None:
    importer = {
        "artifactUri": {"runtimeParameter": "uri"},
        "typeSchema": {"schemaTitle": "system.Model"},
        "metadata": {"k": "v", "n": 3.0, "from": "{{$.inputs.parameters['uri']}}"},
        "reimport": True,
    }
    world = World(importing(importer, uri=given("p")), parameters={"p": "gs://b/x"})

    turn = world.engine.turn([events.Advance()], world.now)

    load = next(task for task in turn.tasks if task.name == "load")
    assert load.type is TaskType.IMPORTER
    assert turn.effects == [
        effects.ImportArtifact(
            task_id=load.task_id,
            uri="gs://b/x",
            type="system.Model",
            schema_version="0.0.1",
            metadata={"k": "v", "n": 3.0, "from": "gs://b/x"},
            reimport=True,
        )
    ]


def test_an_imported_artifact_is_the_output_of_the_importer() -> None:
    world = run(importing({"artifactUri": {"constant": "gs://b/x"}}))

    assert world.run.state is RunState.SUCCEEDED
    assert world.task("load").outputs.artifacts == {"artifact": ["imported-root.load"]}
    assert world.task("use").inputs.artifacts == {"inp": ["imported-root.load"]}
    assert world.artifacts["imported-root.load"].created_at == world.now


def test_an_artifact_of_an_earlier_run_is_linked_and_not_saved_again() -> None:
    world = World(importing({"artifactUri": {"constant": "gs://b/x"}}))
    effect = world.engine.turn([events.Advance()], world.now).effects[0]
    earlier = events.Imported(
        task_id=effect.task_id, artifact=events.Artifact(artifact_id="old", task_id="another", uri="gs://b/x")
    )

    turn = world.engine.turn([earlier], world.now)

    assert turn.artifacts == []
    assert next(task for task in turn.tasks if task.name == "use").inputs.artifacts == {"inp": ["old"]}


@pytest.mark.parametrize(
    "importer", [{"artifactUri": {"constant": "oci://a/b"}}, {"artifactUri": {"runtimeParameter": "missing"}}]
)
def test_an_importer_without_a_usable_uri_fails(importer: Json) -> None:
    world = World(importing(importer))
    world.turn()

    assert world.run.state is RunState.FAILED
    assert world.issued == []


def test_a_failed_import_fails_the_task() -> None:
    world = World(importing({"artifactUri": {"constant": "gs://b/x"}}))
    effect = world.engine.turn([events.Advance()], world.now).effects[0]

    turn = world.engine.turn([events.OperationFailed(task_id=effect.task_id, message="no such bucket")], world.now)

    assert turn.run_state is RunState.FAILED
    assert turn.error is not None
    assert turn.error.message == "load: no such bucket"


def test_an_importer_may_have_a_condition() -> None:
    spec = importing({"artifactUri": {"constant": "gs://b/x"}})
    spec["root"]["dag"]["tasks"]["load"]["triggerPolicy"] = {"condition": "1 == 2"}

    assert run(spec).paths(TaskState.CANCELED) == {"load", "use"}


# --- claims


CREATE = container(
    inputs={
        "access_modes": "LIST",
        "size": "STRING",
        "pvc_name": {"parameterType": "STRING", "isOptional": True},
        "storage_class_name": {"parameterType": "STRING", "defaultValue": "", "isOptional": True},
    },
    outputs={"name": "STRING"},
    executor={"container": {"image": "argostub/createpvc"}},
)
DELETE = container(inputs={"pvc_name": "STRING"}, executor={"container": {"image": "argostub/deletepvc"}})
MOUNT = {"mountPath": "/data", "pvcNameParameter": out("create", "name")}
PLATFORM = {
    "platforms": {"kubernetes": {"deploymentSpec": {"executors": {"exec-train": {"pvcMount": [MOUNT]}}}}},
}
CLAIMS = pipeline(
    dag(
        {
            "create": cached(task("create", access_modes=["ReadWriteOnce"], size="1Gi")),
            "train": cached(task("train", msg="x")),
            "delete": cached(task("delete", after=("train",), pvc_name=out("create", "name"))),
        }
    ),
    create=CREATE,
    train=TEXT,
    delete=DELETE,
)


def test_claims_are_created_and_deleted_without_pods_and_mounts_are_dependencies() -> None:
    world = World(CLAIMS, platform=PLATFORM, behaviours={"train": constant("t")}).run_to_end()

    assert world.run.state is RunState.SUCCEEDED
    assert world.issued == [
        "cache root.create-0",
        "create claim {'access_modes': ['ReadWriteOnce'], 'size': '1Gi'}",
        "cache root.train-0",
        "start root.train-0",
        "delete claim claim-1",
    ]
    assert world.task("create").outputs.parameters == {"name": "claim-1"}
    assert world.task("create").type is TaskType.RUNTIME
    assert world.task("delete").fingerprint == ""


def test_a_claim_has_the_class_that_is_given_even_an_empty_one() -> None:
    spec = pipeline(dag({"create": task("create", access_modes=[], size="1", storage_class_name="")}), create=CREATE)

    assert run(spec).issued == ["create claim {'access_modes': [], 'size': '1', 'storage_class_name': ''}"]


def test_a_claim_that_cannot_be_deleted_fails_the_task() -> None:
    spec = pipeline(dag({"delete": task("delete", pvc_name="x")}), delete=DELETE)
    world = World(spec)
    effect = world.engine.turn([events.Advance()], world.now).effects[0]
    assert isinstance(effect, effects.DeleteClaim)

    turn = world.engine.turn([events.OperationFailed(task_id=effect.task_id, message="it does not exist")], world.now)

    assert turn.run_state is RunState.FAILED
