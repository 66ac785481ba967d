"""How object stores are reached, by the key `providers` of a namespace's ConfigMap `kfp-launcher`. Pure.

A provider has defaults, and overrides for a bucket and the keys below a prefix; an override replaces single fields.
The query of a URI (`s3://bucket/key?region=eu-1`) replaces fields too, except those of credentials.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast
from urllib.parse import parse_qsl, urlsplit

from windlass.apps.pipelines.artifact_stores import is_own_store
from windlass.apps.pipelines.artifacts.uris import split_uri
from windlass.apps.pipelines.names import ACCESS_KEY, ARTIFACT_SECRET, SECRET_KEY
from windlass.formats.json_or_yaml import parse
from windlass.kube.json import Object, is_object

Scheme: TypeAlias = Literal["minio", "s3", "gs", "az"]
SCHEMES: tuple[Scheme, ...] = ("minio", "s3", "gs", "az")
DEFAULT_REGION = "us-east-1"
DEFAULT_RETRIES = 5
MAX_RETRIES = 20

_SETTINGS = ("endpoint", "region", "disableSSL", "forcePathStyle", "maxRetries", "credentials")
_AZURE_SETTINGS = ("endpoint", "account", "disableSSL", "maxRetries", "credentials")
_SELECTORS = ("bucketName", "keyPrefix")
_SECRET_FIELDS = {
    "minio": ("secretName", "accessKeyKey", "secretKeyKey"),
    "s3": ("secretName", "accessKeyKey", "secretKeyKey"),
    "gs": ("secretName", "tokenKey"),
    "az": ("secretName", "accountNameKey", "accountKeyKey"),
}
_QUERY_FIELDS = {
    "endpoint": "endpoint",
    "region": "region",
    "disableSSL": "disableSSL",
    "disable_https": "disableSSL",
    "s3ForcePathStyle": "forcePathStyle",
    "use_path_style": "forcePathStyle",
}
"""Parameters of a query, which have different names in the versions of upstream, and the fields that they replace."""
_REGION = re.compile(r"[a-z0-9-]{1,40}")
_ACCOUNT = re.compile(r"[a-z0-9]{3,24}")


@dataclass(frozen=True, kw_only=True)
class SecretRef:
    """The Secret with the credentials of a store, in the namespace of the run."""

    name: str
    keys: tuple[str, ...]
    """The keys of the access key and the secret key, of the service account of Google, or of the name and the key of a
    storage account of Azure."""
    is_required: bool = True
    """False for the Secret that is used where nothing names one: a public bucket needs none."""


@dataclass(frozen=True, kw_only=True)
class Provider:
    scheme: Scheme
    endpoint: str = ""
    """Host and port, for Azure perhaps with a path; empty for the public service."""
    account: str = ""
    """The storage account of Azure for requests without credentials; otherwise the Secret names it."""
    region: str = DEFAULT_REGION
    disable_ssl: bool = False
    force_path_style: bool = True
    max_retries: int = DEFAULT_RETRIES
    secret: SecretRef | None = None
    """None for requests without credentials."""

    @property
    def url(self) -> str:
        """Where requests go; empty for the public service."""
        return f"{'http' if self.disable_ssl else 'https'}://{self.endpoint}" if self.endpoint else ""

    @property
    def is_own_store(self) -> bool:
        """Whether the endpoint is the Service `minio-service.kubeflow`, by one of its names in the DNS of pods."""
        return is_own_store(self.endpoint)


def parse_providers(text: str) -> Object:
    """Check the value of the key `providers`. Raises ValueError that names the field."""
    try:
        document: Any = parse(text) if text.strip() else {}
    except ValueError as error:
        raise ValueError(f"providers: is not YAML: {error}") from error
    providers = _object(document, "providers", SCHEMES)
    for scheme in SCHEMES:
        if providers.get(scheme) is not None:
            _check_provider(scheme, providers[scheme], f"providers.{scheme}")
    return providers


def provider_of(providers: Object, uri: str) -> Provider | None:
    """Return the provider of a URI; None for one that is kept in the claim. Raises ValueError that names the field."""
    scheme, path, query = split_uri(uri)
    if scheme not in SCHEMES:
        return None
    bucket, _, key = path.partition("/")
    where, fields = f"providers.{scheme}", _fields(providers.get(scheme) or {}, bucket, key)
    fields |= _query_fields(scheme, query)
    if scheme == "minio" and not fields.get("endpoint"):
        return None
    endpoint, disable_ssl = checked_endpoint(
        scheme, fields.get("endpoint"), fields.get("disableSSL"), f"{where}.endpoint"
    )
    if scheme == "az" and not fields.get("account") and not fields.get("credentials"):
        raise ValueError(f"{where}.default.account: is required without credentials.secretRef")
    return Provider(
        scheme=scheme,
        endpoint=endpoint,
        account=fields.get("account") or "",
        region=checked_region(fields.get("region"), f"{where}.region"),
        disable_ssl=disable_ssl,
        force_path_style=fields.get("forcePathStyle") is not False,
        max_retries=fields["maxRetries"] if fields.get("maxRetries") is not None else DEFAULT_RETRIES,
        secret=_secret(scheme, fields.get("credentials")),
    )


def _fields(provider: Object, bucket: str, key: str) -> Object:
    """Return the default fields with those of the first override for the key."""
    fields = dict(cast(Object, provider.get("default") or {}))
    for override in cast(list[Object], provider.get("overrides") or []):
        prefix = str(override.get("keyPrefix") or "").strip("/")
        if override["bucketName"] == bucket and (not prefix or key == prefix or key.startswith(f"{prefix}/")):
            return fields | {name: value for name, value in override.items() if value is not None}
    return fields


def _query_fields(scheme: Scheme, query: str) -> Object:
    """Return what the query of a URI replaces."""
    fields: Object = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        # Only who edits the ConfigMap may choose where requests to Google and Azure go: the former carry an access
        # token, and the signatures of the latter do not cover the host, so that another server could forward them.
        field = None if scheme in ("gs", "az") else _QUERY_FIELDS.get(name)
        if field is None:
            allowed = "none is" if scheme in ("gs", "az") else f"{', '.join(_QUERY_FIELDS)} are"
            raise ValueError(f"the query parameter {name!r} of a {scheme}:// URI is not supported: {allowed}")
        if field in ("disableSSL", "forcePathStyle"):
            if value.lower() not in ("true", "false"):
                raise ValueError(f"the query parameter {name}: {value!r} is not true or false")
            fields[field] = value.lower() == "true"
        else:
            fields[field] = value
    return fields


def _check_provider(scheme: Scheme, value: Any, where: str) -> None:
    provider = _object(value, where, ("default", "overrides"))
    settings = _AZURE_SETTINGS if scheme == "az" else _SETTINGS
    if provider.get("default") is not None:
        _check_fields(scheme, _object(provider["default"], f"{where}.default", settings), f"{where}.default")
    overrides = provider.get("overrides")
    if overrides is None:
        return
    if not isinstance(overrides, list):
        raise ValueError(f"{where}.overrides: is not a list")
    for index, item in enumerate(cast(list[Any], overrides)):
        place = f"{where}.overrides[{index}]"
        override = _object(item, place, (*_SELECTORS, *settings))
        if not isinstance(override.get("bucketName"), str) or not override["bucketName"]:
            raise ValueError(f"{place}.bucketName: is required")
        _check_type(override, "keyPrefix", str, place)
        _check_fields(scheme, override, place)


def _check_fields(scheme: Scheme, fields: Object, where: str) -> None:
    for name in ("endpoint", "region", "account"):
        _check_type(fields, name, str, where)
    for name in ("disableSSL", "forcePathStyle"):
        _check_type(fields, name, bool, where)
    retries = fields.get("maxRetries")
    if retries is not None and (type(retries) is not int or not 0 <= retries <= MAX_RETRIES):
        raise ValueError(f"{where}.maxRetries: must be a number from 0 to {MAX_RETRIES}")
    checked_endpoint(scheme, fields.get("endpoint"), fields.get("disableSSL"), f"{where}.endpoint")
    if fields.get("account"):
        check_account(fields["account"], f"{where}.account")
    checked_region(fields.get("region"), f"{where}.region")
    if fields.get("credentials") is not None:
        _check_credentials(scheme, fields["credentials"], f"{where}.credentials")


def _check_credentials(scheme: Scheme, value: Any, where: str) -> None:
    credentials = _object(value, where, ("fromEnv", "secretRef"))
    _check_type(credentials, "fromEnv", bool, where)
    if credentials.get("fromEnv"):
        # The environment would be that of the manager, whose rights are not those of the namespace.
        raise ValueError(f"{where}.fromEnv: true is not supported: name a Secret of the namespace in secretRef")
    names = _SECRET_FIELDS[scheme]
    secret = _object(credentials.get("secretRef"), f"{where}.secretRef", names)
    for name in names:
        if not isinstance(secret.get(name), str) or not secret[name]:
            raise ValueError(f"{where}.secretRef.{name}: is required")


def _secret(scheme: Scheme, credentials: Object | None) -> SecretRef | None:
    if credentials:
        name, *keys = (credentials["secretRef"][field] for field in _SECRET_FIELDS[scheme])
        return SecretRef(name=name, keys=tuple(keys))
    if scheme in ("gs", "az"):
        return None
    return SecretRef(name=ARTIFACT_SECRET, keys=(ACCESS_KEY, SECRET_KEY), is_required=False)


def check_account(name: str, where: str) -> None:
    """Check the name of a storage account of Azure, which is a part of a host name. Raises ValueError.

    The message does not show the name: who mixes up the keys of a Secret gives the key of the account here.
    """
    if not _ACCOUNT.fullmatch(name):
        raise ValueError(f"{where}: is not the name of a storage account, of 3 to 24 lower-case letters and digits")


def checked_endpoint(scheme: Scheme, value: Any, disable_ssl: Any, where: str) -> tuple[str, bool]:
    """Return host and port, and whether the connection is without TLS: the scheme of a whole URL says so too.

    For Azure the endpoint may end in the name of the account, as in `host:10000/account`.
    """
    if not value:
        return "", bool(disable_ssl)
    text = str(value)
    protocol, separator, rest = text.partition("://")
    endpoint = (rest if separator else text).rstrip("/")
    host, slash, account = endpoint.partition("/") if scheme == "az" else (endpoint, "", "")
    try:
        parts = urlsplit(f"//{host}")
        is_plain = bool(parts.hostname) and parts.netloc == host and parts.username is None
        _ = parts.port  # raises ValueError for a port that is no number
    except ValueError:
        is_plain = False
    if not is_plain or (separator and protocol not in ("http", "https")) or re.search(r"[\s\\%]", host):
        raise ValueError(f"{where}: {text!r} is not a host with an optional port")
    if slash:
        check_account(account, where)
    return endpoint, protocol == "http" if separator and disable_ssl is None else bool(disable_ssl)


def checked_region(value: Any, where: str) -> str:
    """Check the region, which is a part of the host name of a public service."""
    if not value:
        return DEFAULT_REGION
    if not _REGION.fullmatch(str(value)):
        raise ValueError(f"{where}: {value!r} is not a region, such as {DEFAULT_REGION}")
    return str(value)


def _object(value: Any, where: str, names: tuple[str, ...]) -> Object:
    if value is None:
        return {}
    if not is_object(value):
        raise ValueError(f"{where}: is not an object")
    unknown = next((name for name in value if name not in names), None)
    if unknown is not None:
        raise ValueError(f"{where}.{unknown}: is not supported: {', '.join(names)} are")
    return value


def _check_type(fields: Mapping[str, Any], name: str, wanted: type, where: str) -> None:
    value = fields.get(name)
    if value is not None and not isinstance(value, wanted):
        kind = "true or false" if wanted is bool else "a string"
        raise ValueError(f"{where}.{name}: is not {kind}")
