"""The replicas of a job, a cell of the grid for each: those that have a pod, and those that do not yet. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from windlass.apis.wellknown import TASK_SPEC_ANNOTATION
from windlass.apps.jobset.names import REPLICATED_JOB_NAME
from windlass.apps.training.job import JOB_ROLE, REPLICA_INDEX, REPLICA_TYPE
from windlass.apps.training.jobs.state.job_state import replica_name
from windlass.apps.training.jobs.state.progress import main_container
from windlass.apps.training.jobs.state.train_job import POD_INDEX
from windlass.apps.training.web.structs.job import ReplicaRow
from windlass.apps.training.web.structs.jobs import RoleCount
from windlass.apps.training.web.views.job_rows import restarts
from windlass.apps.volcano.names import TASK_INDEX
from windlass.gateway.views.parts import Usage
from windlass.gateway.views.reading import labels_of, name_of, text, time_text, whole
from windlass.gateway.views.whys import pod_why
from windlass.kube.json import Object, dig, dig_list, dig_object

NO_USAGE = Usage(cpu_cores=None, memory_bytes=None)
ABSENT = "Absent"
MAX_ABSENT = 1000
"""Replicas without a pod that are shown; a job's spec may ask for any number."""
_LAST_NUMBER = re.compile(r"-(\d+)$")


def replica_rows(
    job: Object, pods: Sequence[Object], roles: Sequence[RoleCount], usage: Mapping[str, Usage], *, ended: bool
) -> tuple[ReplicaRow, ...]:
    """In the order of the roles, then by index. Replicas without a pod are left out once the job has ended."""
    rows = [_row(job, pod, usage.get(text(dig(pod, "metadata", "uid")), NO_USAGE)) for pod in pods]
    if not ended:
        rows += islice(_absent(roles, {(row.role.lower(), row.index) for row in rows}), MAX_ABSENT)
    order = {one.role.lower(): at for at, one in enumerate(roles)}
    return tuple(sorted(rows, key=lambda row: (order.get(row.role.lower(), len(order)), row.index, row.pod)))


def _absent(roles: Sequence[RoleCount], present: set[tuple[str, int]]) -> Iterator[ReplicaRow]:
    for count in roles:
        for index in range(count.total):
            if (count.role.lower(), index) not in present:
                yield ReplicaRow(
                    role=count.role,
                    index=index,
                    name=f"{count.role.lower()}-{index}",
                    pod="",
                    uid="",
                    node="",
                    phase=ABSENT,
                    ready=False,
                    restarts=0,
                    exit_code=None,
                    why=None,
                    container="",
                    started=None,
                    ended=None,
                    usage=NO_USAGE,
                )


def _row(job: Object, pod: Object, usage: Usage) -> ReplicaRow:
    role, index = role_of(pod)
    container = main_container(pod, text(job.get("kind")))
    status = next(
        (one for one in dig_list(pod, "status", "containerStatuses") if dig(one, "name") == container),
        dict[str, object](),
    )
    ended = dig_object(status, "state", "terminated") or dig_object(status, "lastState", "terminated")
    phase = text(dig(pod, "status", "phase")) or "Pending"
    return ReplicaRow(
        role=role,
        index=index,
        name=replica_name(pod)
        if TASK_SPEC_ANNOTATION not in dig_object(pod, "metadata", "annotations")
        else f"{role}-{index}",
        pod=name_of(pod),
        uid=text(dig(pod, "metadata", "uid")),
        node=text(dig(pod, "spec", "nodeName")),
        phase="Terminating" if dig(pod, "metadata", "deletionTimestamp") else phase,
        ready=_is_ready(pod),
        restarts=restarts(pod),
        exit_code=whole(ended.get("exitCode")) if "exitCode" in ended else None,
        why=pod_why(pod) if phase not in ("Running", "Succeeded") or not _is_ready(pod) else None,
        container=container,
        started=time_text(dig(status, "state", "running", "startedAt") or ended.get("startedAt")),
        ended=time_text(dig(status, "state", "terminated", "finishedAt")),
        usage=usage,
    )


def _is_ready(pod: Object) -> bool:
    return any(
        dig(one, "type") == "Ready" and dig(one, "status") == "True" for one in dig_list(pod, "status", "conditions")
    )


def role_of(pod: Object) -> tuple[str, int]:
    """The role of a pod, as its labels write it, and its index."""
    labels, annotations = labels_of(pod), dig_object(pod, "metadata", "annotations")
    for role, index in (
        (labels.get(REPLICA_TYPE) or labels.get(JOB_ROLE), labels.get(REPLICA_INDEX)),
        (labels.get(REPLICATED_JOB_NAME), labels.get(POD_INDEX)),
        (
            annotations.get(TASK_SPEC_ANNOTATION) or labels.get(TASK_SPEC_ANNOTATION),
            annotations.get(TASK_INDEX) or labels.get(TASK_INDEX),
        ),
    ):
        if role:
            return text(role), whole(index) if index is not None else _last_number(name_of(pod))
    return "", _last_number(name_of(pod))


def _last_number(name: str) -> int:
    found = _LAST_NUMBER.search(name)
    return int(found[1]) if found is not None and len(found[1]) < 9 else 0
