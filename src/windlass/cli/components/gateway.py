"""`windlass gateway`: login, sessions and the way into pods, in the foreground, on the embedded server or a cluster."""

import asyncio
import signal
from typing import TYPE_CHECKING

import click

from windlass.cli.components.supervised import end_with_supervisor, set_up_logging, supervised_option
from windlass.cli.failure import Failure
from windlass.cli.settings import GatewayFlags, GatewaySettings, data_dir_at, takes
from windlass.supervisor.datadir import DataDir

if TYPE_CHECKING:
    from windlass.gateway import settings as given
    from windlass.kube.client import Client


@click.command()
@supervised_option
@takes(GatewaySettings)
def gateway(settings: GatewaySettings, supervised: bool) -> None:
    """Run only the gateway, in the foreground.

    Before the server of this data dir, or with --kubeconfig before a cluster.
    """
    import uvloop

    set_up_logging(settings.debug)
    if supervised:
        end_with_supervisor()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_run(settings))


async def _run(settings: GatewaySettings) -> None:
    from windlass.gateway.context import GatewayContext
    from windlass.gateway.server import BadCertificate, serving
    from windlass.kube.listening import CannotListen
    from windlass.kube.signals import on_signals

    data = data_dir_at(settings.data_dir)
    stop = asyncio.Event()
    on_signals(asyncio.get_running_loop(), (signal.SIGINT, signal.SIGTERM), stop.set)
    async with await _connect(settings, data) as client:
        context = GatewayContext(settings=gateway_settings(settings), client=client)
        try:
            async with serving(context):
                data.run.mkdir(mode=0o700, parents=True, exist_ok=True)
                data.gateway_mark.touch()
                await stop.wait()
        except CannotListen as error:
            raise Failure(f"{error}. Say where else: --gateway-listen, --gateway-port") from error
        except BadCertificate as error:
            raise Failure(f"--gateway-tls-cert {error}") from error
        finally:
            data.gateway_mark.unlink(missing_ok=True)


def gateway_settings(settings: GatewayFlags) -> "given.GatewaySettings":
    """What the flags say, in the gateway's own terms."""
    from windlass.gateway.settings import GatewaySettings as Given

    if (settings.gateway_tls_cert is None) != (settings.gateway_tls_key is None):
        raise Failure("--gateway-tls-cert and --gateway-tls-key go together", exit_code=2)
    data = data_dir_at(settings.data_dir)
    return Given(
        folder=data.gateway,
        listen=settings.gateway_listen,
        port=settings.gateway_port,
        external_url=settings.external_url or "",
        tls_cert=settings.gateway_tls_cert,
        tls_key=settings.gateway_tls_key,
        users_file=settings.users_file,
        insecure_http=settings.insecure_http,
        demo=settings.demo,
        pods_socket=data.pods_socket if is_embedded(settings) else None,
    )


def is_embedded(settings: GatewayFlags) -> bool:
    return not isinstance(settings, GatewaySettings) or (settings.kubeconfig is None and not settings.in_cluster)


async def _connect(settings: GatewaySettings, data: DataDir) -> "Client":
    """A client of the API; it need not answer yet, since the login page does without."""
    from windlass.kube.connect import by_kubeconfig, by_socket, in_cluster

    try:
        if settings.kubeconfig is not None:
            return await by_kubeconfig(settings.kubeconfig, context=settings.context or "")
        if settings.in_cluster:
            return in_cluster()
    except (ValueError, OSError) as error:
        raise Failure(str(error)) from error
    return by_socket(data.socket, token_file=data.gateway_token, user_agent="windlass-gateway")
