"""Run in a pod: a client of the pipelines API by gRPC that has no proto files, and asks the server for them."""

import json
import sys
import time
from pathlib import Path
from typing import Any, cast

import grpc
from google.protobuf import descriptor_pool, json_format, message_factory
from google.protobuf.message import Message
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

API = "kubeflow.pipelines.backend.api.v2beta1"
TOKEN = Path("/var/run/secrets/kubeflow/pipelines/token")


class WithToken(grpc.UnaryUnaryClientInterceptor, grpc.StreamStreamClientInterceptor):
    def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        return continuation(self._signed(client_call_details), request)

    def intercept_stream_stream(self, continuation: Any, client_call_details: Any, request_iterator: Any) -> Any:
        return continuation(self._signed(client_call_details), request_iterator)

    def _signed(self, details: Any) -> Any:
        return details._replace(metadata=(("authorization", f"Bearer {TOKEN.read_text()}"),))


BARE_CHANNEL = grpc.insecure_channel("ml-pipeline.kubeflow:8887")
CHANNEL = grpc.intercept_channel(BARE_CHANNEL, WithToken())
POOL = descriptor_pool.DescriptorPool(ProtoReflectionDescriptorDatabase(CHANNEL))


def call(service: str, method: str, **request: Any) -> Any:
    described = POOL.FindServiceByName(f"{API}.{service}").methods_by_name[method]
    sent = json_format.ParseDict(request, message_factory.GetMessageClass(described.input_type)())
    answered = message_factory.GetMessageClass(described.output_type)
    invoke: Any = CHANNEL.unary_unary(
        f"/{API}.{service}/{method}",
        request_serializer=lambda message: cast(Message, message).SerializeToString(),
        response_deserializer=answered.FromString,
    )
    return json_format.MessageToDict(invoke(sent, timeout=60), preserving_proto_field_name=True)


def ended(run_id: str) -> Any:
    while True:
        run = call("RunService", "GetRun", run_id=run_id)
        if run["state"] in ("SUCCEEDED", "FAILED", "CANCELED"):
            return run
        time.sleep(0.2)


def refused() -> str:
    """The code for a call without a token."""
    try:
        BARE_CHANNEL.unary_unary(f"/{API}.RunService/ListRuns")(b"", timeout=60)
    except grpc.RpcError as error:
        return error.code().name
    return ""


def main(spec: Any, run_name: str) -> None:
    grpc.channel_ready_future(BARE_CHANNEL).result(timeout=60)  # a platform that has just started serves pods soon
    experiment = call("ExperimentService", "CreateExperiment", experiment={"display_name": "by gRPC"})
    pipeline = call("PipelineService", "CreatePipeline", pipeline={"name": "by-grpc"})
    version = call(
        "PipelineService",
        "CreatePipelineVersion",
        pipeline_id=pipeline["pipeline_id"],
        pipeline_version={"name": "one", "pipeline_spec": spec},
    )
    run = call(
        "RunService",
        "CreateRun",
        run={
            "display_name": run_name,
            "experiment_id": experiment["experiment_id"],
            "pipeline_version_reference": {
                "pipeline_id": pipeline["pipeline_id"],
                "pipeline_version_id": version["pipeline_version_id"],
            },
            "runtime_config": {"parameters": {"name": "gRPC", "n": 3}},
        },
    )
    print(json.dumps([refused(), ended(run["run_id"])]))  # noqa: T201 - what it found out


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), sys.argv[2])
