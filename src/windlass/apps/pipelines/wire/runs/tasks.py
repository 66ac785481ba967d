"""Tasks, artifacts and their links of /apis/v2beta1."""

import re
from typing import Any

from windlass.apis.wellknown import PIPELINES_GROUP
from windlass.apps.pipelines.model import Artifact
from windlass.apps.pipelines.rows.queries import Operation, Predicate
from windlass.apps.pipelines.wire import shapes
from windlass.apps.pipelines.wire.call import Call
from windlass.apps.pipelines.wire.errors import InvalidArgument, NotFound
from windlass.apps.pipelines.wire.listing import list_query, read_page_size, token_text
from windlass.apps.pipelines.wire.names import check_namespace
from windlass.apps.pipelines.wire.protojson import checked_text, encode
from windlass.apps.pipelines.wire.runs.run_views import artifacts_of
from windlass.apps.pipelines.wire.runs.runs import find_run
from windlass.apps.pipelines.wire.runs.task_views import shown_artifact, shown_producer, shown_tasks
from windlass.apps.pipelines.wire.runs.value_sources import LINK_TYPES, OUTPUT, TASK_OUTPUT, RunSources
from windlass.kube.json import Object

MAX_IDS = 200
NUMBER = re.compile(r"[0-9]{1,15}")
"""What may be the number of an artifact, which has 48 bits."""
RUNS = (PIPELINES_GROUP, "runs")


async def list_tasks(call: Call) -> Object:
    """All tasks of a run, on one page."""
    run = await find_run(call, call.part("id"), "get")
    tasks = await call.database.tasks(run.run_id)
    artifacts = await artifacts_of(call.database, tasks)
    shown = shown_tasks(run, tasks, artifacts)
    return encode(shapes.TASKS, {"tasks": shown, "total_size": len(shown)})


async def get_task(call: Call) -> Object:
    run = await find_run(call, call.part("id"), "get")
    tasks = await call.database.tasks(run.run_id)
    artifacts = await artifacts_of(call.database, tasks)
    for shown in shown_tasks(run, tasks, artifacts):
        if shown["task_id"] == call.part("task"):
            return encode(shapes.TASK, shown)
    raise NotFound(f"Task {call.part('task')} not found in run {run.run_id}")


async def list_artifacts(call: Call) -> Object:
    namespace = await call.namespace_or_own(check_namespace(call.query("namespace")), "A list of artifacts")
    await call.authorize("list", "runs", namespace)
    scope = Predicate(field="namespace", operation=Operation.EQUALS, value=namespace)
    query, sort_by, filter = list_query(Artifact, call.list_arguments, scope)
    page = await call.database.page(Artifact, query)
    answer: dict[str, Any] = {
        "artifacts": [shown_artifact(artifact) for artifact in page.records],
        "total_size": page.total,
        "next_page_token": token_text(sort_by, filter, page.last),
    }
    return encode(shapes.ARTIFACTS, answer)


async def get_artifact(call: Call) -> Object:
    artifact = await find_artifact(call, call.part("id"))
    if artifact is None:
        raise NotFound(f"Artifact {call.part('id')} not found")
    await call.authorize("get", "runs", artifact.namespace)
    return encode(shapes.ARTIFACT, shown_artifact(artifact))


async def find_artifact(call: Call, id: str) -> Artifact | None:
    """An artifact by its id, or by its number in `artifact_ids` of `task_details`."""
    artifact = await call.database.get(Artifact, id)
    if artifact is None and NUMBER.fullmatch(id):
        artifact = await call.database.numbered_artifact(int(id))
    return artifact


async def list_links(call: Call) -> Object:
    """Links of the given tasks, runs or artifacts, by id; those of other people's runs are left out."""
    ids = {name: ids_of(call, name) for name in ("task_ids", "run_ids", "artifact_ids")}
    if not any(ids.values()):
        raise InvalidArgument("one of task_ids, run_ids and artifact_ids is required")
    ids["artifact_ids"] = [await artifact_id(call, id) for id in ids["artifact_ids"]]
    limit = read_page_size(call.query("page_size"))
    after, type = call.query("page_token"), link_type(call.query("type"))
    rows = await call.database.links(**ids, type=stored_type(type), after=after, limit=limit + 1)
    visible = {namespace: await call.caller.allows("get", *RUNS, namespace) for namespace in namespaces(rows)}
    typed = await with_types(call, [row for row in rows[:limit] if visible[row["namespace"]]])
    links = [row for row in typed if type in ("", row["type"])]
    answer: dict[str, Any] = {
        "artifact_tasks": [shown_link(row) for row in links],
        "total_size": len(links),
        "next_page_token": rows[limit - 1]["id"] if len(rows) > limit else "",
    }
    return encode(shapes.ARTIFACT_TASKS, answer)


async def artifact_id(call: Call, id: str) -> str:
    artifact = await find_artifact(call, id) if NUMBER.fullmatch(id) else None
    return artifact.artifact_id if artifact is not None else id


def link_type(text: str) -> str:
    """The type to which links are restricted; empty for all. Raises InvalidArgument."""
    type = text.upper()
    if type and type not in LINK_TYPES:
        raise InvalidArgument(f"type: must be one of {', '.join(LINK_TYPES)}")
    return type


def stored_type(type: str) -> str:
    """What the row of a link has for a type of the API: rows distinguish inputs and outputs only."""
    return (OUTPUT if type.endswith(OUTPUT) else TASK_OUTPUT) if type else ""


async def with_types(call: Call, rows: list[Object]) -> list[Object]:
    """The links with the types that the specifications of their runs give them."""
    runs = await call.database.runs({row["run_id"] for row in rows})
    sources = {run_id: RunSources(run) for run_id, run in runs.items()}
    return [
        row | {"type": sources[row["run_id"]].at(row["task_path"]).link(row["key"], is_output=row["type"] == OUTPUT)}
        for row in rows
        if row["run_id"] in sources and row["task_path"]
    ]


def namespaces(rows: list[Object]) -> set[str]:
    return {row["namespace"] for row in rows}


def ids_of(call: Call, name: str) -> list[str]:
    """A repeated query parameter, whose values may also be separated by commas."""
    given = [id for value in call.request.query.getall(name, []) for id in value.split(",") if id]
    if len(given) > MAX_IDS:
        raise InvalidArgument(f"{name}: at most {MAX_IDS} ids are allowed")
    return [checked_text(id, name) for id in given]


def shown_link(row: Object) -> Object:
    producer = shown_producer(row["producer_name"], row["producer_iteration"])
    same = {name: row[name] for name in ("id", "artifact_id", "run_id", "task_id", "type", "key")}
    return {**same, "producer": producer}
