"""Finds out which kinds of jobs a server has, and finds a job in it by its name."""

from typing import TYPE_CHECKING, Any

from windlass.jobs.errors import JobsError
from windlass.jobs.state.job_state import GROUPS, KINDS
from windlass.kube import errors
from windlass.kube.kind import Kind

if TYPE_CHECKING:
    from windlass.kube.client import Client

POD = Kind(group="", version="v1", name="Pod", plural="pods", status=True)
CONFIG_MAP = Kind(group="", version="v1", name="ConfigMap", plural="configmaps")
JOB = Kind(group="batch", version="v1", name="Job", plural="jobs", status=True)
EVENT = Kind(group="", version="v1", name="Event", plural="events")
VOLCANO = Kind(
    group="batch.volcano.sh", version="v1alpha1", name="Job", plural="jobs", short=("vcjob", "vj"), status=True
)
NAMESPACES = Kind(group="", version="v1", name="Namespace", plural="namespaces", namespaced=False)


async def job_kinds(client: "Client") -> list[Kind]:
    """The kinds of training jobs that the server serves, each once, in the version that it prefers."""
    found: dict[str, Kind] = {}
    for kind in await client.served():
        if kind.group == GROUPS.get(kind.name):
            found.setdefault(kind.name, kind)
    return [found[name] for name in KINDS if name in found]


async def group_kinds(client: "Client") -> list[Kind]:
    """Whatever the server serves as PodGroup: Volcano's, the scheduler plugins', kube-batch's."""
    return [kind for kind in await client.served() if kind.name == "PodGroup" and kind.group.startswith("scheduling.")]


async def find_job(client: "Client", told: str, namespace: str) -> tuple[Kind, dict[str, Any]]:
    """The job that `job/NAME`, `NAME` or `tfjob/NAME` means."""
    which, _, name = told.rpartition("/")
    kinds = [kind for kind in await job_kinds(client) if which.lower() in ("", "job", "jobs", *words_for(kind))]
    if not kinds:
        raise JobsError(f"{which!r} is no kind of training job that this server has. Write job/{name}")
    found: list[tuple[Kind, dict[str, Any]]] = []
    for kind in kinds:
        try:
            found.append((kind, await client.get(kind, name, namespace)))
        except errors.NotFound:
            continue
    if not found:
        raise JobsError(f"there is no training job {name!r} in namespace {namespace}. See them all: windlass jobs -A")
    if len(found) > 1:
        choices = ", ".join(f"{kind.name.lower()}/{name}" for kind, _ in found)
        raise JobsError(f"there are several of that name: say which, {choices}")
    return found[0]


def words_for(kind: Kind) -> tuple[str, ...]:
    """How one may call it, as with kubectl."""
    one = kind.name.lower()
    return (one, kind.plural, kind.group_resource, f"{one}.{kind.group}", *kind.short)


def words(kind: Kind) -> str:
    """As kubectl calls it where that is one kind only."""
    return {VOLCANO: "vcjob", JOB: JOB.group_resource}.get(kind, kind.name.lower())


async def find_any_job(
    client: "Client", told: str, namespace: str, *, suspendable: bool = True
) -> tuple[Kind, dict[str, Any]]:
    """The job that `NAME`, `vcjob/NAME` or `tfjob/NAME` means."""
    which, _, name = told.rpartition("/")
    known = await kinds_of(client, suspendable=suspendable)
    kinds = [kind for kind in known if which.lower() in ("", "job", *words_for(kind))]
    if not kinds:
        others, can = ([], "suspended") if suspendable else (["podgroup", "pod", "job"], "explained")
        listed = ", ".join([*others, *(words(kind) for kind in known)])
        raise JobsError(f"{which!r} is not a kind that can be {can}. Kinds that can: {listed}")
    found: list[tuple[Kind, dict[str, Any]]] = []
    for kind in kinds:
        try:
            found.append((kind, {"kind": kind.name, **await client.get(kind, name, namespace)}))
        except errors.NotFound:
            continue
    if not found:
        await _check_namespace(client, namespace)
        what = f"{which.lower()} {name!r}" if which else f"job {name!r}"
        raise JobsError(
            f"there is no {what} in namespace {namespace}. See them: windlass jobs -A; kubectl get vcjobs -A"
        )
    if len(found) > 1:
        choices = ", ".join(f"{words(kind)}/{name}" for kind, _ in found)
        raise JobsError(f"there are several of that name: say which, {choices}")
    return found[0]


async def _check_namespace(client: "Client", name: str) -> None:
    try:
        await client.get(NAMESPACES, name)
    except errors.NotFound as error:
        raise JobsError(f"there is no namespace {name}") from error
    except errors.Forbidden:
        return


async def kinds_of(client: "Client", *, suspendable: bool = True) -> list[Kind]:
    """Volcano's jobs and training jobs, and if they need not know to be suspended, ChainerJobs and Kubernetes' own."""
    training = [kind for kind in await job_kinds(client) if kind.name != "ChainerJob" or not suspendable]
    has_volcano = any(kind == VOLCANO for kind in await client.served())
    return [*([VOLCANO] if has_volcano else []), *training, *([] if suspendable else [JOB])]
