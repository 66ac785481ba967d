"""Server reflection: what a client needs that has no proto files."""

import queue
from typing import Any

import grpc
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool

from tests.apps.pipelines.wire.grpc.clients import V1, V2, GrpcUser, outcome
from windlass.apps.pipelines.wire.errors import InvalidArgument
from windlass.apps.pipelines.wire.grpc.api import SERVICES
from windlass.apps.pipelines.wire.grpc.reflection import METHOD, REFLECTION, REQUEST, RESPONSE, reflected
from windlass.formats.protobuf_messages import decode, encode


def asked(**request: Any) -> Any:
    return decode(RESPONSE, reflected(encode(REQUEST, request)))


def files(answer: Any) -> list[descriptor_pb2.FileDescriptorProto]:
    found = answer["file_descriptor_response"]["file_descriptor_proto"]
    return [descriptor_pb2.FileDescriptorProto.FromString(each) for each in found]


def pool_of(answer: Any) -> descriptor_pool.DescriptorPool:
    pool, added, waiting = descriptor_pool.DescriptorPool(), set[str](), files(answer)
    while waiting:
        file = next(each for each in waiting if added.issuperset(each.dependency))
        pool.AddSerializedFile(file.SerializeToString())
        added.add(file.name)
        waiting.remove(file)
    return pool


def test_services_are_listed() -> None:
    answer = asked(host="h", list_services="")

    names = [each["name"] for each in answer["list_services_response"]["service"]]
    assert names == sorted((*SERVICES, *REFLECTION))
    assert (answer["valid_host"], answer["original_request"]) == ("h", {"host": "h", "list_services": ""})


@pytest.mark.parametrize("package", [V2, V1])
def test_a_service_is_described_with_all_that_it_needs(package: str) -> None:
    service = f"{package}.RunService"
    pool = pool_of(asked(file_containing_symbol=service))

    described = pool.FindServiceByName(service)
    assert [method.name for method in described.methods] == list(SERVICES[service])
    for name, method in SERVICES[service].items():
        fields = described.methods_by_name[name].input_type.fields_by_name
        assert {each.name: each.number for each in fields.values()} == {
            each: number for each, (number, _) in method.request.fields.items()
        }


@pytest.mark.parametrize(
    "symbol",
    [
        f"{V2}.RunService.GetRun",
        f"{V2}.Run",
        f"{V2}.Run.StorageState",
        f"{V2}.RuntimeState",
        f"{V1}.ResourceType",
        "google.protobuf.Struct",
        "google.rpc.Status",
    ],
)
def test_symbols_are_found(symbol: str) -> None:
    assert files(asked(file_containing_symbol=symbol))


def test_files_are_found_by_their_names() -> None:
    (file, *more) = files(asked(file_by_filename="google/rpc/status.proto"))

    assert file.message_type[0].name == "Status"
    assert [each.name for each in more] == ["google/protobuf/any.proto"]


def test_there_are_no_extensions() -> None:
    assert asked(all_extension_numbers_of_type=f"{V2}.Run")["all_extension_numbers_response"] == {
        "base_type_name": f"{V2}.Run"
    }
    assert asked(file_containing_extension={"containing_type": f"{V2}.Run"})["error_response"]["error_code"] == 5


@pytest.mark.parametrize("request_", [{"file_containing_symbol": "a.B"}, {"file_by_filename": "a.proto"}, {}])
def test_what_is_not_known_is_an_error_of_its_own(request_: dict[str, str]) -> None:
    assert asked(**request_)["error_response"]["error_code"] == 5


def test_bytes_that_are_no_message_are_refused() -> None:
    with pytest.raises(InvalidArgument):
        reflected(b"\xff")


@pytest.mark.parametrize("service", REFLECTION)
def test_a_stream_asks_more_than_once(anna_by_grpc: GrpcUser, service: str) -> None:
    sent: queue.Queue[bytes | None] = queue.Queue()
    call = anna_by_grpc.channel.stream_stream(f"/{service}/{METHOD}")
    stream: Any = call(iter(sent.get, None), timeout=30, metadata=anna_by_grpc.metadata)
    sent.put(encode(REQUEST, {"list_services": ""}))
    first = decode(RESPONSE, next(stream))
    sent.put(encode(REQUEST, {"file_containing_symbol": f"{V2}.RunService"}))
    second = decode(RESPONSE, next(stream))
    sent.put(None)

    assert first["list_services_response"]["service"]
    assert pool_of(second).FindServiceByName(f"{V2}.RunService")
    assert list(stream) == []


def test_reflection_needs_an_identity(anna_by_grpc: GrpcUser) -> None:
    call = anna_by_grpc.channel.stream_stream(f"/{REFLECTION[0]}/{METHOD}")
    stream: Any = call(iter([encode(REQUEST, {"list_services": ""})]), timeout=30)
    with pytest.raises(grpc.RpcError) as error:
        list(stream)

    assert outcome(error.value)[0] is grpc.StatusCode.UNAUTHENTICATED
