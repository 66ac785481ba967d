"""Who may not call, and what is no call."""

from typing import Any

import grpc
import pytest

from tests.apps.pipelines.wire.grpc.clients import V2, GrpcUser, outcome
from tests.apps.pipelines.wire.grpc.test_v2_calls import a_pipeline, a_run, a_version, an_experiment
from tests.apps.pipelines.wire.people import PipelinesUser, unique
from windlass.formats.protobuf_messages import decode
from windlass.formats.protobuf_well_known import STATUS

GET_RUN = f"/{V2}.RunService/GetRun"
LIST_RUNS = f"/{V2}.RunService/ListRuns"


def refusal(user: GrpcUser, path: str, message: bytes, metadata: dict[str, str] | None = None) -> Any:
    with pytest.raises(grpc.RpcError) as error:
        user.raw(path, message, metadata)
    return error.value


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        ({}, "Send a bearer token"),
        ({"kubeflow-userid": "anna@example.com"}, "Send a bearer token"),
        ({"cookie": "a=b"}, "Send a bearer token"),
        ({"authorization": "Bearer wrong"}, "not valid"),
        ({"authorization": "Basic YTpi"}, "not valid"),
    ],
)
def test_a_call_without_a_proven_identity_is_refused(
    anna_by_grpc: GrpcUser, metadata: dict[str, str], words: str
) -> None:
    code, message = outcome(refusal(anna_by_grpc, LIST_RUNS, b"", metadata))

    assert code is grpc.StatusCode.UNAUTHENTICATED
    assert words in message


def test_a_header_does_not_change_who_a_token_is_of(
    anna_by_grpc: GrpcUser, bert_by_grpc: GrpcUser, bert: PipelinesUser
) -> None:
    run_id = a_run(bert_by_grpc)["run_id"]
    metadata = {**dict(anna_by_grpc.metadata), "kubeflow-userid": bert.email}
    message = b"\x12" + bytes([len(run_id)]) + run_id.encode()

    assert outcome(refusal(anna_by_grpc, GET_RUN, message, metadata))[0] is grpc.StatusCode.PERMISSION_DENIED
    assert bert_by_grpc.raw(GET_RUN, message)


def test_nobody_sees_or_changes_what_is_in_anothers_namespace(anna_by_grpc: GrpcUser, bert_by_grpc: GrpcUser) -> None:
    run = a_run(bert_by_grpc)
    pipeline_id = a_pipeline(bert_by_grpc)["pipeline_id"]
    version_id = a_version(bert_by_grpc, pipeline_id)["pipeline_version_id"]
    ids = {"pipeline_id": pipeline_id, "pipeline_version_id": version_id}
    theirs = {"namespace": bert_by_grpc.namespace}
    experiment_id = run["experiment_id"]

    for path, request in (
        ("RunService/GetRun", {"run_id": run["run_id"]}),
        ("RunService/DeleteRun", {"run_id": run["run_id"]}),
        ("RunService/TerminateRun", {"run_id": run["run_id"]}),
        ("RunService/ListRuns", theirs),
        ("RunService/ListRuns", {"experiment_id": experiment_id}),
        ("ExperimentService/GetExperiment", {"experiment_id": experiment_id}),
        ("ExperimentService/ListExperiments", theirs),
        ("ExperimentService/CreateExperiment", {"experiment": {"display_name": "x", **theirs}}),
        ("PipelineService/GetPipeline", {"pipeline_id": pipeline_id}),
        ("PipelineService/GetPipelineVersion", ids),
        ("PipelineService/ListPipelineVersions", {"pipeline_id": pipeline_id}),
        ("PipelineService/ListPipelines", theirs),
        ("PipelineService/DeletePipeline", {"pipeline_id": pipeline_id, "cascade": True}),
        ("RecurringRunService/ListRecurringRuns", theirs),
    ):
        code, message = anna_by_grpc.refused(path, **request)
        assert code is grpc.StatusCode.PERMISSION_DENIED, (path, message)
    for path, request in (
        ("RunService/GetRunV1", {"run_id": run["run_id"]}),
        ("PipelineService/GetTemplate", {"id": pipeline_id}),
        ("ExperimentService/ListExperimentsV1", {"resource_reference_key": {"type": 5, "id": bert_by_grpc.namespace}}),
        ("JobService/ListJobs", {"resource_reference_key": {"type": 5, "id": bert_by_grpc.namespace}}),
    ):
        assert anna_by_grpc.v1().refused(path, **request)[0] is grpc.StatusCode.PERMISSION_DENIED, path
    assert bert_by_grpc.call("RunService/GetRun", run_id=run["run_id"])["run_id"] == run["run_id"]


@pytest.mark.parametrize(
    "message",
    [b"\x12", b"\x12\x05a", b"\x12\x02\xff\xfe", b"\x10\x01", b"\xff" * 12, b"\x0b\x0c"],
    ids=["no length", "cut off", "not UTF-8", "a number for a text", "no tag", "a group"],
)
def test_bytes_that_are_no_message_are_refused(anna_by_grpc: GrpcUser, message: bytes) -> None:
    code, words = outcome(refusal(anna_by_grpc, GET_RUN, message))

    assert (code, words.startswith("the message cannot be read: ")) == (grpc.StatusCode.INVALID_ARGUMENT, True)


def test_fields_of_a_newer_client_are_skipped(anna_by_grpc: GrpcUser) -> None:
    assert anna_by_grpc.raw(f"/{V2}.HealthzService/GetHealthz", b"\xc2\x3e\x01a")


@pytest.mark.parametrize(
    "path",
    [f"/{V2}.RunService/GetRunV1", f"/{V2}.TaskService/ListTasks", "/api.RunService/GetRun", "/a/b", "/x"],
)
def test_what_is_not_served_is_named(anna_by_grpc: GrpcUser, path: str) -> None:
    code, message = outcome(refusal(anna_by_grpc, path, b""))

    assert code is grpc.StatusCode.UNIMPLEMENTED
    assert message.startswith("unknown ")


def test_what_a_call_needs_is_named(anna_by_grpc: GrpcUser) -> None:
    bad = grpc.StatusCode.INVALID_ARGUMENT
    assert anna_by_grpc.refused("RunService/GetRun") == (bad, "run_id: is required")
    assert anna_by_grpc.refused("PipelineService/UpdatePipeline") == (bad, "pipeline.pipeline_id: is required")
    code, message = anna_by_grpc.refused("RunService/CreateRun", run={"display_name": ""})
    assert (code, "display_name" in message) == (bad, True)
    assert anna_by_grpc.refused("RunService/ListRuns", namespace="anna", page_token="x")[0] is bad
    assert anna_by_grpc.refused("RunService/ListRuns", namespace="anna", filter="{")[0] is bad


def test_ids_are_not_paths(anna_by_grpc: GrpcUser) -> None:
    run_id = a_run(anna_by_grpc)["run_id"]
    for id in (f"{run_id}:archive", f"../runs/{run_id}", f"{run_id}/tasks", "%2e%2e", "?view=FULL"):
        assert anna_by_grpc.refused("RunService/GetRun", run_id=id) == (
            grpc.StatusCode.NOT_FOUND,
            f"Run {id} not found",
        )


@pytest.mark.parametrize("id", ["x" * 100_000, "é" * 50_000, "%" * 20_000, "\n" * 20_000])
def test_a_sentence_about_something_long_is_short(anna_by_grpc: GrpcUser, id: str) -> None:
    code, message = anna_by_grpc.refused("RunService/GetRun", run_id=id)

    assert code is grpc.StatusCode.NOT_FOUND
    assert message.startswith(f"Run {id[:200]}")
    assert len(message) < 1100


def test_errors_carry_what_the_body_says_over_http(anna_by_grpc: GrpcUser, anna: PipelinesUser) -> None:
    name = unique("twice")
    an_experiment(anna_by_grpc, display_name=name)
    with pytest.raises(grpc.RpcError) as error:
        an_experiment(anna_by_grpc, display_name=name)

    refused: Any = error.value
    body = anna.send("POST", "/experiments", json={"display_name": name, "namespace": anna.namespace}).json()
    assert outcome(refused) == (grpc.StatusCode.ALREADY_EXISTS, body["message"])
    status = decode(STATUS, dict(refused.trailing_metadata())["grpc-status-details-bin"])
    assert (status["code"], status["message"]) == (body["code"], body["message"])
    (detail,) = status["details"]
    assert detail["type_url"] == body["details"][0]["@type"]
    assert decode(STATUS, detail["value"])["message"] == body["details"][0]["message"]


def test_a_specification_may_be_larger_than_grpcs_default(anna_by_grpc: GrpcUser) -> None:
    pipeline_id = a_pipeline(anna_by_grpc)["pipeline_id"]
    with pytest.raises(grpc.RpcError) as error:
        a_version(anna_by_grpc, pipeline_id, description="d" * (5 << 20))

    code, message = outcome(error.value)
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert message.startswith("description"), "it was read"


def test_a_message_that_is_too_large_is_refused(anna_by_grpc: GrpcUser) -> None:
    code, message = outcome(refusal(anna_by_grpc, LIST_RUNS, bytes((32 << 20) + 1)))

    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "32 MiB" in message
