"""Asks the pods that flows wait for, through the API server's proxy, and notes on the JobFlow which flows may start."""

from dataclasses import dataclass
from datetime import timedelta

from windlass.apps.volcano.controllers.flows.flow_jobs import job_name
from windlass.apps.volcano.controllers.flows.flow_status import ENDED
from windlass.apps.volcano.controllers.flows.job_flows import PROBED, asks_pods, probed, tasks_of
from windlass.apps.volcano.kinds.batch import Job
from windlass.apps.volcano.kinds.flow import Flow, JobFlow
from windlass.kube.controller import Acting, Api, Observed
from windlass.kube.json import Object as Json
from windlass.kube.kind import KINDS
from windlass.kube.meta import Key

PROBE_INTERVAL = timedelta(seconds=2)
JOB_FLOW = KINDS.of(JobFlow)


@dataclass(frozen=True, slots=True)
class Question:
    """One thing to ask of one pod; without a `path`, whether it listens."""

    pod: Key
    port: int
    path: str | None = None
    headers: tuple[tuple[str, str], ...] = ()


def questions(flow: JobFlow, one: Flow, observed: Observed) -> list[Question] | None:
    """What a flow's probe would have asked now; None while a job that it waits for is not there yet."""
    if one.depends_on is None or one.depends_on.probe is None:
        return []
    found = [observed.one(Job, job_name(flow, target)) for target in one.depends_on.targets]
    if any(job is None for job in found):
        return None
    targets = [job for job in found if job is not None and job.status.state.phase not in ENDED]
    probe = one.depends_on.probe
    asked: list[Question] = []
    for http in probe.http_get_list:
        headers = ((http.http_header.name, http.http_header.value),) if http.http_header is not None else ()
        path = f"/{http.path.lstrip('/')}"
        asked += [Question(pod, http.port, path, headers) for job in targets for pod in pods_of(job, http.task_name)]
    for tcp in probe.tcp_socket_list:
        asked += [Question(pod, tcp.port) for job in targets for pod in pods_of(job, tcp.task_name)]
    return asked


def pods_of(job: Job, task: str) -> list[Key]:
    named = tasks_of(job, task)
    return [
        Key(job.metadata.namespace, f"{job.metadata.name}-{one.name}-{index}")
        for one in job.spec.tasks
        if one.name in named
        for index in range(one.replicas)
    ]


async def act(flow: JobFlow, observed: Observed, api: Api) -> timedelta | None:
    if flow.metadata.deletion_timestamp is not None:
        return None
    asking = [one for one in flow.spec.flows if one.depends_on is not None and asks_pods(one.depends_on)]
    started = {one.name for one in asking if observed.one(Job, job_name(flow, one.name)) is not None}
    waiting = [one for one in asking if one.name not in started | probed(flow)]
    ready = {one.name for one in waiting if await _all_hold(questions(flow, one, observed), api)}
    noted = (probed(flow) | ready) - started  # a job that is deleted and made again waits again
    if noted != probed(flow):
        annotations = {PROBED: ",".join(sorted(noted)) or None}
        metadata: Json = {"annotations": annotations, "resourceVersion": flow.metadata.resource_version}
        await api.patch(JOB_FLOW, flow.metadata.key, {"metadata": metadata})
    return PROBE_INTERVAL if len(ready) < len(waiting) else None


async def _all_hold(asked: list[Question] | None, api: Api) -> bool:
    if not asked:  # there is nobody to ask yet, or nobody any more
        return False
    for question in asked:
        if not await _holds(question, api):
            return False
    return True


async def _holds(question: Question, api: Api) -> bool:
    """An answer of any kind says that something listens; a request wants one that is no error."""
    answer = await api.ask_pod(question.pod, question.port, question.path or "/", dict(question.headers))
    return answer.is_listening if question.path is None else 200 <= answer.code < 400


CONTROLLER = Acting("volcano-jobflow-probe", JobFlow, act, owns=[Job])
