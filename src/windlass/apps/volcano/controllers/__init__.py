"""Volcano's controllers: jobs, and the queues, pod groups, cron jobs, flows and hypernodes around them."""

from windlass.apps.volcano.controllers import cron_jobs, job
from windlass.apps.volcano.controllers.flows import flow_probes, job_flows
from windlass.apps.volcano.controllers.hyper_nodes import hyper_node_service
from windlass.apps.volcano.controllers.pod_groups import pod_group_service
from windlass.apps.volcano.controllers.queues import command_service, queue_service
from windlass.controllers.context import Context
from windlass.kube.controller import AnyController


def app_controllers(context: Context) -> tuple[AnyController, ...]:
    return (
        *job.controllers(),
        queue_service.CONTROLLER,
        queue_service.KUBE_BATCH,
        command_service.CONTROLLER,
        pod_group_service.CONTROLLER,
        cron_jobs.CONTROLLER,
        job_flows.CONTROLLER,
        job_flows.TEMPLATES,
        flow_probes.CONTROLLER,
        hyper_node_service.CONTROLLER,
    )
