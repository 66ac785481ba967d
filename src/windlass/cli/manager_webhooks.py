"""The webhooks of a manager that works against a cluster, as its settings say. The embedded server needs none."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from windlass.cli.failure import Failure
from windlass.cli.own_namespace import own_namespace
from windlass.cli.settings import ManagerSettings

if TYPE_CHECKING:
    from windlass.kube.client import Client
    from windlass.webhooks.keeping import Certificates
    from windlass.webhooks.server import Handlers

PORT = 9443
NAMESPACE = "windlass"  # where the manifests put the manager if they are not told otherwise


def port_of(settings: ManagerSettings) -> int:
    """Where webhooks are served; 0 for nowhere. Only a manager inside the cluster serves them unasked."""
    if settings.webhook_port is not None:
        return settings.webhook_port
    return PORT if settings.in_cluster else 0


@asynccontextmanager
async def webhooks(settings: ManagerSettings, client: "Client", *, with_volcano: bool) -> AsyncGenerator[None]:
    """Served while the block runs, whether this manager leads or stands by: any of them may be asked."""
    port = port_of(settings)
    if not port:
        yield
        return
    from windlass.kube.listening import CannotListen
    from windlass.webhooks.server import serving

    async with AsyncExitStack() as stack:
        try:
            certificates = _certificates(settings, client, with_volcano)
            await stack.enter_async_context(serving(certificates, port, handlers=_handlers(client, with_volcano)))
        except CannotListen as error:
            raise Failure(f"{error}. Say where else: --webhook-port; 0 is nowhere") from error
        yield


def _handlers(client: "Client", with_volcano: bool) -> "Handlers":
    from windlass.webhooks.paths import HANDLERS

    if not with_volcano:
        return HANDLERS
    from windlass.apiserver.builtin.volcano_checks import CHECKS
    from windlass.webhooks.volcano_asking import volcano_handlers

    return {**HANDLERS, **volcano_handlers(client, CHECKS)}


def _certificates(settings: ManagerSettings, client: "Client", with_volcano: bool) -> "Certificates":
    from windlass.kube.meta import Key
    from windlass.webhooks.configuration import Service
    from windlass.webhooks.keeping import TRAINING, VOLCANO, FileCertificates, SecretCertificates

    trusting = (*TRAINING, *VOLCANO) if with_volcano else TRAINING
    if settings.webhook_cert_dir is not None:
        return FileCertificates(client, settings.webhook_cert_dir, trusting)
    namespace = settings.webhook_namespace or own_namespace(settings.in_cluster) or NAMESPACE
    service = Service(name=settings.webhook_service_name, namespace=namespace)
    names = (*service.host_names, "localhost", "127.0.0.1")
    return SecretCertificates(client, Key(namespace, settings.webhook_secret_name), names, trusting)
