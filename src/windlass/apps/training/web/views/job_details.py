"""The view of one training job. Pure: `windlass explain`'s answer is given."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from shlex import quote

import msgspec

from windlass.apps.tensorboards.kinds import claim_of
from windlass.apps.training.jobs.control.restart import copy_name
from windlass.apps.training.jobs.control.suspend import is_suspended, requests_suspension
from windlass.apps.training.jobs.state.lookup import VOLCANO, display_name
from windlass.apps.training.web.structs.job import Explanation, GangState, JobView, RelatedObject, ReplicaRow
from windlass.apps.training.web.structs.jobs import JobRow
from windlass.apps.training.web.views.job_rows import ENDED, JobObjects, job_row, times
from windlass.apps.training.web.views.pods_of_jobs import is_volcano, label_of
from windlass.apps.training.web.views.replicas import replica_rows
from windlass.apps.training.web.views.stages import conditions, stages
from windlass.gateway.views.claims import claims_in
from windlass.gateway.views.events import event_rows
from windlass.gateway.views.links import object_page
from windlass.gateway.views.parts import Command, Usage, Why
from windlass.gateway.views.reading import name_of, namespace_of, reference, text, whole
from windlass.gateway.views.visibility import Visible
from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.kube.kind import Kind


@dataclass(frozen=True)
class JobSurroundings:
    """What a job's page shows besides the row's objects, all of the job's namespace."""

    events: Sequence[Object] = ()
    services: Sequence[Object] = ()
    claims: Sequence[Object] = ()
    boards: Sequence[Object] = ()
    usage: Mapping[str, Usage] = field(default_factory=dict[str, Usage])
    """By the uid of the pod."""
    explanation: Explanation | None = None


def job_view(
    kind: Kind, job: Object, objects: JobObjects, around: JobSurroundings, visible: Visible, now: datetime
) -> JobView:
    row = job_row(job, objects, visible, now)
    pods, group = objects.belongings.pods_of(job), objects.belongings.group_of(job)
    moments = times(job, objects.belongings.batch_jobs_of(job), row.state)
    suspended = is_suspended(kind, job) or (kind != VOLCANO and requests_suspension(job))
    uids = {row.uid, *(text(dig(each, "metadata", "uid")) for each in pods)}
    if group is not None:
        uids.add(text(dig(group, "metadata", "uid")))
    return JobView(
        row=row,
        sentence=sentence(row, around.explanation),
        stages=stages(job, pods, group, row.state, moments, now),
        conditions=conditions(job),
        replicas=tuple(
            _waiting_with_gang(one, row.why)
            for one in replica_rows(job, pods, row.roles, around.usage, ended=row.state in ENDED)
        ),
        gang=_gang(group, around.explanation),
        events=event_rows(around.events, uids),
        related=tuple(_related(job, pods, group, around)),
        commands=tuple(commands(kind, row)),
        can_suspend=kind.name != "ChainerJob" and row.state not in (*ENDED, "Terminating"),
        is_suspended=suspended,
    )


def _waiting_with_gang(replica: ReplicaRow, why: Why | None) -> ReplicaRow:
    """A pod without a node waits for what its gang waits for, of which the job knows more than the pod's condition."""
    own = replica.why
    if own is None or own.reason is not None or replica.pod == "" or replica.node != "":
        return replica
    if why is None or why.reason is None:
        return replica
    return msgspec.structs.replace(replica, why=msgspec.structs.replace(why, code=own.code))


def sentence(row: JobRow, explanation: Explanation | None) -> str:
    """What the job is doing, or why it does not."""
    if explanation is not None and explanation.state == "Waiting":
        return explanation.summary
    if row.why is not None:
        return row.why.sentence
    match row.state:
        case "Running":
            return f"{row.ready} of {row.total} replicas are running"
        case "Succeeded":
            return f"{row.ready} of {row.total} replicas succeeded"
        case "Suspended":
            return "Suspended: it has no pods until it is resumed"
        case "Restarting":
            return "Restarting after a replica failed"
        case "Terminating":
            return "Being deleted"
        case _:
            return "Its pods are being created"


def _gang(group: Object | None, explanation: Explanation | None) -> GangState | None:
    if group is None:
        return None
    return GangState(
        object=reference(group, kind="PodGroup"),
        min_member=whole(dig(group, "spec", "minMember")),
        phase=text(dig(group, "status", "phase")),
        queue=text(dig(group, "spec", "queue")) or "default",
        running=whole(dig(group, "status", "running")),
        succeeded=whole(dig(group, "status", "succeeded")),
        failed=whole(dig(group, "status", "failed")),
        explanation=explanation,
    )


def _related(
    job: Object, pods: Sequence[Object], group: Object | None, around: JobSurroundings
) -> Iterator[RelatedObject]:
    if group is not None:
        yield _object(group, "gang", "PodGroup", "scheduling.volcano.sh/v1beta1", text(dig(group, "status", "phase")))
    yield from (_object(each, "service", "Service", "v1", "") for each in around.services if _belongs(each, job))
    claims = mounted_claims(job, pods)
    for each in around.claims:
        if name_of(each) in claims:
            yield _object(each, "claim", "PersistentVolumeClaim", "v1", text(dig(each, "status", "phase")))
    for each in around.boards:
        if claim_of(text(dig(each, "spec", "logspath"))) in claims:
            ready = "Ready" if whole(dig(each, "status", "readyReplicas")) else "Starting"
            yield _object(each, "tensorboard", "Tensorboard", "tensorboard.kubeflow.org/v1alpha1", ready)
    for owner in dig_list(job, "metadata", "ownerReferences"):
        named = {"name": dig(owner, "name"), "uid": dig(owner, "uid"), "namespace": namespace_of(job)}
        parent: Object = {"apiVersion": dig(owner, "apiVersion"), "kind": dig(owner, "kind"), "metadata": named}
        yield _object(parent, "owner", "", "", "")


def mounted_claims(job: Object, pods: Iterable[Object]) -> frozenset[str]:
    """The claims that a job's spec names or its pods mount, without the empty name."""
    found = {*claims_in(dig_object(job, "spec"))}
    for pod in pods:
        found.update(claims_in(dig_object(pod, "spec")))
    return frozenset(found - {""})


def _object(obj: Object, role: str, kind: str, api_version: str, state: str) -> RelatedObject:
    ref = reference(obj, kind=kind, api_version=api_version)
    link = object_page(ref.api_version, ref.kind, ref.namespace, ref.name)
    return RelatedObject(object=ref, role=role, state=state, link=link)  # pyright: ignore[reportArgumentType] - literals of this module


def _belongs(service: Object, job: Object) -> bool:
    owned = text(dig(job, "metadata", "uid")) in (
        dig(owner, "uid") for owner in dig_list(service, "metadata", "ownerReferences")
    )
    label = label_of(job)
    labelled = name_of(job) in (
        dig(service, "metadata", "labels", label),
        dig(service, "spec", "selector", label),
    )
    return owned or labelled


def commands(kind: Kind, row: JobRow) -> Iterator[Command]:
    """Command lines that do what the page's buttons do."""
    where, name = quote(row.namespace), quote(row.name)
    resource = "vcjob" if is_volcano({"apiVersion": row.api_version}) else display_name(kind)
    yield Command(action="get", tool="kubectl", line=f"kubectl get -n {where} {resource} {name} -o yaml")
    yield Command(action="explain", tool="windlass", line=f"windlass explain {resource} {name} -n {where}")
    yield Command(action="delete", tool="kubectl", line=f"kubectl delete -n {where} {resource} {name}")
    force = "" if row.state in ENDED else " --force"
    restart = f"windlass job restart {resource}/{name} -n {where}{force}"
    yield Command(action="restart", tool="windlass", line=restart)
    rename = quote(f"s/^  name: {row.name}$/  name: {copy_name(row.name)}/")
    clone = f"kubectl get -n {where} {resource} {name} -o yaml | sed {rename} | kubectl create -f -"
    yield Command(action="clone", tool="kubectl", line=clone)
    if kind != VOLCANO:
        yield Command(action="logs", tool="windlass", line=f"windlass logs {kind.name.lower()}/{name} -n {where} -f")
        yield Command(action="python", tool="python", line=python_line(kind, row))
    if kind.name != "ChainerJob":
        for action in ("suspend", "resume"):
            yield Command(action=action, tool="windlass", line=f"windlass job {action} {resource}/{name} -n {where}")


def python_line(kind: Kind, row: JobRow) -> str:
    if kind.name == "TrainJob":
        return f"TrainerClient(KubernetesBackendConfig(namespace={row.namespace!r})).get_job({row.name!r})"
    return f"TrainingClient(namespace={row.namespace!r}, job_kind={kind.name!r}).get_job({row.name!r})"
