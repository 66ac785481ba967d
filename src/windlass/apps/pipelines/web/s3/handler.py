"""Answers S3 requests of pods: who sent them, which operation they are, and errors as S3 words them."""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

from aiohttp import web

from windlass.apps.pipelines.artifacts.claim_folders import ClaimFolders, NoFolder
from windlass.apps.pipelines.names import PROFILE_ACCOUNT
from windlass.apps.pipelines.web.s3 import bucket_calls, object_calls, upload_calls
from windlass.apps.pipelines.web.s3.call import XML, Call, in_thread
from windlass.apps.pipelines.web.s3.files.store import Store, storage_error
from windlass.apps.pipelines.web.s3.files.uploads import Uploads
from windlass.apps.pipelines.web.s3.keys import NamespaceKeys
from windlass.apps.pipelines.web.s3.protocol.documents import error_document
from windlass.apps.pipelines.web.s3.protocol.errors import S3Error
from windlass.apps.pipelines.web.s3.protocol.object_names import check_key
from windlass.apps.pipelines.web.s3.protocol.operations import Operation, check_headers, operation_of
from windlass.apps.pipelines.web.s3.protocol.signature import SentRequest, check_signature, claim_of
from windlass.kube.client import Client
from windlass.kube.errors import ApiError

Answer: TypeAlias = Callable[[Call], Awaitable[web.StreamResponse]]

ANSWERS: Mapping[Operation, Answer] = {
    Operation.LIST_BUCKETS: bucket_calls.list_buckets,
    Operation.CREATE_BUCKET: bucket_calls.create_bucket,
    Operation.HEAD_BUCKET: bucket_calls.head_bucket,
    Operation.DELETE_BUCKET: bucket_calls.delete_bucket,
    Operation.GET_BUCKET_LOCATION: bucket_calls.get_location,
    Operation.GET_BUCKET_SETTING: bucket_calls.get_setting,
    Operation.LIST_OBJECTS: bucket_calls.list_objects,
    Operation.LIST_OBJECTS_V2: bucket_calls.list_objects_v2,
    Operation.LIST_UPLOADS: bucket_calls.list_uploads,
    Operation.DELETE_OBJECTS: bucket_calls.delete_objects,
    Operation.GET_OBJECT: object_calls.get_object,
    Operation.GET_OBJECT_ATTRIBUTE: object_calls.get_attribute,
    Operation.HEAD_OBJECT: object_calls.head_object,
    Operation.PUT_OBJECT: object_calls.put_object,
    Operation.COPY_OBJECT: object_calls.copy_object,
    Operation.DELETE_OBJECT: object_calls.delete_object,
    Operation.CREATE_UPLOAD: upload_calls.create_upload,
    Operation.UPLOAD_PART: upload_calls.upload_part,
    Operation.UPLOAD_PART_COPY: upload_calls.upload_part_copy,
    Operation.COMPLETE_UPLOAD: upload_calls.complete_upload,
    Operation.ABORT_UPLOAD: upload_calls.abort_upload,
    Operation.LIST_PARTS: upload_calls.list_parts,
}

log = logging.getLogger(__name__)


class ObjectStore:
    """The S3 endpoint over the claims of all namespaces. Nothing but the access key chooses the namespace."""

    def __init__(self, client: Client, volumes: str) -> None:
        """`volumes` is the folder with the volumes of the node; empty if there is none here."""
        self._client = client
        self._keys = NamespaceKeys(client)
        self._folders = ClaimFolders(client, Path(volumes)) if volumes else None
        self._stores: dict[Path, Store] = {}
        self._opening: dict[str, asyncio.Lock] = {}

    async def answer(self, request: web.Request) -> web.StreamResponse:
        request_id = secrets.token_hex(8)
        try:
            response = await self._answer(request)
        except S3Error as error:
            response = _refusal(request, error, request_id)
        except OSError as error:
            refused = storage_error(error)
            if refused.status >= 500:  # others are about the key, and any pod could fill the log with them
                log.warning("an S3 request failed method=%s error=%s", request.method, error)
            response = _refusal(request, refused, request_id)
        if not response.prepared:
            response.headers["x-amz-request-id"] = request_id
        return response

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        sent = sent_request(request)
        claim = claim_of(sent, datetime.now(UTC))
        secret_key = await self._keys.secret_key(claim.access_key)
        check_signature(sent, claim, secret_key)
        bucket, _, key = sent.path.lstrip("/").partition("/")
        is_copy = bool(sent.header("x-amz-copy-source"))
        operation = operation_of(sent.method, bucket, key, dict(sent.query), is_copy=is_copy)
        check_headers(sent.headers)
        if key:
            check_key(key)
        call = Call(
            request=request,
            sent=sent,
            claim=claim,
            secret_key=secret_key,
            store=await self._store(claim.access_key),
            bucket=bucket,
            key=key,
        )
        return await ANSWERS[operation](call)

    async def _store(self, namespace: str) -> Store:
        """Return the store of a namespace, with its claim if there is none yet. Raises S3Error."""
        if self._folders is None:
            raise S3Error("ServiceUnavailable", "There are no volumes on this machine.")
        async with self._opening.setdefault(namespace, asyncio.Lock()):
            try:
                folder = await self._folder(self._folders, namespace)
            except ApiError as error:
                message = f"The claim of namespace {namespace} cannot be made: {error.message}"
                raise S3Error("AccessDenied", message) from error
            except NoFolder as error:
                raise S3Error("ServiceUnavailable", f"The bucket has no volume yet: {error}.") from error
            if folder not in self._stores:
                store = Store(folder)
                await in_thread(store.sweep)
                await in_thread(Uploads(store).sweep)
                self._stores[folder] = store
        return self._stores[folder]

    async def _folder(self, folders: ClaimFolders, namespace: str) -> Path:
        try:
            return await folders.folder(namespace)
        except NoFolder:
            # The claim is made with the rights of those who hold the keys; the gateway itself makes no claims.
            user = f"system:serviceaccount:{namespace}:{PROFILE_ACCOUNT}"
            groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated")
            await ClaimFolders(self._client.impersonating(user, groups), Path()).ensure(namespace)
            return await folders.make(namespace)


def sent_request(request: web.Request) -> SentRequest:
    target = request.raw_path.partition("#")[0]
    if not target.startswith("/"):  # the absolute form, as for proxies
        target = "/" + target.partition("://")[2].partition("/")[2]
    path, _, query = target.partition("?")
    headers: dict[str, list[str]] = {}
    for name, value in request.headers.items():
        headers.setdefault(name.lower(), []).append(value)
    return SentRequest(request.method, path, query, headers)


def _refusal(request: web.Request, error: S3Error, request_id: str) -> web.Response:
    body = b"" if request.method == "HEAD" else error_document(error, request.path, request_id)
    return web.Response(status=error.status, body=body, content_type=XML, headers=error.headers)
