"""Reads how a namespace reaches its object stores: its ConfigMap `kfp-launcher`, and the Secrets that this names."""

import base64
import binascii
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from windlass.apis.core_v1 import ConfigMap, Secret
from windlass.apps.pipelines.artifacts.stores.providers import Provider, check_account, parse_providers, provider_of
from windlass.apps.pipelines.artifacts.stores.store_locations import SecretKey
from windlass.apps.pipelines.names import ACCESS_KEY, GENERATED_KEYS_LABEL, LAUNCHER_CONFIG_MAP, STORE_SERVICE
from windlass.kube import errors
from windlass.kube.api import Api
from windlass.kube.json import Object, dig, is_object
from windlass.kube.kind import KINDS
from windlass.kube.view import typed, untyped

SECRETS = untyped(KINDS.of(Secret))
_ACCOUNT_FIELDS = ("client_email", "private_key", "private_key_id")


@dataclass(frozen=True)
class LauncherConfig:
    """The ConfigMap `kfp-launcher` of a namespace; empty if there is none."""

    default_root: str = ""
    providers: str = ""


@dataclass(frozen=True)
class Credentials:
    """All fields are empty for requests without credentials. Never shown, and never logged."""

    access_key: str = field(default="", repr=False)
    """For Azure the name of the storage account."""
    secret_key: str = field(default="", repr=False)
    service_account: str = field(default="", repr=False)
    """The key of a service account of Google, as JSON."""
    source: str = ""
    """Where they are from, for messages."""


class StoreSettings:
    """Keeps the ConfigMap of each namespace as it was last read."""

    def __init__(self, api: Api, *, has_own_store: bool = False) -> None:
        """`has_own_store`: whether `minio-service.kubeflow` is the S3 endpoint of Windlass itself."""
        self._api, self._has_own_store = api, has_own_store
        self._configs: dict[str, LauncherConfig] = {}
        self._parsed: dict[str, Object] = {}

    async def refresh(self, namespace: str) -> LauncherConfig:
        """Read the ConfigMap of a namespace. Raises ApiError."""
        try:
            data = (await self._api.get(typed(ConfigMap), LAUNCHER_CONFIG_MAP, namespace)).data
            config = LauncherConfig(data.get("defaultPipelineRoot") or "", data.get("providers") or "")
        except errors.NotFound:
            config = LauncherConfig()
        if self._configs.get(namespace) != config:
            self._parsed.pop(namespace, None)
        self._configs[namespace] = config
        return config

    def known(self, namespace: str) -> LauncherConfig:
        """The ConfigMap of a namespace as it was last read; empty if it never was."""
        return self._configs.get(namespace, LauncherConfig())

    async def provider(self, namespace: str, uri: str) -> Provider | None:
        """Return the provider of a URI; None if its content is in the claim alone. Raises ValueError and ApiError."""
        config = self._configs.get(namespace) or await self.refresh(namespace)
        try:
            if namespace not in self._parsed:
                self._parsed[namespace] = parse_providers(config.providers)
            provider = provider_of(self._parsed[namespace], uri)
        except ValueError as error:
            raise ValueError(f"ConfigMap {LAUNCHER_CONFIG_MAP}, {uri}: {error}") from error
        return None if self._has_own_store and provider is not None and provider.is_own_store else provider

    async def credentials(self, namespace: str, provider: Provider) -> Credentials:
        """Raises ValueError that names the Secret and the key, and ApiError."""
        reference = provider.secret
        if reference is None:
            return Credentials(source="without credentials")
        try:
            secret = await self._api.get(SECRETS, reference.name, namespace)
        except errors.NotFound:
            if reference.is_required:
                raise ValueError(f"the Secret {namespace}/{reference.name} does not exist") from None
            return Credentials(source=f"without credentials: there is no Secret {namespace}/{reference.name}")
        where = f"Secret {namespace}/{reference.name}"
        if _are_generated(secret, namespace):
            reason = f"the keys of the {where} are for {STORE_SERVICE} alone"
            if reference.is_required:
                raise ValueError(reason)
            return Credentials(source=f"without credentials: {reason}")
        return credentials_of(provider, where, [_decoded(secret, key, where) for key in reference.keys])


async def secret_value(api: Api, namespace: str, reference: SecretKey) -> str:
    """The value of a key of a Secret, for another store than that of Windlass. Raises ValueError and ApiError."""
    where = f"Secret {namespace}/{reference.name}"
    try:
        secret = await api.get(SECRETS, reference.name, namespace)
    except errors.NotFound:
        raise ValueError(f"the {where} does not exist") from None
    if _are_generated(secret, namespace):
        raise ValueError(f"the keys of the {where} are for {STORE_SERVICE} alone")
    return _decoded(secret, reference.key, where)


def credentials_of(provider: Provider, where: str, values: Sequence[str]) -> Credentials:
    """Return credentials from the values of a Secret's keys, in the order of the reference. Raises ValueError."""
    source = f"with the {where}"
    if provider.scheme == "gs":
        return Credentials(service_account=service_account(values[0], source), source=source)
    if provider.scheme == "az":
        assert provider.secret is not None
        check_account(values[0], f"{source}, {provider.secret.keys[0]}")
        checked_account_key(values[1], f"{source}, {provider.secret.keys[1]}")
    return Credentials(access_key=values[0], secret_key=values[1], source=source)


def checked_account_key(key: str, where: str) -> None:
    """Check the key of a storage account of Azure. Raises ValueError."""
    try:
        is_key = bool(base64.b64decode(key, validate=True))
    except ValueError:
        is_key = False
    if not is_key:
        raise ValueError(f"{where}: is not the key of a storage account, which is base64")


def _are_generated(secret: Object, namespace: str) -> bool:
    """Whether Windlass made the keys, for its own endpoint. No other store knows them, and none must see them."""
    if dig(secret, "metadata", "labels", GENERATED_KEYS_LABEL) != "true":
        return False
    # A user may have replaced the keys by others, and left the label.
    return _decoded(secret, ACCESS_KEY, "Secret") == namespace


def _decoded(secret: Object, key: str, where: str) -> str:
    value = dig(secret, "data", key)
    if not isinstance(value, str):
        raise ValueError(f"the {where} has no key {key!r}")
    try:
        return base64.b64decode(value, validate=True).decode().strip()
    except (binascii.Error, UnicodeDecodeError):
        raise ValueError(f"the {where}: the value of {key!r} is not text") from None


def service_account(text: str, where: str) -> str:
    """Keep what identifies a service account: other fields would choose where requests go. Raises ValueError."""
    try:
        account: Any = json.loads(text)
    except (ValueError, RecursionError):
        account = None
    if not is_object(account) or account.get("type") != "service_account":
        raise ValueError(f"{where}: the value is not the JSON key of a service account")
    missing = next((name for name in _ACCOUNT_FIELDS if not isinstance(account.get(name), str)), None)
    if missing is not None:
        raise ValueError(f"{where}: the key of the service account has no {missing}")
    return json.dumps({"type": "service_account"} | {name: account[name] for name in _ACCOUNT_FIELDS})
