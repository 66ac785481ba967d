"""Clients of the pipelines API over gRPC: Google's own libraries, for the messages that our tables declare."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import grpc
import pytest

from tests.formats.real_protobuf import RealProtobuf
from windlass.apps.pipelines.wire.grpc.api import SERVICES
from windlass.formats.protobuf_descriptors import Signatures

V2, V1 = "kubeflow.pipelines.backend.api.v2beta1", "api"


def signatures(package: str) -> Signatures:
    return {
        service.rpartition(".")[2]: {name: (method.request, method.response) for name, method in methods.items()}
        for service, methods in SERVICES.items()
        if service.rpartition(".")[0] == package
    }


@cache
def real(package: str) -> RealProtobuf:
    return RealProtobuf(package, signatures(package))


@dataclass(frozen=True)
class GrpcUser:
    """Someone who calls methods with a token."""

    channel: grpc.Channel
    token: str
    namespace: str
    package: str = V2

    def v1(self) -> "GrpcUser":
        return GrpcUser(self.channel, self.token, self.namespace, V1)

    def call(self, path: str, /, **request: Any) -> Any:
        """What a method such as `RunService/GetRun` answers, as JSON."""
        service, _, name = path.partition("/")
        method = SERVICES[f"{self.package}.{service}"][name]
        protobuf = real(self.package)
        invoke = self.channel.unary_unary(
            f"/{self.package}.{path}",
            request_serializer=lambda document: protobuf.of_json(method.request.name, document).SerializeToString(),
            response_deserializer=lambda data: protobuf.json(protobuf.of_bytes(method.response.name, data)),
        )
        return invoke(request, timeout=60, metadata=self.metadata)

    def refused(self, path: str, /, **request: Any) -> tuple[grpc.StatusCode, str]:
        """The code and the sentence with which a call is refused."""
        with pytest.raises(grpc.RpcError) as error:
            self.call(path, **request)
        return outcome(error.value)

    def raw(self, path: str, message: bytes, metadata: Mapping[str, str] | None = None) -> bytes:
        sent = tuple(metadata.items()) if metadata is not None else self.metadata
        return self.channel.unary_unary(path)(message, timeout=60, metadata=sent)

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        return (("authorization", f"Bearer {self.token}"),)


def outcome(error: Any) -> tuple[grpc.StatusCode, str]:
    return error.code(), error.details()
