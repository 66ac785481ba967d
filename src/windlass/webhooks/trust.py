"""Certificate sources of the webhooks, and publication of their CA in webhook configurations and definitions.

`SecretCertificates` manages both in a Secret; `FileCertificates` reads a certificate that another program manages, such
as cert-manager. Both are safe to call repeatedly and from several managers.
"""

import base64
import logging
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from windlass.kube import errors
from windlass.kube.client import Client
from windlass.kube.json import Object, dig_object
from windlass.kube.kind import Kind
from windlass.kube.meta import Key
from windlass.webhooks.certificates import Bundle, renewed
from windlass.webhooks.configuration import Named, ca_patch

SECRET = Kind(group="", version="v1", name="Secret", plural="secrets")
log = logging.getLogger(__name__)


class Unusable(Exception):
    """There is no usable certificate; the message explains why."""


class Certificates(Protocol):
    """A source of certificates."""

    async def current(self) -> tuple[bytes, bytes]:
        """Return the certificate and key (PEM) to serve. Raises Unusable or ApiError."""
        ...

    async def make_trusted(self) -> None:
        """Publish the CA of `current` in the objects that direct API servers to the webhooks. Raises ApiError."""
        ...


class SecretCertificates:
    """Certificates that the managers create themselves and share in a Secret."""

    def __init__(self, client: Client, secret: Key, names: Sequence[str], with_ca: Sequence[Named]) -> None:
        self._client, self._secret, self._names, self._with_ca = client, secret, names, with_ca
        self._ca = b""

    async def current(self) -> tuple[bytes, bytes]:
        for _ in range(3):
            try:
                bundle = await self._renewed_bundle()
            except errors.Conflict:  # another manager was faster: use its certificate
                continue
            self._ca = bundle.ca
            return bundle.certificate, bundle.key
        raise Unusable(f"the secret {self._secret} keeps changing")

    async def _renewed_bundle(self) -> Bundle:
        try:
            secret = await self._client.get(SECRET, self._secret.name, self._secret.namespace)
        except errors.NotFound:
            return await self._create()
        held = Bundle.from_secret(dig_object(secret, "data"))
        bundle = renewed(held, self._names, datetime.now(UTC))
        if bundle != held:
            await self._client.update({**secret, "data": bundle.as_secret()}, kind=SECRET)
            log.info("renewed the webhook certificate secret=%s", self._secret)
        return bundle

    async def _create(self) -> Bundle:
        bundle = renewed(None, self._names, datetime.now(UTC))
        metadata = {"name": self._secret.name, "namespace": self._secret.namespace}
        secret: Object = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "kubernetes.io/tls"}
        await self._client.create({**secret, "data": bundle.as_secret()}, kind=SECRET)
        log.info("created the webhook certificate secret=%s", self._secret)
        return bundle

    async def make_trusted(self) -> None:
        await trust(self._client, self._ca, self._with_ca)


class FileCertificates:
    """`tls.crt` and `tls.key` of a folder, read on every call; the CA in an adjacent `ca.crt` is published."""

    def __init__(self, client: Client, folder: Path, with_ca: Sequence[Named]) -> None:
        self._client, self._folder, self._with_ca = client, folder, with_ca

    async def current(self) -> tuple[bytes, bytes]:
        return self._read("tls.crt"), self._read("tls.key")

    async def make_trusted(self) -> None:
        if (self._folder / "ca.crt").exists():
            await trust(self._client, self._read("ca.crt"), self._with_ca)

    def _read(self, name: str) -> bytes:
        try:
            return (self._folder / name).read_bytes()
        except OSError as error:
            raise Unusable(f"{self._folder / name}: {error.strerror}") from error


async def trust(client: Client, ca: bytes, with_ca: Sequence[Named]) -> None:
    """Write the CA into the configurations and definitions that exist."""
    bundle = base64.b64encode(ca).decode()
    for kind, name in with_ca:
        await _ensure(client, kind, name, bundle)


async def _ensure(client: Client, kind: Kind, name: str, bundle: str) -> None:
    try:
        patch = ca_patch(await client.get(kind, name), bundle)
        if patch is not None:
            await client.patch(kind, Key("", name), patch)
            log.info("published the webhooks' CA kind=%s name=%s", kind.name, name)
    except errors.NotFound:
        return
    except errors.Conflict:  # the next refresh publishes it
        log.info("object changed concurrently, retrying kind=%s name=%s", kind.name, name)
