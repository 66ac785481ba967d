"""The pipelines API, the metadata store and S3 with their parts.

Each is made at its first request: SQLAlchemy and the modules take memory.
"""

import asyncio
import time
from functools import cached_property, partial
from typing import TYPE_CHECKING

from aiohttp import web

from windlass import __version__
from windlass.apps.pipelines.options import PipelineOptions
from windlass.gateway.context import GatewayContext
from windlass.gateway.request import Identity

if TYPE_CHECKING:
    from windlass.apps.pipelines.rows.database import Database
    from windlass.apps.pipelines.web.artifacts import ClaimArtifacts
    from windlass.apps.pipelines.web.s3.handler import ObjectStore
    from windlass.apps.pipelines.wire.api import PipelinesApi
    from windlass.apps.pipelines.wire.grpc.api import GrpcApi
    from windlass.apps.pipelines.wire.metadata.api import MetadataApi


class PipelinesService:
    def __init__(self, context: GatewayContext) -> None:
        self._context = context
        self._opening: asyncio.Task[Database] | None = None

    async def answer(self, request: web.Request, identity: Identity, group: str, path: str) -> web.StreamResponse:
        from windlass.apps.pipelines.web.caller import GatewayCaller

        return await self._api.answer(request, GatewayCaller(self._context, identity), group, path)

    async def answer_s3(self, request: web.Request) -> web.StreamResponse:
        return await self._object_store.answer(request)

    async def answer_grpc(self, identity: Identity, service: str, method: str, message: bytes) -> bytes:
        """Answer a call of the pipelines API over gRPC. Raises WireError."""
        from windlass.apps.pipelines.web.caller import GatewayCaller

        return await self._grpc_api.answer(service, method, message, GatewayCaller(self._context, identity))

    async def answer_metadata(self, request: web.Request, identity: Identity) -> web.Response:
        """Answer a gRPC-web call of the metadata store."""
        from windlass.apps.pipelines.web.metadata.grpc_web import answer_web

        return await answer_web(request, lambda method, sent: self.answer_metadata_call(method, sent, identity, ""))

    async def answer_metadata_to_pod(self, request: web.Request) -> web.Response:
        """Answer a gRPC-web call of a pod, which its token or its address identifies."""
        from windlass.apps.pipelines.web.metadata.grpc_web import answer_web
        from windlass.apps.pipelines.web.metadata.pod_callers import pod_caller

        async def answer(method: str, message: bytes) -> bytes:
            caller = await pod_caller(self._context, request)
            return await self.answer_metadata_call(method, message, caller.identity, caller.namespace)

        return await answer_web(request, answer)

    async def answer_metadata_call(self, method: str, message: bytes, identity: Identity, namespace: str) -> bytes:
        """Answer a call of the metadata store, from the only namespace that is given. Raises WireError."""
        from windlass.apps.pipelines.web.caller import GatewayCaller

        return await self._metadata.answer(method, message, GatewayCaller(self._context, identity), namespace)

    @cached_property
    def _grpc_api(self) -> "GrpcApi":
        from windlass.apps.pipelines.wire.grpc.api import GrpcApi

        return GrpcApi(self._api)

    @cached_property
    def _metadata(self) -> "MetadataApi":
        from windlass.apps.pipelines.wire.metadata.api import MetadataApi

        return MetadataApi(self.database)

    @cached_property
    def _object_store(self) -> "ObjectStore":
        from windlass.apps.pipelines.web.s3.handler import ObjectStore

        return ObjectStore(self._context.client, self._context.settings.options_of(PipelineOptions).volumes)

    @cached_property
    def _api(self) -> "PipelinesApi":
        from windlass.apps.pipelines.wire.api import PipelinesApi
        from windlass.apps.pipelines.wire.call import Services
        from windlass.apps.pipelines.wire.downloads import DownloadRules, download

        options = self._context.settings.options_of(PipelineOptions)
        rules = DownloadRules(
            allowed_domains=options.url_domains,
            allow_http=options.is_url_http_allowed,
            timeout_seconds=options.url_timeout_seconds,
            is_validated=options.is_url_validated,
        )
        return PipelinesApi(
            Services(
                open_database=self.database,
                artifacts=self.artifacts,
                default_account=self._default_account,
                now=time.time,
                fetch=partial(download, rules=rules),
                version=__version__,
                requires_namespace=options.requires_namespace,
            )
        )

    @cached_property
    def artifacts(self) -> "ClaimArtifacts":
        from windlass.apps.pipelines.web.artifacts import ClaimArtifacts

        options = self._context.settings.options_of(PipelineOptions)
        return ClaimArtifacts(
            self._context.client, options.volumes, allow_local_endpoints=options.allow_local_endpoints
        )

    async def database(self) -> "Database":
        """Open it once; a failure is tried again at the next request."""
        if self._opening is None or (self._opening.done() and self._opening.exception() is not None):
            self._opening = asyncio.create_task(self._open())
        return await asyncio.shield(self._opening)

    async def _open(self) -> "Database":
        from windlass.apps.pipelines.rows import open_database
        from windlass.apps.pipelines.rows.errors import DatabaseError
        from windlass.apps.pipelines.samples import sample_records

        url = self._context.settings.options_of(PipelineOptions).database_url
        if not url:
            raise DatabaseError("no database is configured for pipelines: set WINDLASS_PIPELINES_DATABASE")
        return await open_database(url, sample_records)

    async def _default_account(self, namespace: str) -> str:
        """That of profiles, if the namespace has one, else Kubeflow's, else the namespace's default."""
        from windlass.apis.core_v1 import ServiceAccount
        from windlass.apps.pipelines.names import PROFILE_ACCOUNT, RUNNER_ACCOUNT
        from windlass.kube.view import metadata_only

        accounts = await self._context.client.list(metadata_only(ServiceAccount), namespace)
        names = {account.metadata.name for account in accounts.items}
        return next((name for name in (PROFILE_ACCOUNT, RUNNER_ACCOUNT) if name in names), "default")

    async def close(self) -> None:
        if self._opening is not None and self._opening.done() and self._opening.exception() is None:
            await self._opening.result().close()
        if "artifacts" in self.__dict__:
            await self.artifacts.close()
