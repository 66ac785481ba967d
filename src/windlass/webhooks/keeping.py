"""Keeps the webhooks trusted: the certificate that they show, and the CA in the objects that lead to them.

`SecretCertificates` has both in a Secret and writes the CA itself; `FileCertificates` takes a certificate that
somebody else sees to, as cert-manager does. Either may be asked any number of times, by any number of managers.
"""

import base64
import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, TypeAlias

from windlass.kube import errors
from windlass.kube.client import Client
from windlass.kube.json import Object, dig_object
from windlass.kube.kind import Kind
from windlass.kube.meta import Key
from windlass.webhooks import trainer_configuration as trainer
from windlass.webhooks import volcano_configuration as volcano
from windlass.webhooks.certificates import Bundle, renewed
from windlass.webhooks.configuration import CONVERTED, MUTATOR, VALIDATOR, configuration_patch, definition_patch

SECRET = Kind(group="", version="v1", name="Secret", plural="secrets")
VALIDATING = Kind(
    group="admissionregistration.k8s.io", version="v1", name="ValidatingWebhookConfiguration",
    plural="validatingwebhookconfigurations", namespaced=False,
)  # fmt: skip
MUTATING = Kind(
    group="admissionregistration.k8s.io", version="v1", name="MutatingWebhookConfiguration",
    plural="mutatingwebhookconfigurations", namespaced=False,
)  # fmt: skip
DEFINITION = Kind(
    group="apiextensions.k8s.io", version="v1", name="CustomResourceDefinition",
    plural="customresourcedefinitions", namespaced=False,
)  # fmt: skip

Trusting: TypeAlias = Sequence[tuple[Kind, str]]
"""Objects that must name the CA: their kinds and names."""
TRAINING: Trusting = (
    (VALIDATING, VALIDATOR),
    (MUTATING, MUTATOR),
    *((DEFINITION, kind.group_resource) for kind in CONVERTED),
)
VOLCANO: Trusting = ((VALIDATING, volcano.VALIDATOR), (MUTATING, volcano.MUTATOR))
TRAINER: Trusting = ((VALIDATING, trainer.VALIDATOR), (MUTATING, trainer.MUTATOR))

log = logging.getLogger(__name__)


def trusting(*, with_volcano: bool = False, with_trainer: bool = False) -> Trusting:
    """All of them where a manager looks after these kinds."""
    return (*TRAINING, *(VOLCANO if with_volcano else ()), *(TRAINER if with_trainer else ()))


class Unusable(Exception):
    """There is no certificate to show; the message says why."""


class Certificates(Protocol):
    """Where certificates come from."""

    async def current(self) -> tuple[bytes, bytes]:
        """Certificate and key (PEM) to show from now on. Raises Unusable or ApiError."""
        ...

    async def make_trusted(self) -> None:
        """Whoever leads API servers here names the CA of `current`. Raises ApiError."""
        ...


class SecretCertificates:
    """Made by the managers themselves, and kept in a Secret that they share."""

    def __init__(self, client: Client, secret: Key, names: Sequence[str], trusting: Trusting = TRAINING) -> None:
        self._client, self._secret, self._names, self._trusting = client, secret, names, trusting
        self._ca = b""

    async def current(self) -> tuple[bytes, bytes]:
        for _ in range(3):
            try:
                bundle = await self._look()
            except errors.Conflict:  # another manager was faster: what it wrote is as good
                continue
            self._ca = bundle.ca
            return bundle.certificate, bundle.key
        raise Unusable(f"the secret {self._secret} keeps changing")

    async def _look(self) -> Bundle:
        try:
            secret = await self._client.get(SECRET, self._secret.name, self._secret.namespace)
        except errors.NotFound:
            return await self._create()
        held = Bundle.from_secret(dig_object(secret, "data"))
        bundle = renewed(held, self._names, datetime.now(UTC))
        if bundle != held:
            await self._client.update({**secret, "data": bundle.as_secret()}, kind=SECRET)
            log.info("made a new certificate for webhooks secret=%s", self._secret)
        return bundle

    async def _create(self) -> Bundle:
        bundle = renewed(None, self._names, datetime.now(UTC))
        metadata = {"name": self._secret.name, "namespace": self._secret.namespace}
        secret: Object = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": "kubernetes.io/tls"}
        await self._client.create({**secret, "data": bundle.as_secret()}, kind=SECRET)
        log.info("made a certificate for webhooks secret=%s", self._secret)
        return bundle

    async def make_trusted(self) -> None:
        await trust(self._client, self._ca, self._trusting)


class FileCertificates:
    """`tls.crt` and `tls.key` of a folder, read anew each time; the CA of a `ca.crt` beside them is made trusted."""

    def __init__(self, client: Client, folder: Path, trusting: Trusting = TRAINING) -> None:
        self._client, self._folder, self._trusting = client, folder, trusting

    async def current(self) -> tuple[bytes, bytes]:
        return self._read("tls.crt"), self._read("tls.key")

    async def make_trusted(self) -> None:
        if (self._folder / "ca.crt").exists():
            await trust(self._client, self._read("ca.crt"), self._trusting)

    def _read(self, name: str) -> bytes:
        try:
            return (self._folder / name).read_bytes()
        except OSError as error:
            raise Unusable(f"{self._folder / name}: {error.strerror}") from error


async def trust(client: Client, ca: bytes, trusting: Trusting) -> None:
    """Write the CA where the cluster looks for it, as far as that is there: configurations and definitions."""
    bundle = base64.b64encode(ca).decode()
    for kind, name in trusting:
        patch_for = definition_patch if kind == DEFINITION else configuration_patch
        await _ensure(client, kind, name, patch_for, bundle)


async def _ensure(
    client: Client, kind: Kind, name: str, patch_for: Callable[[Object, str], Object | None], bundle: str
) -> None:
    try:
        patch = patch_for(await client.get(kind, name), bundle)
        if patch is not None:
            await client.patch(kind, Key("", name), patch)
            log.info("the webhooks' CA is in %s %s", kind.name, name)
    except errors.NotFound:
        return
    except errors.Conflict:  # changed since it was looked at: the next look is soon
        log.info("%s %s changed meanwhile, and is looked at again", kind.name, name)
