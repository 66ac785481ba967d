"""A pipeline whose last task reads the metadata store with the unmodified client of ML Metadata.

    python kfp2_metadata_stories.py HOST TOKEN NAMESPACE

The SDK is that of kfp2_stories.py. What the task found out is printed as JSON on the last line.
"""

# pyright: basic, reportMissingImports=false, reportInvalidTypeForm=false, reportFunctionMemberAccess=false
# pyright: reportAttributeAccessIssue=false, reportArgumentType=false, reportCallIssue=false

import json
import sys

from kfp import dsl
from kfp.dsl import Input, Model, Output
from kfp2_stories import IMAGE, Person, outputs


@dsl.component(base_image=IMAGE)
def train(rate: float, model: Output[Model]) -> float:
    with open(model.path, "w") as file:
        file.write("weights")
    model.metadata["accuracy"] = 0.9
    model.metadata["labels"] = ["a", "b"]
    return rate * 2


@dsl.component(base_image=IMAGE, packages_to_install=["ml-metadata==1.17.1"])
def look_back(weights: Input[Model], run_id: str) -> dict:

    from ml_metadata import errors
    from ml_metadata.metadata_store import ListOptions, MetadataStore, OrderByField
    from ml_metadata.proto import metadata_store_pb2 as proto

    config = proto.MetadataStoreClientConfig(host="metadata-grpc-service.kubeflow", port=8080)
    store = MetadataStore(config)
    run = store.get_context_by_type_and_name("system.PipelineRun", run_id)
    (pipeline,) = store.get_parent_contexts_by_context(run.id)
    executions = store.get_executions_by_context(run.id)
    by_task = {each.custom_properties["task_name"].string_value: each for each in executions}
    trained, root = by_task["train"], by_task[""]
    (model,) = store.get_artifacts_by_context(run.id)
    events = store.get_events_by_artifact_ids([model.id])
    newest = ListOptions(
        limit=1, order_by=OrderByField.CREATE_TIME, is_asc=False, filter_query="type = 'system.PipelineRun'"
    )
    graph = store.get_lineage_subgraph(
        proto.LineageSubgraphQueryOptions(
            starting_artifacts={"filter_query": f"id = {model.id}"},
            max_num_hops=1,
            direction=proto.LineageSubgraphQueryOptions.Direction.BIDIRECTIONAL,
        )
    )
    try:
        store.put_artifacts([model])
        written = "written"
    except errors.UnimplementedError as error:
        written = str(error)
    try:
        store.get_execution_type("nonsense")
        missing = "found"
    except errors.NotFoundError as error:
        missing = str(error)
    names = proto.Execution.State.Name
    return {
        "run": [run.type, run.custom_properties["namespace"].string_value],
        "pipeline": [
            pipeline.type,
            pipeline.name,
            run in store.get_children_contexts_by_context(pipeline.id),
        ],
        "root": [root.name, root.type, root.custom_properties["total_dag_tasks"].int_value],
        "train": [
            trained.type,
            names(trained.last_known_state),
            trained.custom_properties["parent_dag_id"].int_value == root.id,
            trained.custom_properties["inputs"].struct_value["rate"],
            trained.custom_properties["outputs"].struct_value["Output"],
            bool(trained.custom_properties["pod_name"].string_value),
            trained.custom_properties["image"].string_value,
        ],
        "look_back": names(by_task["look-back"].last_known_state),
        "model": [
            model.type,
            model.uri == weights.uri,
            model.custom_properties["accuracy"].double_value,
            list(model.custom_properties["labels"].struct_value["list"]),
            store.get_artifacts_by_uri(model.uri)[0].id == model.id,
            store.get_artifacts_by_id([model.id])[0] == model,
            store.get_artifact_types_by_id([model.type_id])[0].name,
        ],
        "events": sorted(
            [proto.Event.Type.Name(each.type), each.path.steps[0].key, each.execution_id == trained.id]
            for each in events
        ),
        "newest": store.get_contexts(list_options=newest)[0].id == run.id,
        "lineage": [len(graph.artifacts), len(graph.executions), len(graph.events)],
        "contexts": [each.name for each in store.get_contexts()],
        "namespaces": sorted({each.custom_properties["namespace"].string_value for each in store.get_executions()}),
        "written": written,
        "missing": missing,
    }


@dsl.pipeline
def looking_back(rate: float = 0.5) -> dict:
    trained = train(rate=rate)
    return look_back(weights=trained.outputs["model"], run_id=dsl.PIPELINE_JOB_ID_PLACEHOLDER).output


if __name__ == "__main__":
    person = Person(*sys.argv[1:])
    run = person.run(looking_back, enable_caching=False)
    tasks = person.by_name(run.run_id)
    failed = [task.get("status_metadata") for task in tasks.values() if task["state"] == "FAILED"]
    found = outputs(tasks["look-back"]).get("Output")
    print(json.dumps({"run_id": run.run_id, "state": run.state, "failed": failed, "found": found}, default=str))
