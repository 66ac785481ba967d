"""Every service of v2beta1 over gRPC, compared with what the REST API says about the same records."""

import json
from typing import Any

import grpc

from tests.apps.pipelines.wire.grpc.clients import GrpcUser
from tests.apps.pipelines.wire.people import IR, PLATFORM, PipelinesUser, unique
from tests.support import eventually

NOT_FOUND, BAD = grpc.StatusCode.NOT_FOUND, grpc.StatusCode.INVALID_ARGUMENT


def an_experiment(user: GrpcUser, **fields: Any) -> Any:
    experiment = {"display_name": unique("e"), "namespace": user.namespace, **fields}
    return user.call("ExperimentService/CreateExperiment", experiment=experiment)


def a_pipeline(user: GrpcUser, **fields: Any) -> Any:
    pipeline = {"name": unique("p"), "namespace": user.namespace, **fields}
    return user.call("PipelineService/CreatePipeline", pipeline=pipeline)


def a_version(user: GrpcUser, pipeline_id: str, **fields: Any) -> Any:
    version = {"name": unique("v"), "pipeline_spec": IR, **fields}
    return user.call("PipelineService/CreatePipelineVersion", pipeline_id=pipeline_id, pipeline_version=version)


def a_run(user: GrpcUser, **fields: Any) -> Any:
    run = {"display_name": unique("r"), "pipeline_spec": IR, **fields}
    return user.call("RunService/CreateRun", run=run)


def predicate(key: str, value: str) -> str:
    return json.dumps({"predicates": [{"operation": "EQUALS", "key": key, "string_value": value}]})


def test_experiments(anna_by_grpc: GrpcUser, anna: PipelinesUser) -> None:
    made = an_experiment(anna_by_grpc, description="é")
    id = made["experiment_id"]

    assert made == anna.get(f"/experiments/{id}")
    assert anna_by_grpc.call("ExperimentService/GetExperiment", experiment_id=id) == made
    for verb, state in (("Archive", "ARCHIVED"), ("Unarchive", "AVAILABLE")):
        assert anna_by_grpc.call(f"ExperimentService/{verb}Experiment", experiment_id=id) == {}
        assert anna.get(f"/experiments/{id}")["storage_state"] == state
    assert anna_by_grpc.call("ExperimentService/DeleteExperiment", experiment_id=id) == {}
    assert anna_by_grpc.refused("ExperimentService/GetExperiment", experiment_id=id)[0] is NOT_FOUND


def test_lists_are_filtered_sorted_and_paged(anna_by_grpc: GrpcUser, anna: PipelinesUser) -> None:
    prefix = unique("page")
    names = [an_experiment(anna_by_grpc, display_name=f"{prefix}-{at}")["display_name"] for at in range(3)]
    started = json.dumps({"predicates": [{"operation": 9, "key": "name", "string_value": prefix}]})
    asked = {"namespace": anna_by_grpc.namespace, "filter": started, "sort_by": "name desc"}

    first = anna_by_grpc.call("ExperimentService/ListExperiments", **asked, page_size=2)
    rest = anna_by_grpc.call(
        "ExperimentService/ListExperiments", **asked, page_size=2, page_token=first["next_page_token"]
    )

    assert first == anna.get("/experiments", **asked, page_size=2)
    listed = [each["display_name"] for page in (first, rest) for each in page["experiments"]]
    assert listed == names[::-1]
    assert (first["total_size"], rest.get("next_page_token", "")) == (3, "")
    only = anna_by_grpc.call(
        "ExperimentService/ListExperiments",
        namespace=anna_by_grpc.namespace,
        filter=predicate("display_name", names[1]),
    )
    assert [each["display_name"] for each in only["experiments"]] == [names[1]]


def test_pipelines_and_versions(anna_by_grpc: GrpcUser, anna: PipelinesUser) -> None:
    service = "PipelineService"
    made = a_pipeline(anna_by_grpc, tags={"team": "ml"})
    id = made["pipeline_id"]
    spec = {"pipeline_spec": IR, "platform_spec": PLATFORM}
    version = a_version(anna_by_grpc, id, pipeline_spec=spec, description="one")
    ids = {"pipeline_id": id, "pipeline_version_id": version["pipeline_version_id"]}

    assert made == anna.get(f"/pipelines/{id}")
    assert version["pipeline_spec"] == spec
    assert anna_by_grpc.call(f"{service}/GetPipeline", pipeline_id=id) == made
    assert anna_by_grpc.call(f"{service}/GetPipelineByName", name=made["name"], namespace=made["namespace"]) == made
    assert (
        made in anna_by_grpc.call(f"{service}/ListPipelines", namespace=made["namespace"], page_size=200)["pipelines"]
    )
    assert anna_by_grpc.call(f"{service}/GetPipelineVersion", **ids) == version
    assert version == anna.get(f"/pipelines/{id}/versions/{ids['pipeline_version_id']}")
    assert anna_by_grpc.call(f"{service}/ListPipelineVersions", pipeline_id=id) == anna.get(f"/pipelines/{id}/versions")
    renamed = anna_by_grpc.call(f"{service}/UpdatePipeline", pipeline={"pipeline_id": id, "display_name": "New"})
    assert (renamed["display_name"], renamed["tags"]) == ("New", {"team": "ml"})
    tagged = anna_by_grpc.call(f"{service}/UpdatePipelineVersion", pipeline_version={**ids, "tags": {"a": "b"}})
    assert tagged["tags"] == {"a": "b"}
    assert anna_by_grpc.refused(f"{service}/DeletePipeline", pipeline_id=id)[0] is BAD
    assert anna_by_grpc.call(f"{service}/DeletePipelineVersion", **ids) == {}
    in_the_version_alone = {"name": unique("v"), "pipeline_id": id, "pipeline_spec": IR}
    anna_by_grpc.call(f"{service}/CreatePipelineVersion", pipeline_version=in_the_version_alone)
    assert anna_by_grpc.call(f"{service}/DeletePipeline", pipeline_id=id, cascade=True) == {}
    assert anna.send("GET", f"/pipelines/{id}").status_code == 404


def test_a_pipeline_and_its_version_are_checked_together(anna_by_grpc: GrpcUser) -> None:
    code, message = anna_by_grpc.refused(
        "PipelineService/CreatePipelineAndVersion", pipeline={"name": unique("p")}, pipeline_version={"name": "v"}
    )

    assert (code, message) == (BAD, "pipeline_version.package_url.pipeline_url: is required")


def test_a_fraction_is_no_integer_parameter(anna_by_grpc: GrpcUser) -> None:
    run = {"display_name": unique("r"), "pipeline_spec": IR, "runtime_config": {"parameters": {"n": 1.5}}}

    code, message = anna_by_grpc.refused("RunService/CreateRun", run=run)

    assert (code, message) == (
        BAD,
        "runtime_config.parameters: parameter 'n' must be an integer (NUMBER_INTEGER), not 1.5",
    )


def test_runs(anna_by_grpc: GrpcUser, anna: PipelinesUser) -> None:
    service = "RunService"
    experiment_id = an_experiment(anna_by_grpc)["experiment_id"]
    parameters = {"name": "you", "n": 3}
    made = anna_by_grpc.call(
        f"{service}/CreateRun",
        experiment_id=experiment_id,
        run={
            "display_name": unique("r"),
            "pipeline_spec": IR,
            "runtime_config": {"parameters": parameters, "pipeline_root": "minio://mlpipeline/x"},
        },
    )
    id = made["run_id"]

    assert made["experiment_id"] == experiment_id
    assert made["runtime_config"] == {"parameters": parameters, "pipeline_root": "minio://mlpipeline/x"}
    assert made["pipeline_spec"] == IR
    assert (made["created_at"], made["finished_at"]) == (anna.get(f"/runs/{id}")["created_at"], "1970-01-01T00:00:00Z")
    by_grpc = lambda: anna_by_grpc.call(f"{service}/GetRun", run_id=id)  # noqa: E731
    eventually(lambda: by_grpc() == without_own_fields(anna.get(f"/runs/{id}")), 30, "both say the same")
    listed = anna_by_grpc.call(f"{service}/ListRuns", experiment_id=experiment_id)
    assert [each["run_id"] for each in listed["runs"]] == [id]
    assert listed["total_size"] == 1
    assert anna_by_grpc.call(f"{service}/TerminateRun", run_id=id) == {}
    assert anna.get(f"/runs/{id}")["state"] in ("CANCELING", "CANCELED")
    for verb, state in (("Archive", "ARCHIVED"), ("Unarchive", "AVAILABLE")):
        assert anna_by_grpc.call(f"{service}/{verb}Run", run_id=id) == {}
        assert anna.get(f"/runs/{id}")["storage_state"] == state
    code, message = anna_by_grpc.refused(f"{service}/ReadArtifact", run_id=id, node_id="say", artifact_name="model")
    assert (code, "no artifact 'model'" in message) == (NOT_FOUND, True)
    assert anna_by_grpc.call(f"{service}/DeleteRun", run_id=id) == {}
    assert anna_by_grpc.refused(f"{service}/GetRun", run_id=id) == (NOT_FOUND, f"Run {id} not found")


def without_own_fields(run: Any) -> Any:
    """A run without what the REST API alone says. Upstream names a child task by its pod, if it has one."""
    for task in run.get("run_details", {}).get("task_details", []):
        for child in task.get("child_tasks", []):
            if "pod_name" in child:
                del child["task_id"]
    return {name: value for name, value in run.items() if name not in ("tasks", "task_count", "metrics")}


def test_a_run_that_has_not_failed_is_not_retried(anna_by_grpc: GrpcUser) -> None:
    code, _ = anna_by_grpc.refused("RunService/RetryRun", run_id=a_run(anna_by_grpc)["run_id"])

    assert code is grpc.StatusCode.ABORTED


def test_a_run_of_a_version(anna_by_grpc: GrpcUser) -> None:
    pipeline_id = a_pipeline(anna_by_grpc)["pipeline_id"]
    version_id = a_version(anna_by_grpc, pipeline_id)["pipeline_version_id"]
    reference = {"pipeline_id": pipeline_id, "pipeline_version_id": version_id}

    made = anna_by_grpc.call(
        "RunService/CreateRun", run={"display_name": unique("r"), "pipeline_version_reference": reference}
    )

    assert made["pipeline_version_reference"] == reference


def test_recurring_runs(anna_by_grpc: GrpcUser, anna: PipelinesUser) -> None:
    service = "RecurringRunService"
    trigger = {"cron_schedule": {"cron": "0 0 0 1 1 *", "start_time": "2030-01-01T00:00:00Z"}}
    made = anna_by_grpc.call(
        f"{service}/CreateRecurringRun",
        recurring_run={
            "display_name": unique("rr"),
            "experiment_id": an_experiment(anna_by_grpc)["experiment_id"],
            "pipeline_spec": IR,
            "max_concurrency": "2",
            "trigger": trigger,
            "mode": "ENABLE",
            "no_catchup": True,
        },
    )
    id = made["recurring_run_id"]

    assert made == anna.get(f"/recurringruns/{id}")
    assert (made["status"], made["max_concurrency"], made["no_catchup"]) == ("ENABLED", "2", True)
    assert made["trigger"]["cron_schedule"]["cron"] == "0 0 0 1 1 *"
    assert anna_by_grpc.call(f"{service}/GetRecurringRun", recurring_run_id=id) == made
    listed = anna_by_grpc.call(f"{service}/ListRecurringRuns", experiment_id=made["experiment_id"])
    assert listed["recurringRuns"] == [made]
    for verb, status in (("Disable", "DISABLED"), ("Enable", "ENABLED")):
        assert anna_by_grpc.call(f"{service}/{verb}RecurringRun", recurring_run_id=id) == {}
        assert anna_by_grpc.call(f"{service}/GetRecurringRun", recurring_run_id=id)["status"] == status
    assert anna_by_grpc.call(f"{service}/DeleteRecurringRun", recurring_run_id=id, propagation_policy="ORPHAN") == {}
    assert anna.send("GET", f"/recurringruns/{id}").status_code == 404


def test_health_and_access(anna_by_grpc: GrpcUser, bert: PipelinesUser) -> None:
    health = anna_by_grpc.call("HealthzService/GetHealthz")

    assert health == {"multi_user": True, "pipeline_store": "database"}
    asked = {"resources": "VIEWERS", "verb": "GET"}
    assert anna_by_grpc.call("AuthService/Authorize", namespace=anna_by_grpc.namespace, **asked) == {}
    code, message = anna_by_grpc.refused("AuthService/Authorize", namespace=bert.namespace, **asked)
    assert (code, "may not get viewers" in message) == (grpc.StatusCode.PERMISSION_DENIED, True)


def test_what_rest_does_not_do_is_not_done(anna_by_grpc: GrpcUser) -> None:
    for path, request in (
        ("ReportService/ReportWorkflow", {"workflow": "{}"}),
        ("ReportService/ReportScheduledWorkflow", {"scheduled_workflow": "{}"}),
        ("VisualizationService/CreateVisualizationV1", {"namespace": anna_by_grpc.namespace}),
    ):
        assert anna_by_grpc.refused(path, **request)[0] is grpc.StatusCode.UNIMPLEMENTED
