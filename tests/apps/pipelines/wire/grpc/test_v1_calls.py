"""Every service of v1beta1 over gRPC, compared with what the REST API says about the same records."""

import json
from typing import Any

import grpc
import pytest

from tests.apps.pipelines.wire.grpc.clients import GrpcUser
from tests.apps.pipelines.wire.people import WORKFLOW, PipelinesUser, unique
from tests.support import eventually

NOT_FOUND = grpc.StatusCode.NOT_FOUND


@pytest.fixture(scope="module")
def user(anna_by_grpc: GrpcUser) -> GrpcUser:
    return anna_by_grpc.v1()


def rest(person: PipelinesUser, path: str, **query: Any) -> Any:
    return person.send("GET", path, version="v1beta1", params=query).json()


def reference(type: str, id: str, relationship: str = "OWNER") -> Any:
    return {"key": {"type": type, "id": id}, "relationship": relationship}


def an_experiment(user: GrpcUser) -> Any:
    owner = [reference("NAMESPACE", user.namespace)]
    return user.call(
        "ExperimentService/CreateExperimentV1", experiment={"name": unique("e"), "resource_references": owner}
    )


def a_run(user: GrpcUser, experiment_id: str) -> Any:
    run = {
        "name": unique("r"),
        "resource_references": [reference("EXPERIMENT", experiment_id)],
        "pipeline_spec": {
            "workflow_manifest": json.dumps(WORKFLOW),
            "parameters": [{"name": "who", "value": "you"}],
        },
    }
    return user.call("RunService/CreateRunV1", run=run)["run"]


def test_experiments(user: GrpcUser, anna: PipelinesUser) -> None:
    made = an_experiment(user)
    id = made["id"]

    assert made == rest(anna, f"/experiments/{id}")
    assert made["resource_references"] == [reference("NAMESPACE", user.namespace)]
    assert user.call("ExperimentService/GetExperimentV1", id=id) == made
    scope = {"type": "NAMESPACE", "id": user.namespace}
    listed = user.call("ExperimentService/ListExperimentsV1", resource_reference_key=scope, page_size=200)
    assert made in listed["experiments"]
    for verb, state in (("Archive", "ARCHIVED"), ("Unarchive", "AVAILABLE")):
        assert user.call(f"ExperimentService/{verb}ExperimentV1", id=id) == {}
        assert rest(anna, f"/experiments/{id}")["storage_state"] == f"STORAGESTATE_{state}"
    assert user.call("ExperimentService/DeleteExperimentV1", id=id) == {}
    assert user.refused("ExperimentService/GetExperimentV1", id=id)[0] is NOT_FOUND


def test_pipelines_and_versions(user: GrpcUser, anna: PipelinesUser) -> None:
    service = "PipelineService"
    id, version_id = anna.a_pipeline()
    pipeline = rest(anna, f"/pipelines/{id}")
    key = {"type": "PIPELINE", "id": id}

    assert user.call(f"{service}/GetPipelineV1", id=id) == pipeline
    asked = {"name": pipeline["name"], "namespace": user.namespace}
    assert user.call(f"{service}/GetPipelineByNameV1", **asked) == pipeline
    scope = {"type": "NAMESPACE", "id": user.namespace}
    listed = user.call(f"{service}/ListPipelinesV1", resource_reference_key=scope, page_size=200)
    assert pipeline in listed["pipelines"]
    assert "hello-world" in user.call(f"{service}/GetTemplate", id=id)["template"]
    assert "hello-world" in user.call(f"{service}/GetPipelineVersionTemplate", version_id=version_id)["template"]
    version = user.call(f"{service}/GetPipelineVersionV1", version_id=version_id)
    assert version == rest(anna, f"/pipeline_versions/{version_id}")
    assert user.call(f"{service}/ListPipelineVersionsV1", resource_key=key)["versions"] == [version]
    ids = {"pipeline_id": id, "version_id": version_id}
    assert user.call(f"{service}/UpdatePipelineDefaultVersionV1", **ids) == {}
    assert user.refused(f"{service}/CreatePipelineV1", pipeline={"name": "p"})[1] == "url.pipeline_url: is required"
    refused = user.refused(f"{service}/CreatePipelineVersionV1", version={"name": "v"})
    assert refused == (grpc.StatusCode.INVALID_ARGUMENT, "package_url.pipeline_url: is required")
    assert user.call(f"{service}/DeletePipelineVersionV1", version_id=version_id) == {}
    assert user.call(f"{service}/DeletePipelineV1", id=id) == {}
    assert user.refused(f"{service}/GetPipelineV1", id=id)[0] is NOT_FOUND


def test_runs(user: GrpcUser, anna: PipelinesUser) -> None:
    service = "RunService"
    experiment_id = an_experiment(user)["id"]
    run = a_run(user, experiment_id)
    id = run["id"]

    assert run["pipeline_spec"]["parameters"] == [{"name": "who", "value": "you"}]
    by_grpc = lambda: user.call(f"{service}/GetRunV1", run_id=id)  # noqa: E731
    by_rest = lambda: without_zero(rest(anna, f"/runs/{id}")["run"])  # noqa: E731
    eventually(lambda: by_grpc()["run"] == by_rest(), 30, "both say the same")
    detail = by_grpc()
    assert json.loads(detail["pipeline_runtime"]["workflow_manifest"])["kind"] == "Workflow"
    scope = {"type": "EXPERIMENT", "id": experiment_id}
    listed = user.call(f"{service}/ListRunsV1", resource_reference_key=scope)
    assert ([each["id"] for each in listed["runs"]], listed["total_size"]) == ([id], 1)
    metrics = [{"name": "accuracy", "node_id": "node-1", "number_value": 0.0, "format": "PERCENTAGE"}]
    first = user.call(f"{service}/ReportRunMetricsV1", run_id=id, metrics=metrics)
    again = user.call(f"{service}/ReportRunMetricsV1", run_id=id, metrics=metrics)
    assert [each["results"][0]["status"] for each in (first, again)] == ["OK", "DUPLICATE_REPORTING"]
    asked = {"run_id": id, "node_id": "x", "artifact_name": "y"}
    assert user.refused(f"{service}/ReadArtifactV1", **asked)[0] is NOT_FOUND
    assert user.refused(f"{service}/RetryRunV1", run_id=id)[0] is grpc.StatusCode.ABORTED
    assert user.call(f"{service}/TerminateRunV1", run_id=id) == {}
    assert user.call(f"{service}/ArchiveRunV1", id=id) == {}
    assert user.call(f"{service}/GetRunV1", run_id=id)["run"]["storage_state"] == "STORAGESTATE_ARCHIVED"
    assert user.call(f"{service}/UnarchiveRunV1", id=id) == {}
    assert "storage_state" not in user.call(f"{service}/GetRunV1", run_id=id)["run"], "the zero of runs is available"
    assert user.call(f"{service}/DeleteRunV1", id=id) == {}
    assert user.refused(f"{service}/GetRunV1", run_id=id)[0] is NOT_FOUND


def without_zero(run: Any) -> Any:
    """A run as Google's library shows it, which leaves out the name with the number 0."""
    return {name: value for name, value in run.items() if value != "STORAGESTATE_AVAILABLE"}


def test_jobs(user: GrpcUser, anna: PipelinesUser) -> None:
    service = "JobService"
    experiment_id = an_experiment(user)["id"]
    made = user.call(
        f"{service}/CreateJob",
        job={
            "name": unique("j"),
            "resource_references": [reference("EXPERIMENT", experiment_id)],
            "pipeline_spec": {"workflow_manifest": json.dumps(WORKFLOW)},
            "max_concurrency": "3",
            "trigger": {"periodic_schedule": {"interval_second": "86400", "start_time": "2030-01-01T00:00:00Z"}},
            "enabled": True,
        },
    )
    id = made["id"]

    assert made == rest(anna, f"/jobs/{id}")
    assert (made["mode"], made["max_concurrency"]) == ("ENABLED", "3")
    assert made["trigger"]["periodic_schedule"]["interval_second"] == "86400"
    assert user.call(f"{service}/GetJob", id=id) == made
    scope = {"type": "EXPERIMENT", "id": experiment_id}
    assert user.call(f"{service}/ListJobs", resource_reference_key=scope)["jobs"] == [made]
    for verb, mode in (("Disable", "DISABLED"), ("Enable", "ENABLED")):
        assert user.call(f"{service}/{verb}Job", id=id) == {}
        assert user.call(f"{service}/GetJob", id=id)["mode"] == mode
    assert user.call(f"{service}/DeleteJob", id=id) == {}
    assert user.refused(f"{service}/GetJob", id=id)[0] is NOT_FOUND


def test_health_access_and_what_rest_does_not_do(user: GrpcUser) -> None:
    assert user.call("HealthzService/GetHealthz") == {"multi_user": True}
    asked = {"namespace": user.namespace, "resources": "VIEWERS", "verb": "GET"}
    assert user.call("AuthService/AuthorizeV1", **asked) == {}
    for path, request in (
        ("ReportService/ReportWorkflowV1", {"workflow": "{}"}),
        ("ReportService/ReportScheduledWorkflowV1", {"scheduled_workflow": "{}"}),
        ("VisualizationService/CreateVisualizationV1", {"namespace": user.namespace}),
    ):
        assert user.refused(path, **request)[0] is grpc.StatusCode.UNIMPLEMENTED
