"""`windlass manager`: run controllers and scheduler in the foreground, for the embedded server or a cluster."""

import asyncio
import os
import time
from typing import TYPE_CHECKING

import click

from windlass.cli import screen
from windlass.cli.components.app_options import read_options
from windlass.cli.components.manager_apps import app_controllers, enabled_schemes
from windlass.cli.components.manager_webhooks import webhooks
from windlass.cli.components.own_namespace import own_namespace
from windlass.cli.components.supervised import end_with_supervisor, set_up_logging, supervised_option
from windlass.cli.failure import Failure
from windlass.cli.manager_settings import ManagerSettings
from windlass.cli.settings import data_dir_at, takes
from windlass.supervisor.child import POLL_INTERVAL_SECONDS, answers_ready
from windlass.supervisor.datadir import DataDir

if TYPE_CHECKING:
    from windlass.kube.client import Client
    from windlass.kube.controller import AnyController

SERVER_TIMEOUT_SECONDS = 60.0  # how long a supervised manager waits for the server that starts beside it
METRICS, PROBES = ":8080", ":8081"  # on a cluster; where others' operators have them
ADDRESS_HINT = "Choose another with --metrics-bind-address or --health-probe-bind-address; 0 disables it"


@click.command()
@supervised_option
@takes(ManagerSettings)
def manager(settings: ManagerSettings, supervised: bool) -> None:
    """Run only the controllers, in the foreground.

    Uses the server of this data dir, or with --kubeconfig a cluster.
    """
    from windlass.kube.light_aiohttp import import_aiohttp

    set_up_logging(settings.debug)
    if supervised:
        end_with_supervisor()
    import_aiohttp()
    asyncio.run(_run(settings, server_timeout=SERVER_TIMEOUT_SECONDS if supervised else 0.0))


async def _run(settings: ManagerSettings, server_timeout: float) -> None:
    from windlass.kube.errors import ApiError
    from windlass.kube.lease import LostLeadership
    from windlass.kube.listening import OFF, CannotListen
    from windlass.kube.manager import run_manager

    data = data_dir_at(settings.data_dir)
    is_embedded = settings.kubeconfig is None and not settings.in_cluster
    schemes = enabled_schemes(settings)
    options = read_options(os.environ, data.root if is_embedded else None, settings)
    if is_embedded and settings.namespace:
        raise Failure(
            "--namespace requires --kubeconfig or --in-cluster: the embedded server needs its controllers in "
            "all namespaces"
        )
    client = await _connect(settings, data, server_timeout)
    try:
        if is_embedded:
            data.manager_ready_file.touch()
        async with webhooks(settings, client, schemes) as reviews:

            async def choose() -> "tuple[AnyController, ...]":
                chosen = await app_controllers(settings, client, schemes, options, is_embedded=is_embedded)
                if reviews is not None:
                    await reviews.until_trusted()  # what the controllers write is reviewed, too
                return (*_embedded_controllers(settings), *chosen) if is_embedded else chosen

            home = settings.leader_election_namespace or settings.namespace or own_namespace(settings.in_cluster)
            await run_manager(
                client,
                choose,
                namespace=settings.namespace,
                leader_elect=settings.leader_elect == "true" if settings.leader_elect else not is_embedded,
                lease_namespace=home,
                metrics_address=settings.metrics_bind_address or (OFF if is_embedded else METRICS),
                probe_address=settings.health_probe_bind_address or (OFF if is_embedded else PROBES),
            )
    except LostLeadership as error:
        raise Failure(f"{error}. This manager is no longer the leader, so it exits; start it again") from error
    except CannotListen as error:
        raise Failure(f"{error}. {ADDRESS_HINT}") from error
    except ApiError as error:
        raise Failure(f"cannot list the API resources of the cluster: {error}") from error
    finally:
        await client.close()
        if is_embedded:
            data.manager_ready_file.unlink(missing_ok=True)


def _embedded_controllers(settings: ManagerSettings) -> "tuple[AnyController, ...]":
    """Controllers that a cluster already has; there, the scheduler's code is not even loaded."""
    from windlass.cli.components.scheduler import conf_of
    from windlass.controllers import EMBEDDED
    from windlass.scheduler.live.on_demand import scheduler_on_demand
    from windlass.scheduler.live.options import Options

    return (*EMBEDDED, scheduler_on_demand(Options(conf=conf_of(settings))))


async def _connect(settings: ManagerSettings, data: DataDir, server_timeout: float) -> "Client":
    from windlass.kube.connect import by_kubeconfig, by_socket, in_cluster

    try:
        if settings.kubeconfig is not None:
            return await by_kubeconfig(settings.kubeconfig, context=settings.context or "")
        if settings.in_cluster:
            return in_cluster()
    except (ValueError, OSError) as error:
        raise Failure(str(error)) from error
    until = time.monotonic() + server_timeout
    while not await answers_ready(data.socket):
        if time.monotonic() >= until:
            raise Failure(
                f"no API server is running on {screen.short_path(data.root)}. Start one (windlass up), "
                "or use --kubeconfig"
            )
        await asyncio.sleep(POLL_INTERVAL_SECONDS)
    return by_socket(data.socket, token_file=data.manager_token)
