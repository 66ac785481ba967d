"""`windlass manager`: the controllers alone, in the foreground, against the embedded server or a cluster."""

import asyncio

import click

from windlass.cli.datadir import DataDir
from windlass.cli.settings import ManagerSettings, takes
from windlass.cli.supervised import end_with_supervisor, set_up_logging, supervised_option


@click.command()
@supervised_option
@takes(ManagerSettings)
def manager(settings: ManagerSettings, supervised: bool) -> None:
    """Run the controllers alone, in the foreground.

    Against the server of this data dir, or with --kubeconfig against a cluster.
    """
    set_up_logging(settings.debug)
    if supervised:
        end_with_supervisor()
    asyncio.run(_run(settings))


async def _run(settings: ManagerSettings) -> None:
    from windlass.controllers import CONTROLLERS
    from windlass.kube.connect import by_kubeconfig, by_socket
    from windlass.kube.manager import run_manager

    if settings.kubeconfig is not None:
        client = await by_kubeconfig(settings.kubeconfig, context=settings.context or "")
    else:
        client = by_socket(DataDir(settings.data_dir).socket)
    await run_manager(client, CONTROLLERS)
