"""Clients of object stores, by provider and bucket. Imports obstore, so import this module only for a remote URI."""

import re
from datetime import timedelta
from typing import TYPE_CHECKING, TypeAlias, cast

from obstore import exceptions
from obstore.store import AzureStore, GCSStore, S3Store

from windlass.apps.pipelines.artifacts.stores.providers import Provider
from windlass.apps.pipelines.artifacts.stores.store_settings import Credentials

if TYPE_CHECKING:
    from obstore.store import (
        AzureAccessKey,
        AzureConfig,
        ClientConfig,
        GCSConfig,
        RetryConfig,
        S3Config,
        S3Credential,
    )

Client: TypeAlias = S3Store | GCSStore | AzureStore
CLIENT_ERRORS = (exceptions.BaseError, FileNotFoundError)
REQUEST_TIMEOUT = timedelta(hours=6)
READ_TIMEOUT = timedelta(seconds=60)
RETRY_TIMEOUT = timedelta(seconds=60)
FIRST_BACKOFF, LAST_BACKOFF = timedelta(milliseconds=200), timedelta(seconds=5)
GOOGLE_URL = "https://storage.googleapis.com"
MAX_REASON = 400


def open_client(provider: Provider, bucket: str, credentials: Credentials, proxy: str) -> Client:
    """Return a client that sends all requests through `proxy`, and takes no settings from the environment."""
    options: ClientConfig = {
        "allow_http": provider.disable_ssl,
        "proxy_url": proxy,
        "timeout": REQUEST_TIMEOUT,
        "read_timeout": READ_TIMEOUT,
    }
    retries: RetryConfig = {
        "max_retries": provider.max_retries,
        "retry_timeout": RETRY_TIMEOUT,
        "backoff": {"init_backoff": FIRST_BACKOFF, "max_backoff": LAST_BACKOFF, "base": 2},
    }
    endpoint = endpoint_url(provider, bucket, credentials)
    if provider.scheme == "az":
        return _azure(provider, bucket, credentials, options, retries)
    if provider.scheme == "gs":
        google: GCSConfig = {"base_url": endpoint}
        if credentials.service_account:
            google["service_account_key"] = credentials.service_account
        google["skip_signature"] = not credentials.service_account
        return GCSStore(bucket, config=google, client_options=options, retry_config=retries)
    config: S3Config = {
        "endpoint": endpoint,
        "region": provider.region,
        "virtual_hosted_style_request": not provider.force_path_style,
        "skip_signature": not credentials.access_key,
    }
    # A variable of the environment with the name of this key would win over `endpoint`.
    config = cast("S3Config", {**config, "aws_endpoint_url_s3": endpoint})
    if not credentials.access_key:
        return S3Store(bucket, config=config, client_options=options, retry_config=retries)

    def fixed() -> "S3Credential":
        return {
            "access_key_id": credentials.access_key,
            "secret_access_key": credentials.secret_key,
            "token": None,
            "expires_at": None,
        }

    return S3Store(bucket, config=config, client_options=options, retry_config=retries, credential_provider=fixed)


def _azure(
    provider: Provider, container: str, credentials: Credentials, options: "ClientConfig", retries: "RetryConfig"
) -> AzureStore:
    # Each field overrides the variable of the environment that would choose the account, the URL or the credentials.
    config: AzureConfig = {
        "account_name": credentials.access_key or provider.account,
        "endpoint": endpoint_url(provider, container, credentials),
        "skip_signature": not credentials.secret_key,
        "use_emulator": False,
        "use_fabric_endpoint": False,
        "credential_type": "auto",
    }
    if not credentials.secret_key:
        return AzureStore(container, config=config, client_options=options, retry_config=retries)

    def fixed() -> "AzureAccessKey":
        return {"access_key": credentials.secret_key, "expires_at": None}

    return AzureStore(container, config=config, client_options=options, retry_config=retries, credential_provider=fixed)


def endpoint_url(provider: Provider, bucket: str, credentials: Credentials) -> str:
    """Return where the requests for a bucket go; with virtual hosts the bucket is a part of the name."""
    if provider.scheme == "az":
        return provider.url or f"https://{credentials.access_key or provider.account}.blob.core.windows.net"
    url = provider.url or (GOOGLE_URL if provider.scheme == "gs" else f"https://s3.{provider.region}.amazonaws.com")
    if provider.force_path_style or provider.scheme == "gs":
        return url
    scheme, _, host = url.partition("://")
    return f"{scheme}://{bucket}.{host}"


def reason_of(error: Exception) -> str:
    """Return what a store answered, or why there was no answer, in one line."""
    text = str(error).partition("\n\nDebug source")[0]
    code, message = (re.search(rf"<{tag}>([^<]*)</{tag}>", text) for tag in ("Code", "Message"))
    if code is not None:
        # Azure adds lines with the id and the time of the request.
        lines = message[1].strip().splitlines() if message is not None else []
        return f"{code[1]}: {lines[0]}" if lines else code[1]
    words = text.rpartition(" - ")[2].removeprefix("Server returned non-2xx status code: ").rstrip(": ").split()
    return " ".join(words)[:MAX_REASON] or type(error).__name__
