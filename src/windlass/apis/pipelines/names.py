"""Labels, annotations and well-known names of pipelines; those of Kubeflow and Argo, and a few of Windlass."""

RUN_ID_LABEL = "pipeline/runid"
RUN_NAME_ANNOTATION = "pipelines.kubeflow.org/run_name"
V2_COMPONENT = "pipelines.kubeflow.org/v2_component"
"""A label and an annotation of the pods of tasks."""
DEFAULT_EXPERIMENT = "Default"

WORKFLOW_LABEL = "workflows.argoproj.io/workflow"
COMPLETED_LABEL = "workflows.argoproj.io/completed"
PHASE_LABEL = "workflows.argoproj.io/phase"

SCHEDULED_LABEL = "scheduledworkflows.kubeflow.org/isOwnedByScheduledWorkflow"
SCHEDULE_NAME_LABEL = "scheduledworkflows.kubeflow.org/scheduledWorkflowName"
SCHEDULED_AT_LABEL = "scheduledworkflows.kubeflow.org/workflowEpoch"
"""The time for which the run was scheduled, in seconds since 1970."""
SCHEDULED_INDEX_LABEL = "scheduledworkflows.kubeflow.org/workflowIndex"

IR_LABEL = "pipelines.windlass.dev/ir"
"""`true` on a Workflow that stands for the run of a pipeline in IR: its tasks are not templates of the Workflow."""
TASK_LABEL = "pipelines.windlass.dev/task-id"
RETRIES_ANNOTATION = "pipelines.windlass.dev/retries"
"""How often a user has retried the run; a change runs again what has failed."""
FAIL_FAST_ANNOTATION = "windlass.dev/fail-fast"
PACKAGES_ANNOTATION = "images.windlass.dev/packages"
"""Requirements, one a line, that the pod's main container installs when it starts. The node adds them to the
environment of its image, so that pip finds them satisfied. A line `--no-deps` applies to the lines after it."""

ARTIFACTS_CLAIM = "pipeline-artifacts"
"""The claim of a namespace in which an embedded Windlass keeps the artifacts of its runs."""
LAUNCHER_CONFIG_MAP = "kfp-launcher"
ARTIFACT_SECRET = "mlpipeline-minio-artifact"
DEFAULT_PIPELINE_ROOT = "minio://mlpipeline/v2/artifacts"
SYSTEM_NAMESPACE = "kubeflow"
API_SERVICE = "ml-pipeline"
API_PORT = 8888
RUNNER_ACCOUNT, PROFILE_ACCOUNT = "pipeline-runner", "default-editor"
PIPELINES_GROUP = "pipelines.kubeflow.org"
