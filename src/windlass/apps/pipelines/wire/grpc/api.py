"""Answers a call of the pipelines API over gRPC: finds its method, and asks the handler of its route."""

import asyncio

from windlass.apps.pipelines.wire.api import PipelinesApi
from windlass.apps.pipelines.wire.call import Caller
from windlass.apps.pipelines.wire.errors import Unimplemented
from windlass.apps.pipelines.wire.grpc import v1_methods, v2_methods
from windlass.apps.pipelines.wire.grpc.methods import Services
from windlass.apps.pipelines.wire.grpc.transcoding import http_form, message_of
from windlass.kube.json import is_object

SERVICES: Services = {**v2_methods.SERVICES, **v1_methods.SERVICES}
LARGE = 64 << 10
"""Bytes of a message above which it is read in a thread; other calls do not wait for it then."""


class GrpcApi:
    def __init__(self, api: PipelinesApi) -> None:
        self._api = api

    async def answer(self, service: str, method: str, message: bytes, caller: Caller) -> bytes:
        """The message that answers a call. Raises WireError."""
        if service not in SERVICES:
            raise Unimplemented(f"unknown service {service}")
        if method not in SERVICES[service]:
            raise Unimplemented(f"unknown method {method} for service {service}")
        known = SERVICES[service][method]
        if len(message) > LARGE:
            parts, request = await asyncio.to_thread(http_form, known, message)
        else:
            parts, request = http_form(known, message)
        answer = await self._api.call(known.route, parts, request, caller)
        assert is_object(answer)  # only routes of downloads stream, and no method has one
        return await asyncio.to_thread(message_of, known, answer)
