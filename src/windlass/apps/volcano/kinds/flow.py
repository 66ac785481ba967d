"""flow.volcano.sh/v1alpha1: jobs that run in order, and the templates that they are created from."""

from typing import Annotated, Literal, TypeAlias

from windlass.apis.fields import Count, Foreign, Moment, Name
from windlass.apps.volcano.kinds.batch import Duration, JobSpec, TaskState
from windlass.kube.kind import Column, kind
from windlass.kube.meta import Meta, Object, Struct

GROUP_VERSION = "flow.volcano.sh/v1alpha1"

FlowPhase: TypeAlias = Literal["Pending", "Running", "Succeed", "Failed", "Terminating"]
_Port: TypeAlias = Annotated[int, Meta(ge=0, le=65535)]


class HttpHeader(Struct):
    name: str
    value: str


class HttpGet(Struct):
    """Succeeds when the pods of a task answer a request."""

    task_name: Name = ""
    path: str = ""
    port: _Port = 0
    http_header: HttpHeader | None = None


class TcpSocket(Struct):
    """Succeeds when the pods of a task listen on a port."""

    task_name: Name = ""
    port: _Port


class TaskStatus(Struct):
    """Succeeds when the pods of a task are in a phase."""

    task_name: Name = ""
    phase: Annotated[str, Meta(max_length=63)] = ""


class Probe(Struct):
    """Conditions on the preceding jobs, in addition to their existence."""

    http_get_list: list[HttpGet] = []
    tcp_socket_list: list[TcpSocket] = []
    task_status_list: list[TaskStatus] = []


class DependsOn(Struct):
    """Preceding flows."""

    targets: list[str] = []
    probe: Probe | None = None


class Patch(Struct):
    """Overrides of the template. Fields have no defaults: only fields that are present apply."""

    job_spec: Foreign | None = None


class Flow(Struct):
    """A job of the flow, created from the JobTemplate with this name."""

    name: Annotated[str, Meta(min_length=1)]
    depends_on: DependsOn | None = None
    patch: Patch | None = None


class JobFlowSpec(Struct):
    flows: list[Flow] = []
    job_retain_policy: Literal["retain", "delete"] | None = None


class JobRunningHistory(Struct):
    start_timestamp: Moment | None = None
    end_timestamp: Moment | None = None
    state: str = ""


class FlowJobStatus(Struct):
    name: str = ""
    state: str = ""
    start_timestamp: Moment | None = None
    end_timestamp: Moment | None = None
    restart_count: Count = 0
    running_histories: list[JobRunningHistory] = []


class FlowCondition(Struct):
    phase: str = ""
    create_time: Moment | None = None
    running_duration: Duration | None = None
    task_status_count: dict[str, TaskState] = {}


class FlowState(Struct):
    phase: FlowPhase | None = None


class JobFlowStatus(Struct):
    pending_jobs: list[str] = []
    running_jobs: list[str] = []
    failed_jobs: list[str] = []
    completed_jobs: list[str] = []
    terminated_jobs: list[str] = []
    un_know_jobs: list[str] = []
    job_status_list: list[FlowJobStatus] = []
    conditions: dict[str, FlowCondition] = {}
    state: FlowState = FlowState()


@kind(
    GROUP_VERSION,
    plural="jobflows",
    short=("jf",),
    columns=(Column("Status", ".status.state.phase"), Column("Age", ".metadata.creationTimestamp", "date")),
)
class JobFlow(Object):
    """Creates jobs in order, each after the jobs that it depends on."""

    spec: JobFlowSpec = JobFlowSpec()
    status: JobFlowStatus = JobFlowStatus()


class JobTemplateStatus(Struct):
    job_depends_on_list: list[str] = []


@kind(GROUP_VERSION, plural="jobtemplates", short=("jt",))
class JobTemplate(Object):
    """Spec of the Jobs that flows create."""

    spec: JobSpec = JobSpec()
    status: JobTemplateStatus = JobTemplateStatus()
