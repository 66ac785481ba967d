"""Volcano's controllers: jobs, and the queues, pod groups, cron jobs, flows and hypernodes around them."""

from windlass.apps.volcano.controllers import (
    commands,
    cron_jobs,
    flow_probes,
    hyper_node_service,
    job,
    job_flows,
    pod_group_service,
    queue_service,
)
from windlass.controllers.context import Context
from windlass.kube.controller import AnyController


def app_controllers(context: Context) -> tuple[AnyController, ...]:
    return (
        *job.controllers(),
        queue_service.CONTROLLER,
        queue_service.KUBE_BATCH,
        commands.CONTROLLER,
        pod_group_service.CONTROLLER,
        cron_jobs.CONTROLLER,
        job_flows.CONTROLLER,
        job_flows.TEMPLATES,
        flow_probes.CONTROLLER,
        hyper_node_service.CONTROLLER,
    )
