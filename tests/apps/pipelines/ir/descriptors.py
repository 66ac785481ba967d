"""The published message descriptors of the pipeline specification, from the package kfp-pipeline-spec."""

import sys
from types import ModuleType
from typing import Any


def pipeline_spec_messages() -> dict[str, set[str]]:
    """JSON names of the fields of each message, by the message's name without its package."""
    from google.protobuf import descriptor_pb2, descriptor_pool

    if "google.rpc.status_pb2" not in sys.modules:  # only a field's type, in a package that is not installed
        status = descriptor_pb2.FileDescriptorProto(name="google/rpc/status.proto", package="google.rpc")
        status.message_type.add(name="Status")
        descriptor_pool.Default().AddSerializedFile(status.SerializeToString())
        sys.modules["google.rpc"] = package = ModuleType("google.rpc")
        sys.modules["google.rpc.status_pb2"] = package.status_pb2 = ModuleType("google.rpc.status_pb2")  # type: ignore[attr-defined]
    from kfp.pipeline_spec import pipeline_spec_pb2

    found: dict[str, set[str]] = {}

    def visit(message: Any) -> None:
        found[message.full_name.removeprefix("ml_pipelines.")] = {field.json_name for field in message.fields}
        for nested in message.nested_types:
            if not nested.GetOptions().map_entry:
                visit(nested)

    for message in pipeline_spec_pb2.DESCRIPTOR.message_types_by_name.values():
        visit(message)
    return found
