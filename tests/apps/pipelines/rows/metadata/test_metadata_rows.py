"""What the metadata store reads, on every database."""

from typing import Any

import pytest

from tests.apps.pipelines.wire.metadata.history import History
from windlass.apps.pipelines.model import Artifact, Run, Task
from windlass.apps.pipelines.rows.database import Database
from windlass.apps.pipelines.rows.metadata.node_queries import Condition, NodeQuery, Operator, Scope
from windlass.apps.pipelines.rows.numbers import number_of


def condition(field: Any, operator: Operator, *values: str | int) -> Condition:
    return Condition(field=field, operator=operator, values=list(values))


async def test_nodes_are_selected_and_counted(database: Database) -> None:
    history, other = await History().save(database), await History(namespace="other", at=200.0).save(database)
    rows = database.metadata(["team"])

    async def names(*conditions: Condition) -> list[str]:
        return [task.name for task in await rows.nodes(Task, NodeQuery(conditions=list(conditions)))]

    assert await database.namespaces() == ["other", "team"]
    assert await names(condition("id", Operator.IN, history.number("use"), other.number("use"))) == ["use"]
    assert await names(condition("name", Operator.EQUAL, f"run/{history.run_id}")) == ["root"]
    assert await names(condition("type", Operator.EQUAL, "system.ImporterExecution")) == ["import"]
    assert await names(condition("last_known_state", Operator.EQUAL, "NEW")) == ["use"]
    assert await names(condition("create_time_since_epoch", Operator.GREATER, 110_000)) == ["use"]
    assert await names(condition("last_update_time_since_epoch", Operator.EQUAL, 120_000)) == ["train", "use"]
    assert [each.name for each in await rows.pipelines()] == ["mnist"]
    assert (await rows.pipelines("mnist"))[0].created_at == 100.0
    assert await rows.artifact_types() == ["system.Dataset", "system.Model"]
    assert (await rows.child_counts([history.run_id]))[history.id("root")] == 3
    assert [run.run_id for run in await rows.runs_with_output(history.id("model"))] == [history.run_id]
    assert {link.key for link in await rows.links_of_tasks([history.id("train")])} == {"dataset", "model"}
    assert {link.key for link in await rows.links_of_artifacts([history.id("model")])} == {"model", "weights"}
    uri = history.artifacts()[0].uri
    assert [artifact.name for artifact in await rows.artifacts_at([uri])] == ["data"]
    assert await rows.numbered(Run, [other.number("run")]) == []
    root = await rows.root_of(history.run_id)
    assert root is not None
    assert root.name == "root"


@pytest.mark.parametrize("order", ["created", "updated", "id"])
@pytest.mark.parametrize("is_descending", [False, True])
async def test_pages_follow_each_other(database: Database, order: Any, is_descending: bool) -> None:
    for at in (300.0, 100.0, 200.0):
        await History(at=at).save(database)
    rows, scope = database.metadata(["team"]), Scope(pipeline_name="mnist")
    everything = await rows.nodes(Artifact, NodeQuery(order=order, is_descending=is_descending), scope)
    pages: list[Artifact] = []
    after: tuple[float, int] | None = None
    while page := await rows.nodes(
        Artifact, NodeQuery(order=order, is_descending=is_descending, after=after, limit=4), scope
    ):
        pages += page
        after = (0.0 if order == "id" else page[-1].created_at, number_of(page[-1].artifact_id))

    assert len(everything) == 6
    assert pages == everything
