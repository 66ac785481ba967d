"""`windlass scheduler`: run only the gang scheduler, next to the scheduler of a cluster, in the foreground."""

import asyncio
from typing import TYPE_CHECKING, cast

import click

from windlass.cli.components.own_namespace import own_namespace
from windlass.cli.components.supervised import set_up_logging
from windlass.cli.failure import Failure
from windlass.cli.settings import SchedulerFlags, SchedulerSettings, takes

if TYPE_CHECKING:
    from windlass.kube.client import Client
    from windlass.scheduler.framework.conf import Conf
    from windlass.scheduler.live.options import Options

LEASE = "windlass-scheduler"


@click.command()
@takes(SchedulerSettings)
def scheduler(settings: SchedulerSettings) -> None:
    """Run only the gang scheduler, next to a cluster's own scheduler.

    Schedules pods whose schedulerName is volcano, kube-batch or scheduler-plugins, and binds them through the API.
    """
    set_up_logging(settings.debug)
    if settings.kubeconfig is None and not settings.in_cluster:
        raise Failure("--kubeconfig FILE or --in-cluster is required. The embedded server already has a scheduler")
    asyncio.run(_run(settings, options_of(settings)))


async def _run(settings: SchedulerSettings, options: "Options") -> None:
    from windlass.kube.lease import LostLeadership
    from windlass.kube.listening import CannotListen
    from windlass.kube.manager import run_manager
    from windlass.scheduler.live.service import scheduler as service

    client = await _connect(settings)
    try:
        await run_manager(
            client,
            (service(options),),
            leader_elect=settings.leader_elect == "true",
            lease_namespace=settings.leader_elect_resource_namespace or own_namespace(settings.in_cluster),
            lease_name=LEASE,
            metrics_address=settings.listen_address,
            probe_address=settings.healthz_address,
        )
    except LostLeadership as error:
        raise Failure(f"{error}. This scheduler is no longer the leader, so it exits; start it again") from error
    except CannotListen as error:
        raise Failure(f"{error}. Choose another with --listen-address or --healthz-address") from error


async def _connect(settings: SchedulerSettings) -> "Client":
    from windlass.kube.connect import by_kubeconfig, in_cluster

    try:
        if settings.kubeconfig is not None:
            return await by_kubeconfig(settings.kubeconfig, context=settings.context or "")
        return in_cluster()
    except (ValueError, OSError) as error:
        raise Failure(str(error)) from error


def options_of(settings: SchedulerSettings) -> "Options":
    """The scheduler's options; errors name the flag."""
    from windlass.kube.selector import parse_labels
    from windlass.scheduler.live.options import GANG_SCHEDULERS, Options
    from windlass.scheduler.model.parsing import duration_of
    from windlass.scheduler.model.pod_groups import SERVED

    unknown = [name for name in settings.scheduler_name if name not in SERVED]
    if unknown:
        raise Failure(
            f"--scheduler-name: {', '.join(unknown)} is not supported; choose from {', '.join(sorted(SERVED))}"
        )
    period = duration_of(settings.schedule_period)
    if period is None:
        raise Failure(f"--schedule-period: {settings.schedule_period!r} is not a time such as 500ms or 1s")
    try:
        parse_labels(settings.node_selector)
    except ValueError as error:
        raise Failure(f"--node-selector: {error}") from error
    return Options(
        names=frozenset(settings.scheduler_name) or GANG_SCHEDULERS,
        conf=conf_of(settings),
        node_selector=settings.node_selector,
        period=period,
        default_queue=settings.default_queue,
        priority_classes=settings.priority_class == "true",
    )


def conf_of(settings: SchedulerFlags) -> "Conf":
    """The configuration in the given file, or the default one with the chosen preemption."""
    from windlass.scheduler.framework.conf import BadConf, Preemption, windlass

    path = settings.scheduler_conf
    if path is None:
        return windlass(cast(Preemption, settings.preemption))
    from windlass.scheduler.cycle.gang_cycle import read_conf  # all plugins, which the default does not need yet

    try:
        conf = read_conf(path.read_text())
    except (OSError, UnicodeDecodeError, BadConf) as error:
        raise Failure(f"--scheduler-conf {path}: {error}") from error
    for warning in conf.warnings:
        click.echo(click.style("  ! ", fg="yellow") + f"{path}: {warning}", err=True)
    return conf
