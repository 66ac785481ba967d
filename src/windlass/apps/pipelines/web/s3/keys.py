"""The keys of namespaces: an access key is the name of the namespace whose Secret has it."""

import base64
import binascii
import hmac
import re
import time
from collections.abc import Callable
from typing import NamedTuple

from windlass.apis.core_v1 import Secret
from windlass.apps.pipelines.names import ACCESS_KEY, ARTIFACT_SECRET, SECRET_KEY
from windlass.apps.pipelines.web.s3.protocol.errors import S3Error
from windlass.kube.api import Api
from windlass.kube.errors import ApiError, NotFound
from windlass.kube.view import typed

KEPT_SECONDS = 30.0
MAX_KEPT = 1024
_NAMESPACE = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


class _Kept(NamedTuple):
    secret_key: str
    """Empty if the namespace has no such keys."""
    until: float


class NamespaceKeys:
    """Reads the Secret `mlpipeline-minio-artifact` of a namespace, and keeps what it has for 30 seconds."""

    def __init__(self, api: Api, clock: Callable[[], float] = time.monotonic) -> None:
        self._api, self._clock = api, clock
        self._kept: dict[str, _Kept] = {}

    async def secret_key(self, access_key: str) -> str:
        """Return the secret key that belongs to an access key. Raises S3Error."""
        kept = self._kept.get(access_key)
        if kept is None or kept.until < self._clock():
            kept = _Kept(await self._read(access_key), self._clock() + KEPT_SECONDS)
            while len(self._kept) >= MAX_KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[access_key] = kept
        if not kept.secret_key:
            message = f"The access key is not that of a namespace with the Secret {ARTIFACT_SECRET}."
            raise S3Error("InvalidAccessKeyId", message)
        return kept.secret_key

    async def _read(self, access_key: str) -> str:
        if not _NAMESPACE.fullmatch(access_key):
            return ""
        try:
            secret = await self._api.get(typed(Secret), ARTIFACT_SECRET, access_key)
        except NotFound:
            return ""
        except ApiError as error:
            raise S3Error("ServiceUnavailable", f"The keys cannot be read: {error.message}") from error
        # Keys of another store may have been put into this Secret: only the namespace's own open its claim.
        if not hmac.compare_digest(_decoded(secret, ACCESS_KEY).encode(), access_key.encode()):
            return ""
        return _decoded(secret, SECRET_KEY)


def _decoded(secret: Secret, name: str) -> str:
    try:
        return base64.b64decode(secret.data.get(name, ""), validate=True).decode().strip()
    except (binascii.Error, UnicodeDecodeError):
        return ""
