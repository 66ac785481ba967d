"""The webhooks of a manager that works against a cluster, as its settings say. The embedded server needs none."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from windlass.cli.failure import Failure
from windlass.cli.own_namespace import own_namespace
from windlass.cli.settings import ManagerSettings

if TYPE_CHECKING:
    from windlass.kube.client import Client
    from windlass.webhooks.keeping import Certificates, Trusting
    from windlass.webhooks.reviews import AskingHandler, Handler
    from windlass.webhooks.server import Handlers

PORT = 9443
NAMESPACE = "windlass"  # where the manifests put the manager if they are not told otherwise


def port_of(settings: ManagerSettings) -> int:
    """Where webhooks are served; 0 for nowhere. Only a manager inside the cluster serves them unasked."""
    if settings.webhook_port is not None:
        return settings.webhook_port
    return PORT if settings.in_cluster else 0


@asynccontextmanager
async def webhooks(
    settings: ManagerSettings, client: "Client", *, with_volcano: bool, with_trainer: bool = False
) -> AsyncGenerator[None]:
    """Served while the block runs, whether this manager leads or stands by: any of them may be asked."""
    port = port_of(settings)
    if not port:
        yield
        return
    from windlass.kube.listening import CannotListen
    from windlass.webhooks.keeping import trusting
    from windlass.webhooks.server import serving

    async with AsyncExitStack() as stack:
        try:
            trusted_by = trusting(with_volcano=with_volcano, with_trainer=with_trainer)
            certificates = _certificates(settings, client, trusted_by)
            handlers = _handlers(client, with_volcano, with_trainer)
            await stack.enter_async_context(serving(certificates, port, handlers=handlers))
        except CannotListen as error:
            raise Failure(f"{error}. Say where else: --webhook-port; 0 is nowhere") from error
        yield


def _handlers(client: "Client", with_volcano: bool, with_trainer: bool) -> "Handlers":
    from windlass.webhooks.paths import HANDLERS

    handlers: dict[str, Handler | AskingHandler] = {**HANDLERS}
    if with_volcano:
        from windlass.apiserver.builtin.volcano_checks import CHECKS
        from windlass.webhooks.volcano_asking import volcano_handlers

        handlers |= volcano_handlers(client, CHECKS)
    if with_trainer:
        from windlass.apiserver.builtin.job_templates import job_template_causes
        from windlass.webhooks.trainer_asking import trainer_handlers

        handlers |= trainer_handlers(client, job_template_causes)
    return handlers


def _certificates(settings: ManagerSettings, client: "Client", trusted_by: "Trusting") -> "Certificates":
    from windlass.kube.meta import Key
    from windlass.webhooks.asked import Service
    from windlass.webhooks.keeping import FileCertificates, SecretCertificates

    if settings.webhook_cert_dir is not None:
        return FileCertificates(client, settings.webhook_cert_dir, trusted_by)
    namespace = settings.webhook_namespace or own_namespace(settings.in_cluster) or NAMESPACE
    service = Service(name=settings.webhook_service_name, namespace=namespace)
    names = (*service.host_names, "localhost", "127.0.0.1")
    return SecretCertificates(client, Key(namespace, settings.webhook_secret_name), names, trusted_by)
