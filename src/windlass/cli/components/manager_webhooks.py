"""The webhooks of a manager that runs against a cluster. The embedded server needs none."""

import os
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from windlass.apps import all_apps
from windlass.cli.components.app_options import use_options
from windlass.cli.components.own_namespace import own_namespace
from windlass.cli.failure import Failure
from windlass.cli.manager_settings import ManagerSettings

if TYPE_CHECKING:
    from windlass.kube.client import Client
    from windlass.webhooks.configuration import Named
    from windlass.webhooks.server import Webhooks
    from windlass.webhooks.trust import Certificates

PORT = 9443
NAMESPACE = "windlass"  # where the manifests put the manager by default


def port_of(settings: ManagerSettings) -> int:
    """The port of the webhooks, or 0. By default only a manager inside the cluster serves them."""
    if settings.webhook_port is not None:
        return settings.webhook_port
    return PORT if settings.in_cluster else 0


@asynccontextmanager
async def webhooks(
    settings: ManagerSettings, client: "Client", schemes: frozenset[str]
) -> "AsyncGenerator[Webhooks | None]":
    """Serve webhooks during the block, on the leader and on standbys, since each may be called."""
    port = port_of(settings)
    if not port:
        yield None
        return
    from windlass.apiserver.builtin.app_checks import checks_of_apps
    from windlass.kube.listening import CannotListen
    from windlass.webhooks.configuration import objects_with_ca
    from windlass.webhooks.handlers import handlers
    from windlass.webhooks.server import serving

    use_options(os.environ)
    apps = [app for app in all_apps() if app.install_option is None or app.schemes & schemes]
    async with AsyncExitStack() as stack:
        try:
            certificates = _certificates(settings, client, objects_with_ca(apps))
            answering = handlers(apps, client, checks_of_apps())
            served = await stack.enter_async_context(serving(certificates, port, answering))
        except CannotListen as error:
            raise Failure(f"{error}. Choose another with --webhook-port; 0 disables webhooks") from error
        yield served


def _certificates(settings: ManagerSettings, client: "Client", with_ca: "list[Named]") -> "Certificates":
    from windlass.kube.meta import Key
    from windlass.webhooks.addresses import Service
    from windlass.webhooks.trust import FileCertificates, SecretCertificates

    if settings.webhook_cert_dir is not None:
        return FileCertificates(client, settings.webhook_cert_dir, with_ca)
    namespace = settings.webhook_namespace or own_namespace(settings.in_cluster) or NAMESPACE
    service = Service(name=settings.webhook_service_name, namespace=namespace)
    names = (*service.host_names, "localhost", "127.0.0.1")
    return SecretCertificates(client, Key(namespace, settings.webhook_secret_name), names, with_ca)
