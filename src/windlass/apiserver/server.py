"""The API server process: assembles the parts, listens, and stops cleanly.

It listens twice: HTTPS for everyone, and plain HTTP on a Unix socket that only the user who runs Windlass can open, for
Windlass' own processes. Both require a token.
"""

import asyncio
import gc
import logging
import os
import signal
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from windlass.apiserver import bootstrap, housekeeping, pod_dialing, reactions, webhook_client
from windlass.apiserver.admission import build_admission
from windlass.apiserver.allocators import Allocators
from windlass.apiserver.api import Api
from windlass.apiserver.auth.authenticate import Authenticator
from windlass.apiserver.auth.credentials import ADMIN, GATEWAY, MANAGER, Credentials, node_user
from windlass.apiserver.auth.jws import SigningKey
from windlass.apiserver.auth.oidc import Oidc, OidcSettings
from windlass.apiserver.auth.rbac import Rbac
from windlass.apiserver.auth.service_accounts import ServiceAccountTokens
from windlass.apiserver.builtin import LEGACY, OWN, RESOURCES
from windlass.apiserver.connection import Connection
from windlass.apiserver.crds.registered import register_converters
from windlass.apiserver.custom import CustomResources
from windlass.apiserver.http import Http
from windlass.apiserver.metrics import Metrics
from windlass.apiserver.pki import Pki, write_file
from windlass.apiserver.resources import Registry
from windlass.apiserver.store import Store
from windlass.kube.json import Object
from windlass.kube.signals import on_signals

if TYPE_CHECKING:
    from windlass.apiserver.audit import AuditLog
    from windlass.apiserver.auth.token_webhook import TokenWebhook

log = logging.getLogger("windlass.server")
_STOP_GRACE_SECONDS = 2.0


@dataclass(frozen=True, kw_only=True)
class ServerSettings:
    """The settings of the server; the flags of `windlass server` have the same names."""

    data_dir: Path
    listen: str = "127.0.0.1"
    port: int = 6443
    token_auth_file: Path | None = None
    client_ca_file: Path | None = None
    oidc_issuer_url: str | None = None
    oidc_client_id: str | None = None
    oidc_username_claim: str = "sub"
    oidc_username_prefix: str | None = None
    oidc_groups_claim: str | None = None
    oidc_groups_prefix: str = ""
    oidc_ca_file: Path | None = None
    authentication_token_webhook_config_file: Path | None = None
    authentication_token_webhook_cache_ttl: int = 10
    audit_policy_file: Path | None = None
    audit_log_path: Path | None = None
    audit_log_maxsize: int = 100
    audit_log_maxbackup: int = 10

    @property
    def url(self) -> str:
        host = "127.0.0.1" if self.listen in ("0.0.0.0", "::", "") else self.listen
        return f"https://{f'[{host}]' if ':' in host else host}:{self.port}"


class Server:
    """A running API server; `start` returns when it is ready."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.api: Api
        self._connections: set[Connection] = set()
        self._listeners: list[asyncio.Server] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        settings = self.settings
        data = settings.data_dir
        data.mkdir(parents=True, exist_ok=True)
        pki = Pki.load_or_create(data / "pki", [settings.listen, socket.gethostname()], in_child=True)
        credentials = Credentials.load_or_create(data / "credentials")
        self._write_credentials(credentials, pki)
        self.api = api = build(settings, pki, credentials, Store.open(data / "store.db"))
        await bootstrap.bootstrap(api, "127.0.0.1", settings.port)
        api.store.start()
        await self._listen(pki)
        self._tasks = [asyncio.create_task(housekeeping.run_task(task, api)) for task in housekeeping.TASKS]
        gc.collect()
        gc.freeze()  # what is loaded now stays: do not look at it again in every full collection

    def _write_credentials(self, credentials: Credentials, pki: Pki) -> None:
        data, url = self.settings.data_dir, self.settings.url
        credentials.write_kubeconfig("admin", ADMIN, url, pki.ca_pem, path=data / "kubeconfig")
        credentials.write_kubeconfig("manager", MANAGER, url, pki.ca_pem)
        write_file(credentials.directory / "manager.token", credentials.issue(MANAGER).encode(), 0o600)
        write_file(credentials.directory / "gateway.token", credentials.issue(GATEWAY).encode(), 0o600)
        node = node_user(socket.gethostname().lower())
        write_file(credentials.directory / "node.token", credentials.issue(node).encode(), 0o600)
        write_file(credentials.directory / "admin.token", credentials.issue(ADMIN).encode(), 0o600)

    async def _listen(self, pki: Pki) -> None:
        loop = asyncio.get_running_loop()
        handler = Http(self.api).handle

        def connection() -> Connection:
            return Connection(handler, self._connections, loop)

        settings = self.settings
        more = [settings.client_ca_file] if settings.client_ca_file else []
        tls = pki.ssl_context(more)
        listener = await loop.create_server(connection, settings.listen, settings.port, ssl=tls, backlog=1024)
        self._listeners.append(listener)
        run = settings.data_dir / "run"
        run.mkdir(mode=0o700, exist_ok=True)
        pod_dialing.use(run / "pods.sock")
        path = run / "api.sock"
        path.unlink(missing_ok=True)
        old = os.umask(0o177)
        try:
            self._listeners.append(await loop.create_unix_server(connection, str(path), backlog=1024))
        finally:
            os.umask(old)

    async def stop(self) -> None:
        """Finish current requests, end watches, and flush everything to disk."""
        for listener in self._listeners:
            listener.close()
        for task in self._tasks:
            task.cancel()
        for connection in list(self._connections):
            connection.stop()
        deadline = asyncio.get_running_loop().time() + _STOP_GRACE_SECONDS
        # polled: an event per connection would cost every request to be set and cleared
        while any(c.answers for c in self._connections) and asyncio.get_running_loop().time() < deadline:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        for connection in list(self._connections):
            connection.abort()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self.api.authenticator.webhook is not None:
            await self.api.authenticator.webhook.close()
        await webhook_client.close()
        pod_dialing.forget()
        await self.api.store.close()
        if self.api.audit is not None:
            self.api.audit.close()


def build(settings: ServerSettings, pki: Pki, credentials: Credentials, store: Store) -> Api:
    """Assemble the parts of a server."""
    api = Api(store, Registry((*RESOURCES, *LEGACY, *OWN)))
    api.pki, api.metrics, api.rbac, api.allocators = pki, Metrics(), Rbac(), Allocators()
    api.admission = build_admission(api)

    def get(resource: str, namespace: str, name: str) -> Object | None:
        return api.read(f"/{resource}", namespace, name)

    key = SigningKey(pki.service_account_key_file)
    api.authenticator = Authenticator(
        service_accounts=ServiceAccountTokens(key, get), oidc=_oidc(settings), webhook=_token_webhook(settings)
    )
    api.authenticator.add_tokens(credentials.tokens())
    if settings.token_auth_file is not None:
        api.authenticator.add_token_file(settings.token_auth_file)
    if settings.audit_log_path is not None:
        api.audit = _audit_log(settings, settings.audit_log_path)
    register_converters(api.registry)
    custom = CustomResources(api)
    custom.load()
    reactions.load(api)
    reactions.install(api, custom)
    return api


def _audit_log(settings: ServerSettings, path: Path) -> "AuditLog":
    from windlass.apiserver.audit import AuditLog
    from windlass.apiserver.auth.audit_policy import metadata_of_everything, read_policy

    policy = read_policy(settings.audit_policy_file) if settings.audit_policy_file else metadata_of_everything()
    return AuditLog(str(path), policy, max_bytes=settings.audit_log_maxsize << 20, backups=settings.audit_log_maxbackup)


def _token_webhook(settings: ServerSettings) -> "TokenWebhook | None":
    from windlass.apiserver.auth.token_webhook import TokenWebhook

    path = settings.authentication_token_webhook_config_file
    return TokenWebhook(path, settings.authentication_token_webhook_cache_ttl) if path is not None else None


def _oidc(settings: ServerSettings) -> Oidc | None:
    if not settings.oidc_issuer_url:
        return None
    return Oidc(
        OidcSettings(
            issuer_url=settings.oidc_issuer_url,
            client_id=settings.oidc_client_id or "",
            username_claim=settings.oidc_username_claim,
            username_prefix=settings.oidc_username_prefix or "",
            groups_claim=settings.oidc_groups_claim or "",
            groups_prefix=settings.oidc_groups_prefix,
            ca_file=settings.oidc_ca_file,
        )
    )


async def serve(settings: ServerSettings) -> None:
    """Run until SIGTERM or SIGINT."""
    server = Server(settings)
    stopped = asyncio.Event()
    on_signals(asyncio.get_running_loop(), (signal.SIGTERM, signal.SIGINT), stopped.set)
    await server.start()
    log.info("serving %s", settings.url)
    await stopped.wait()
    await server.stop()
