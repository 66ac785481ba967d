"""The metadata store over a history: what its methods answer, page by page, and to whom."""

from typing import Any

import pytest

from tests.apps.pipelines.wire.metadata.conftest import Reader, ReadingCaller
from tests.apps.pipelines.wire.metadata.history import History
from windlass.apps.pipelines.model import Values
from windlass.apps.pipelines.rows.database import Database
from windlass.apps.pipelines.wire.errors import InvalidArgument, NotFound, PermissionDenied, Unimplemented
from windlass.apps.pipelines.wire.metadata.api import MetadataApi
from windlass.apps.pipelines.wire.metadata.methods import READS, WRITES
from windlass.apps.pipelines.wire.metadata.node_types import type_id
from windlass.apps.pipelines.wire.metadata.nodes import pipeline_number

SORT_KEYS = {"CREATE_TIME": "create_time_since_epoch", "LAST_UPDATE_TIME": "last_update_time_since_epoch", "ID": "id"}


@pytest.fixture
async def history(database: Database) -> History:
    return await History().save(database)


def ids(nodes: list[Any]) -> list[int]:
    return [node["id"] for node in nodes]


async def test_the_run_of_a_page_is_found_by_its_name_with_executions_artifacts_and_events(
    reader: Reader, history: History
) -> None:
    """What upstream's page of a run asks, in its order."""
    run = await reader.call("GetContextByTypeAndName", type_name="system.PipelineRun", context_name=history.run_id)
    context = run["context"]["id"]
    executions = await reader.call("GetExecutionsByContext", context_id=context)
    artifacts = await reader.call("GetArtifactsByContext", context_id=context)
    events = await reader.call("GetEventsByExecutionIDs", execution_ids=ids(executions["executions"]))

    numbers = {name: history.number(name) for name in ("root", "import", "train", "use", "data", "model")}
    assert set(ids(executions["executions"])) == {numbers[name] for name in ("root", "import", "train", "use")}
    assert set(ids(artifacts["artifacts"])) == {numbers["data"], numbers["model"]}
    shown = {(each["type"], each["artifact_id"], each["execution_id"]) for each in events["events"]}
    assert shown == {
        ("OUTPUT", numbers["data"], numbers["import"]),
        ("INPUT", numbers["data"], numbers["train"]),
        ("OUTPUT", numbers["model"], numbers["train"]),
        ("INPUT", numbers["model"], numbers["use"]),
    }
    assert {each["path"]["steps"][0]["key"] for each in events["events"]} == {"artifact", "dataset", "model", "weights"}


async def test_a_pipeline_is_the_parent_of_its_runs(reader: Reader, history: History, database: Database) -> None:
    second = await History(at=200.0).save(database)
    await History(pipeline="other").save(database)
    asked = {"type_name": "system.Pipeline", "context_name": "mnist"}
    pipeline = (await reader.call("GetContextByTypeAndName", **asked))["context"]

    children = await reader.call("GetChildrenContextsByContext", context_id=pipeline["id"])
    parents = await reader.call("GetParentContextsByContext", context_id=history.number("run"))
    by_parent = await reader.call("GetChildrenContextsByContexts", context_ids=[pipeline["id"]])
    by_child = await reader.call("GetParentContextsByContexts", context_ids=[second.number("run"), 1])
    executions = await reader.call("GetExecutionsByContext", context_id=pipeline["id"])

    assert ids(children["contexts"]) == [history.number("run"), second.number("run")]
    assert parents["contexts"] == [pipeline]
    assert by_parent["contexts"][pipeline["id"]]["children_contexts"] == children["contexts"]
    assert by_child["contexts"] == {second.number("run"): {"parent_contexts": [pipeline]}}
    assert len(executions["executions"]) == 8
    assert pipeline["create_time_since_epoch"] == 100_000


async def test_contexts_of_executions_and_artifacts(reader: Reader, history: History) -> None:
    of_execution = await reader.call("GetContextsByExecution", execution_id=history.number("train"))
    of_artifact = await reader.call("GetContextsByArtifact", artifact_id=history.number("model"))

    assert ids(of_execution["contexts"]) == [pipeline_number("mnist"), history.number("run")]
    assert of_artifact == of_execution
    assert (await reader.call("GetContextsByArtifact", artifact_id=5)) == {"contexts": []}


async def test_types_are_found_by_name_and_id(reader: Reader, history: History, database: Database) -> None:
    await database.save(history.run_id, artifacts=[history.artifact("own", "train", type="acme.Thing")])
    names = [each["name"] for each in (await reader.call("GetArtifactTypes"))["artifact_types"]]
    by_id = await reader.call("GetArtifactTypesByID", type_ids=[type_id("acme.Thing"), 1])

    assert "acme.Thing" in names
    assert "system.Metrics" in names
    assert [each["name"] for each in by_id["artifact_types"]] == ["acme.Thing"]
    found = await reader.call("GetContextType", type_name="system.PipelineRun")
    assert found["context_type"]["id"] == type_id("system.PipelineRun")
    with pytest.raises(NotFound, match="nonsense"):
        await reader.call("GetExecutionType", type_name="nonsense")
    with pytest.raises(NotFound, match="version: `2`"):
        await reader.call("GetExecutionType", type_name="system.DAGExecution", type_version="2")


async def test_nodes_are_found_by_id_type_name_and_uri(reader: Reader, history: History) -> None:
    model, train = history.number("model"), history.number("train")
    by_id = await reader.call("GetArtifactsByID", artifact_ids=[model, 1], populate_artifact_types=True)
    by_type = await reader.call("GetArtifactsByType", type_name="system.Model")
    by_uri = await reader.call("GetArtifactsByURI", uris=[history.artifacts()[1].uri, "nowhere"])
    by_name = await reader.call("GetArtifactByTypeAndName", type_name="system.Model", artifact_name=history.id("model"))

    assert ids(by_id["artifacts"]) == ids(by_type["artifacts"]) == ids(by_uri["artifacts"]) == [model]
    assert [each["name"] for each in by_id["artifact_types"]] == ["system.Model"]
    assert by_name["artifact"] == by_id["artifacts"][0]
    assert ids((await reader.call("GetExecutionsByID", execution_ids=[train]))["executions"]) == [train]
    importers = await reader.call("GetExecutionsByType", type_name="system.ImporterExecution")
    assert ids(importers["executions"]) == [history.number("import")]
    root = await reader.call(
        "GetExecutionByTypeAndName", type_name="system.DAGExecution", execution_name=f"run/{history.run_id}"
    )
    assert root["execution"]["id"] == history.number("root")
    assert root["execution"]["custom_properties"]["total_dag_tasks"] == {"int_value": 3}
    contexts = await reader.call("GetContextsByID", context_ids=[pipeline_number("mnist"), history.number("run"), 9])
    assert [each["type"] for each in contexts["contexts"]] == ["system.Pipeline", "system.PipelineRun"]


@pytest.mark.parametrize(
    ("method", "request_fields"),
    [
        ("GetArtifactByTypeAndName", {"type_name": "system.Dataset", "artifact_name": "model"}),
        ("GetExecutionByTypeAndName", {"type_name": "system.DAGExecution", "execution_name": "run/none"}),
        ("GetContextByTypeAndName", {"type_name": "system.PipelineRun", "context_name": "none"}),
        ("GetContextByTypeAndName", {"type_name": "KfpRun", "context_name": "none"}),
        ("GetContextByTypeAndName", {}),
        ("GetArtifactsByType", {"type_name": "nonsense"}),
        ("GetExecutionsByContext", {"context_id": -5}),
        ("GetArtifactsByExternalIds", {"external_ids": ["x"]}),
        ("GetEventsByArtifactIDs", {}),
    ],
)
async def test_what_is_not_there_is_left_out(
    reader: Reader, history: History, method: str, request_fields: dict[str, Any]
) -> None:
    answer = await reader.call(method, **request_fields)

    assert all(value == [] for value in answer.values())


ORDERS: list[Any] = [None, *({"field": name, "is_asc": is_asc} for name in SORT_KEYS for is_asc in (True, False))]


@pytest.mark.parametrize("method", ["GetExecutions", "GetArtifacts", "GetContexts"])
async def test_pages_have_every_node_once_and_in_order(
    reader: Reader, history: History, database: Database, method: str
) -> None:
    await History(at=300.0).save(database)
    await History(at=200.0, pipeline="other").save(database)
    kind = method.removeprefix("Get").lower()
    everything = (await reader.call(method))[kind]

    for order in ORDERS:
        nodes = await all_pages(reader, method, {"max_result_size": 2, "order_by_field": order})
        by = order or {"field": "CREATE_TIME", "is_asc": True}
        keys = [node[SORT_KEYS[by["field"]]] for node in nodes]
        assert sorted(ids(nodes)) == sorted(ids(everything)), order
        assert keys == sorted(keys, reverse=not by["is_asc"]), order


async def all_pages(reader: Reader, method: str, options: dict[str, Any]) -> list[Any]:
    nodes: list[Any] = []
    token = ""
    while True:
        answer = await reader.call(method, options={**options, "next_page_token": token})
        page = answer[method.removeprefix("Get").lower()]
        assert len(page) <= options["max_result_size"]
        nodes += page
        if not (token := answer.get("next_page_token", "")):
            return nodes


async def test_filters_select_nodes(reader: Reader, history: History) -> None:
    async def found(method: str, query: str) -> list[int]:
        answer = await reader.call(method, options={"filter_query": query, "max_result_size": 100})
        return ids(answer[method.removeprefix("Get").lower()])

    numbers = {name: history.number(name) for name in ("root", "import", "train", "use", "model", "run")}
    assert await found("GetArtifacts", f"id = {numbers['model']}") == [numbers["model"]]
    assert await found("GetArtifacts", f"id != {numbers['model']}") == [history.number("data")]
    assert await found("GetArtifacts", "type IN ('system.Model') AND state = LIVE") == [numbers["model"]]
    assert await found("GetArtifacts", f"uri = '{history.artifacts()[1].uri}'") == [numbers["model"]]
    assert await found("GetExecutions", "last_known_state = NEW") == [numbers["use"]]
    assert await found("GetExecutions", f"name = 'run/{history.run_id}'") == [numbers["root"]]
    assert await found("GetExecutions", "type = 'system.ImporterExecution'") == [numbers["import"]]
    assert await found("GetExecutions", "last_update_time_since_epoch = 120000") == [numbers["train"], numbers["use"]]
    assert await found("GetContexts", "type = 'system.PipelineRun'") == [numbers["run"]]
    assert await found("GetContexts", "name = 'mnist'") == [pipeline_number("mnist")]
    many = ", ".join(str(number) for number in (*range(499), numbers["model"]))
    assert await found("GetArtifacts", f"id IN ({many})") == [numbers["model"]]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"max_result_size": 0}, "options.max_result_size: must be greater than 0"),
        ({"next_page_token": "nonsense"}, "options.next_page_token: is not a token"),
        ({"filter_query": "x = 1"}, "options.filter_query: 'x' is not supported"),
    ],
)
async def test_bad_options_are_refused_by_name(reader: Reader, options: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidArgument, match=problem):
        await reader.call("GetArtifacts", options=options)


async def test_a_token_counts_for_its_own_order_only(reader: Reader, history: History) -> None:
    first = await reader.call("GetExecutions", options={"max_result_size": 1})
    other = {"field": "ID", "is_asc": True}

    with pytest.raises(InvalidArgument, match="another order or filter"):
        await reader.call(
            "GetExecutions", options={"next_page_token": first["next_page_token"], "order_by_field": other}
        )


async def test_nobody_sees_nodes_of_namespaces_that_they_may_not_read(
    reader: Reader, history: History, database: Database
) -> None:
    secret = await History(namespace="secret").save(database)
    nobody, both = reader.may_read(), reader.may_read("team", "secret")
    requests: dict[str, Any] = {
        "GetArtifacts": {},
        "GetExecutions": {},
        "GetContexts": {},
        "GetArtifactsByID": {"artifact_ids": [secret.number("model")]},
        "GetExecutionsByID": {"execution_ids": [secret.number("train")]},
        "GetContextsByID": {"context_ids": [secret.number("run")]},
        "GetArtifactsByURI": {"uris": [secret.artifacts()[0].uri]},
        "GetEventsByArtifactIDs": {"artifact_ids": [secret.number("model")]},
        "GetEventsByExecutionIDs": {"execution_ids": [secret.number("train")]},
        "GetContextsByArtifact": {"artifact_id": secret.number("model")},
        "GetContextsByExecution": {"execution_id": secret.number("train")},
        "GetArtifactsByContext": {"context_id": secret.number("run")},
        "GetExecutionsByContext": {"context_id": secret.number("run")},
        "GetParentContextsByContext": {"context_id": secret.number("run")},
        "GetContextByTypeAndName": {"type_name": "system.PipelineRun", "context_name": secret.run_id},
    }
    for method, request in requests.items():
        assert all(not part for part in (await nobody.call(method, **request)).values()), method
        assert str(secret.number("model")) not in str(await reader.call(method, **request)), method
        assert str(secret.run_id) not in str(await reader.call(method, **request)), method
        assert any((await both.call(method, **request)).values()), method
    children = await reader.call("GetChildrenContextsByContext", context_id=pipeline_number("mnist"))
    assert ids(children["contexts"]) == [history.number("run")]
    assert reader.caller.asked[0] == ("list", "pipelines.kubeflow.org", "runs", "secret")


async def test_a_link_to_another_namespace_is_not_shown(reader: Reader, history: History, database: Database) -> None:
    """No run reads an artifact of another namespace, but nothing in the tables forbids it."""
    secret = await History(namespace="secret").save(database)
    spy = secret.task("spy", inputs=Values(artifacts={"stolen": [history.id("model")]}))
    await database.save(secret.run_id, tasks=[spy])
    of_artifact: dict[str, Any] = {"artifact_ids": [history.number("model")]}
    of_task: dict[str, Any] = {"execution_ids": [secret.number("spy")]}

    events = (await reader.call("GetEventsByArtifactIDs", **of_artifact))["events"]
    assert [each["path"]["steps"][0]["key"] for each in events] == ["model", "weights"]
    assert (await reader.may_read("secret").call("GetEventsByExecutionIDs", **of_task))["events"] == []
    both = reader.may_read("team", "secret")
    assert len((await both.call("GetEventsByArtifactIDs", **of_artifact))["events"]) == 3


async def test_a_caller_of_one_namespace_reads_no_other(reader: Reader, history: History, database: Database) -> None:
    await History(namespace="secret").save(database)
    both = reader.may_read("team", "secret")

    assert len((await both.call("GetArtifacts", "team"))["artifacts"]) == 2
    with pytest.raises(PermissionDenied, match="may not list runs"):
        await reader.call("GetArtifacts", "secret")


@pytest.mark.parametrize(
    ("start", "direction", "hops", "reached"),
    [
        ("model", "UPSTREAM", 20, {"model", "train", "data", "import"}),
        ("model", "DOWNSTREAM", 20, {"model", "use"}),
        ("model", "BIDIRECTIONAL", 1, {"model", "train", "use"}),
        ("train", "UPSTREAM", 1, {"train", "data"}),
        ("train", "BIDIRECTIONAL", 20, {"train", "data", "import", "model", "use"}),
        ("data", "BIDIRECTIONAL", 0, {"data"}),
    ],
)
async def test_lineage_follows_events(
    reader: Reader, history: History, start: str, direction: str, hops: int, reached: set[str]
) -> None:
    kind = "starting_artifacts" if start in ("model", "data") else "starting_executions"
    options = {
        kind: {"filter_query": f"id = {history.number(start)}"},
        "direction": direction,
        "max_num_hops": hops,
    }
    answer = await reader.call("GetLineageSubgraph", lineage_subgraph_query_options=options)
    graph = answer["lineage_subgraph"]

    assert {*ids(graph["artifacts"]), *ids(graph["executions"])} == {history.number(name) for name in reached}
    assert len(graph["events"]) == len(reached) - 1
    if "train" in reached and "model" in reached:
        run = history.number("run")
        assert {"child_id": run, "parent_id": pipeline_number("mnist")} in graph["parent_contexts"]
        assert {"execution_id": history.number("train"), "context_id": run} in graph["associations"]
        assert {"artifact_id": history.number("model"), "context_id": run} in graph["attributions"]


async def test_lineage_has_the_parts_of_its_mask(reader: Reader, history: History) -> None:
    options = {"starting_artifacts": {"filter_query": f"id = {history.number('model')}"}}
    asked = {"lineage_subgraph_query_options": options, "read_mask": {"paths": ["artifacts.id", "events"]}}
    graph = (await reader.call("GetLineageSubgraph", **asked))["lineage_subgraph"]

    assert {name for name, nodes in graph.items() if nodes} == {"artifacts", "events"}
    with pytest.raises(InvalidArgument, match=r"read_mask\.paths: 'nonsense'"):
        await reader.call("GetLineageSubgraph", **{**asked, "read_mask": {"paths": ["nonsense"]}})
    with pytest.raises(Unimplemented, match="ending_artifacts"):
        await reader.call("GetLineageSubgraph", lineage_subgraph_query_options={**options, "ending_artifacts": {}})
    with pytest.raises(InvalidArgument, match="filter_query: is required"):
        await reader.call("GetLineageSubgraph", lineage_subgraph_query_options={"starting_artifacts": {}})
    with pytest.raises(InvalidArgument, match="starting_artifacts or starting_executions is required"):
        await reader.call("GetLineageSubgraph")


async def test_methods_that_write_and_unknown_ones_are_refused(database: Database) -> None:
    async def opened() -> Database:
        return database

    api, caller = MetadataApi(opened), ReadingCaller(())
    for method in WRITES:
        with pytest.raises(Unimplemented, match=f"{method}: .*Windlass records executions itself"):
            await api.answer(method, b"", caller)
    with pytest.raises(Unimplemented, match="GetLineageGraph"):
        await api.answer("GetLineageGraph", b"", caller)
    with pytest.raises(InvalidArgument, match="GetArtifacts: the message cannot be read: unexpected EOF"):
        await api.answer("GetArtifacts", b"\x0a\x05", caller)


async def test_every_method_answers_an_empty_request(reader: Reader) -> None:
    named_types = {"GetArtifactType", "GetExecutionType", "GetContextType"}
    for method in READS.keys() - named_types - {"GetLineageSubgraph"}:
        assert not any((await reader.call(method)).values()) or method.endswith("Types"), method
    for method in named_types:
        with pytest.raises(NotFound):
            await reader.call(method)
