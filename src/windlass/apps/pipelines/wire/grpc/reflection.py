"""gRPC's server reflection, as upstream's server has it: which services there are, and the descriptors of a symbol.

grpcurl -plaintext -H "authorization: Bearer $TOKEN" ml-pipeline.kubeflow:8887 list
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from windlass.apps.pipelines.wire.errors import InvalidArgument, NotFound
from windlass.apps.pipelines.wire.grpc.api import SERVICES
from windlass.apps.pipelines.wire.grpc.v1_messages import V1BETA1
from windlass.apps.pipelines.wire.grpc.v2_messages import V2BETA1
from windlass.formats.protobuf_descriptors import FILE, GOOGLE_FILES, Signatures, file_descriptor, google_file
from windlass.formats.protobuf_messages import BYTES, INT32, STRING, ListOf, Message, decode, encode
from windlass.formats.protobuf_wire import BadMessage

REFLECTION = ("grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection")
METHOD = "ServerReflectionInfo"

_EXTENSION = Message("ExtensionRequest", containing_type=(1, STRING), extension_number=(2, INT32))
REQUEST = Message(
    "ServerReflectionRequest",
    host=(1, STRING),
    file_by_filename=(3, STRING),
    file_containing_symbol=(4, STRING),
    file_containing_extension=(5, _EXTENSION),
    all_extension_numbers_of_type=(6, STRING),
    list_services=(7, STRING),
)
REQUEST.one_of("message_request", *(name for name in REQUEST.fields if name != "host"))
_SERVICE = Message("ServiceResponse", name=(1, STRING))
RESPONSE = Message(
    "ServerReflectionResponse",
    valid_host=(1, STRING),
    original_request=(2, REQUEST),
    file_descriptor_response=(4, Message("FileDescriptorResponse", file_descriptor_proto=(1, ListOf(BYTES)))),
    all_extension_numbers_response=(5, Message("ExtensionNumberResponse", base_type_name=(1, STRING))),
    list_services_response=(6, Message("ListServiceResponse", service=(1, ListOf(_SERVICE)))),
    error_response=(7, Message("ErrorResponse", error_code=(1, INT32), error_message=(2, STRING))),
)


def reflected(message: bytes) -> bytes:
    """The answer to one request of a stream. Raises InvalidArgument."""
    try:
        request = decode(REQUEST, message)
    except BadMessage as error:
        raise InvalidArgument(f"the message cannot be read: {error}") from error
    try:
        answer = _answer(request)
    except NotFound as error:
        answer = {"error_response": {"error_code": error.code, "error_message": error.message}}
    asked = {"valid_host": request.get("host", ""), "original_request": request}
    return encode(RESPONSE, {**asked, **answer})


def _answer(request: Mapping[str, Any]) -> dict[str, Any]:
    match next(((name, value) for name, value in request.items() if name != "host"), ("", None)):
        case ("list_services", _):
            names = sorted((*SERVICES, *REFLECTION))
            return {"list_services_response": {"service": [{"name": name} for name in names]}}
        case ("file_by_filename", name):
            return _files(name)
        case ("file_containing_symbol", symbol):
            return _files(_symbols().get(symbol, symbol))
        case ("all_extension_numbers_of_type", name) if name in _symbols():
            return {"all_extension_numbers_response": {"base_type_name": name}}
        case (_, sought):
            raise NotFound(f"nothing is known of {sought}")


def _files(name: str) -> dict[str, Any]:
    """A file, and those that it depends on."""
    if name not in _descriptors():
        raise NotFound(f"nothing is known of {name}")
    wanted = [name]
    for each in wanted:  # grows while it is read
        dependencies = decode(FILE, _descriptors()[each])["dependency"]
        wanted.extend(one for one in dependencies if one not in wanted)
    return {"file_descriptor_response": {"file_descriptor_proto": [_descriptors()[each] for each in wanted]}}


@cache
def _descriptors() -> Mapping[str, bytes]:
    """By the names of files; those of Google have the names that they have everywhere."""
    own = {
        f"backend/api/{version}/services.proto": file_descriptor(
            f"backend/api/{version}/services.proto", package.name, _signatures(package.name)
        )
        for version, package in (("v2beta1", V2BETA1), ("v1beta1", V1BETA1))
    }
    return {**own, **{name: google_file(name) for name in GOOGLE_FILES}}


def _signatures(package: str) -> Signatures:
    return {
        service.removeprefix(f"{package}."): {name: (each.request, each.response) for name, each in methods.items()}
        for service, methods in SERVICES.items()
        if service.rpartition(".")[0] == package
    }


@cache
def _symbols() -> Mapping[str, str]:
    """The file of each service, method, message and enumeration, by full name."""
    return {symbol: name for name, data in _descriptors().items() for symbol in _symbols_of(decode(FILE, data))}


def _symbols_of(file: Mapping[str, Any]) -> Iterator[str]:
    package = file["package"]
    for each in (*file["message_type"], *file["enum_type"]):
        yield f"{package}.{each['name']}"
    for message in file["message_type"]:
        for each in (*message["nested_type"], *message["enum_type"]):
            yield f"{package}.{message['name']}.{each['name']}"
    for service in file["service"]:
        yield f"{package}.{service['name']}"
        for method in service["method"]:
            yield f"{package}.{service['name']}.{method['name']}"
