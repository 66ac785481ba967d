"""The pipelines app: Argo's Workflows, the schedules of recurring runs, and pipelines as objects."""

from windlass.apis.app import READ, WRITE, App, InstallOption, Rights, UserRules
from windlass.apis.crd import SameSchema, definition
from windlass.apis.stops import Stop, StopOrder
from windlass.apis.wellknown import KUBEFLOW_GROUP, PIPELINES_GROUP
from windlass.apps.pipelines.admission import RULES
from windlass.apps.pipelines.kinds.argo import GROUP as ARGO_GROUP
from windlass.apps.pipelines.kinds.argo import ClusterWorkflowTemplate, CronWorkflow, Workflow, WorkflowTemplate
from windlass.apps.pipelines.kinds.pipeline import Pipeline, PipelineVersion
from windlass.apps.pipelines.kinds.scheduled_workflow import ScheduledWorkflow
from windlass.apps.pipelines.names import ARTIFACT_SECRET, COMPLETED_LABEL
from windlass.apps.pipelines.options import PipelineOptions
from windlass.apps.pipelines.pod_services import provided
from windlass.kube.json import Object

_ARGO = f"{ARGO_GROUP} | workflows workflowtemplates cronworkflows"
_SCHEDULES = "kubeflow.org | scheduledworkflows"
_OBJECTS = f"{PIPELINES_GROUP} | pipelines pipelineversions"
_RECORDS = "experiments runs jobs"
"""Resources that only access reviews of the pipelines API name: there are no objects of them."""
_RECORD_VERBS = "create delete update get list archive unarchive terminate retry enable disable readArtifact"
_REPORTING = "reportMetrics report"


_MANAGER_RIGHTS: Rights = {
    ARGO_GROUP: {
        "workflows": "get list watch create patch delete",
        "workflows/finalizers": "update",  # to name a Workflow as an owner that waits, where that is guarded
        "workflowtemplates clusterworkflowtemplates": "list watch",
    },
    "": {
        "pods": "list watch get create delete",
        "persistentvolumeclaims": "get create patch delete",
        "persistentvolumes": "get",
        "pods/log": "get",  # logs of finished tasks are kept
        "configmaps": "get",  # kfp-launcher: its object stores; parameters, limits and caches of Workflows
        "secrets": "get",  # the credentials that kfp-launcher names
        "serviceaccounts": "list impersonate",  # resource templates act as the Workflow's account; a schedule has one
    },
    "policy": {"poddisruptionbudgets": "create delete"},
    KUBEFLOW_GROUP: {"scheduledworkflows": "get"},  # the controller's declaration gives the others
}


def definitions() -> list[Object]:
    """Return all definitions, ready to create."""
    return [
        *(definition(kind) for kind in (Workflow, WorkflowTemplate, ClusterWorkflowTemplate, CronWorkflow)),
        definition(ScheduledWorkflow, SameSchema("v2beta1")),
        definition(Pipeline),
        definition(PipelineVersion),
    ]


APP = App(
    name="pipelines",
    definitions=definitions,
    controllers="windlass.apps.pipelines.controllers",
    schemes=frozenset({"pipelines"}),
    user_rules=(
        UserRules(
            role="pipelines",
            edit=(
                f"{WRITE} | {_ARGO}",
                f"{READ} | {ARGO_GROUP} | clusterworkflowtemplates",
                f"{WRITE} | {_SCHEDULES}",
                f"{WRITE} | {_OBJECTS}",
                f"{_RECORD_VERBS} {_REPORTING} | {PIPELINES_GROUP} | {_RECORDS}",
                f"create | {PIPELINES_GROUP} | visualizations",
                "create get delete | kubeflow.org | viewers",
            ),
            view=(
                f"{READ} | {_ARGO} clusterworkflowtemplates",
                f"{READ} | {_SCHEDULES}",
                f"{READ} | {_OBJECTS}",
                f"get list readArtifact | {PIPELINES_GROUP} | {_RECORDS}",
                "get | kubeflow.org | viewers",
            ),
        ),
    ),
    provided=provided,
    rules=RULES,
    manager_rights=_MANAGER_RIGHTS,
    controllers_declare_rights=True,
    install_option=InstallOption(
        flag="pipelines", help="Pipelines: Workflows, recurring runs and their controllers too."
    ),
    required=(Workflow,),
    web="windlass.apps.pipelines.web",
    # The account that a run uses by default, the claim with its artifacts, and the keys of the S3 endpoint for pods.
    gateway_rules=("get | core | persistentvolumeclaims serviceaccounts",),
    embedded_gateway_rules=(f"get | core | secrets | {ARTIFACT_SECRET}",),
    options=PipelineOptions,
    deployment="windlass.apps.pipelines.deployment",
    stops=(
        Stop(kind=ScheduledWorkflow, order=StopOrder.SCHEDULE, path=("spec", "enabled"), value=False),
        Stop(kind=CronWorkflow, order=StopOrder.SCHEDULE),
        Stop(
            kind=Workflow,
            order=StopOrder.WORKFLOW,
            labels=f"{COMPLETED_LABEL}!=true",
            started_by=(ScheduledWorkflow, CronWorkflow),
        ),
    ),
)
