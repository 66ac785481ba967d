"""argoproj.io/v1alpha1: Workflows, their templates, and the schedules that create them.

`windlass.apps.pipelines.workflow_schema` has the fields of their specs, which stay plain JSON: a template is text with
tags until its inputs are known. As in Argo, none of them has a status subresource.
"""

from typing import Annotated, Any, TypeAlias

from windlass.apps.pipelines.workflow_schema import CRON_SPEC, STATUS, WORKFLOW_SPEC, published
from windlass.kube.kind import Column, kind
from windlass.kube.meta import Meta, Object

GROUP = "argoproj.io"
GROUP_VERSION = f"{GROUP}/v1alpha1"

WorkflowSpec: TypeAlias = Annotated[dict[str, Any], Meta(extra_json_schema=published(WORKFLOW_SPEC))]
CronWorkflowSpec: TypeAlias = Annotated[dict[str, Any], Meta(extra_json_schema=published(CRON_SPEC))]
Status: TypeAlias = Annotated[dict[str, Any], Meta(extra_json_schema=STATUS)]


@kind(
    GROUP_VERSION,
    plural="workflows",
    short=("wf",),
    status=False,
    columns=(
        Column("Status", ".status.phase", description="Status of the workflow"),
        Column("Age", ".status.startedAt", "date", format="date-time", description="When the workflow was started"),
        Column("Message", ".status.message", description="Human readable message about the phase"),
        Column("Progress", ".status.progress", priority=1, description="Pods that have succeeded, of all"),
        Column("Started", ".status.startedAt", priority=1, description="When the workflow was started"),
        Column("Finished", ".status.finishedAt", priority=1, description="When the workflow ended"),
        Column("Suspended", ".spec.suspend", "boolean", priority=1, description="Whether no further node starts"),
        Column("Shutdown", ".spec.shutdown", priority=1, description="How the workflow was asked to end"),
    ),
)
class Workflow(Object):
    """One execution of templates: containers, graphs, steps, actions on objects."""

    spec: WorkflowSpec = {}
    status: Status = {}


@kind(GROUP_VERSION, plural="workflowtemplates", short=("wftmpl",), status=False)
class WorkflowTemplate(Object):
    """Templates that Workflows of the namespace refer to."""

    spec: WorkflowSpec = {}


@kind(GROUP_VERSION, plural="clusterworkflowtemplates", short=("clusterwftmpl", "cwft"), status=False, namespaced=False)
class ClusterWorkflowTemplate(Object):
    """Templates that Workflows of all namespaces refer to."""

    spec: WorkflowSpec = {}


@kind(GROUP_VERSION, plural="cronworkflows", short=("cwf", "cronwf"), status=False)
class CronWorkflow(Object):
    """Creates a Workflow at each moment of its schedules."""

    spec: CronWorkflowSpec = {}
    status: Status = {}
