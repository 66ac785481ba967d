"""Finds the kinds of jobs that a server serves, and a job by its name."""

from typing import TYPE_CHECKING, Any

from windlass.apis import batch_v1, core_v1
from windlass.apps.training.jobs.errors import JobsError
from windlass.apps.training.jobs.state.job_state import GROUPS, KINDS
from windlass.apps.volcano.kinds import batch as batch_volcano_v1alpha1
from windlass.kube import errors
from windlass.kube.kind import KINDS as DECLARED
from windlass.kube.kind import Kind

if TYPE_CHECKING:
    from windlass.kube.client import Client

POD, CONFIG_MAP = DECLARED.of(core_v1.Pod), DECLARED.of(core_v1.ConfigMap)
EVENT, NAMESPACE = DECLARED.of(core_v1.Event), DECLARED.of(core_v1.Namespace)
JOB, VOLCANO = DECLARED.of(batch_v1.Job), DECLARED.of(batch_volcano_v1alpha1.Job)


async def job_kinds(client: "Client") -> list[Kind]:
    """The kinds of training jobs that the server serves, each once, in its preferred version."""
    found: dict[str, Kind] = {}
    for kind in await client.served():
        if kind.group == GROUPS.get(kind.name):
            found.setdefault(kind.name, kind)
    return [found[name] for name in KINDS if name in found]


async def group_kinds(client: "Client") -> list[Kind]:
    """All kinds of PodGroup that the server serves: Volcano's, that of scheduler-plugins, kube-batch's."""
    return [kind for kind in await client.served() if kind.name == "PodGroup" and kind.group.startswith("scheduling.")]


async def find_job(client: "Client", reference: str, namespace: str) -> tuple[Kind, dict[str, Any]]:
    """The training job that `job/NAME`, `NAME` or `tfjob/NAME` refers to."""
    kind_name, _, name = reference.rpartition("/")
    kinds = [kind for kind in await job_kinds(client) if kind_name.lower() in ("", "job", "jobs", *kind_names(kind))]
    if not kinds:
        raise JobsError(f"{kind_name!r} is not a kind of training job on this server. Use job/{name}")
    found: list[tuple[Kind, dict[str, Any]]] = []
    for kind in kinds:
        try:
            found.append((kind, await client.get(kind, name, namespace)))
        except errors.NotFound:
            continue
    if not found:
        raise JobsError(f"training job {name!r} not found in namespace {namespace}. List all: windlass jobs -A")
    if len(found) > 1:
        choices = ", ".join(f"{kind.name.lower()}/{name}" for kind, _ in found)
        raise JobsError(f"several jobs have that name. Use one of: {choices}")
    return found[0]


def kind_names(kind: Kind) -> tuple[str, ...]:
    """The accepted names of a kind, as with kubectl."""
    one = kind.name.lower()
    return (one, kind.plural, kind.group_resource, f"{one}.{kind.group}", *kind.short)


def display_name(kind: Kind) -> str:
    """The unambiguous name of a kind in kubectl."""
    return {VOLCANO: "vcjob", JOB: JOB.group_resource}.get(kind, kind.name.lower())


async def find_any_job(
    client: "Client", reference: str, namespace: str, *, suspendable: bool = True
) -> tuple[Kind, dict[str, Any]]:
    """The job that `NAME`, `vcjob/NAME` or `tfjob/NAME` refers to."""
    kind_name, _, name = reference.rpartition("/")
    known = await kinds_of(client, suspendable=suspendable)
    kinds = [kind for kind in known if kind_name.lower() in ("", "job", *kind_names(kind))]
    if not kinds:
        others, can = ([], "suspended") if suspendable else (["podgroup", "pod", "job"], "explained")
        listed = ", ".join([*others, *(display_name(kind) for kind in known)])
        raise JobsError(f"{kind_name!r} is not a kind that can be {can}. Kinds that can: {listed}")
    found: list[tuple[Kind, dict[str, Any]]] = []
    for kind in kinds:
        try:
            found.append((kind, {"kind": kind.name, **await client.get(kind, name, namespace)}))
        except errors.NotFound:
            continue
    if not found:
        await _check_namespace(client, namespace)
        what = f"{kind_name.lower()} {name!r}" if kind_name else f"job {name!r}"
        raise JobsError(f"{what} not found in namespace {namespace}. List all: windlass jobs -A; kubectl get vcjobs -A")
    if len(found) > 1:
        choices = ", ".join(f"{display_name(kind)}/{name}" for kind, _ in found)
        raise JobsError(f"several jobs have that name. Use one of: {choices}")
    return found[0]


async def _check_namespace(client: "Client", name: str) -> None:
    try:
        await client.get(NAMESPACE, name)
    except errors.NotFound as error:
        raise JobsError(f"namespace {name} not found") from error
    except errors.Forbidden:
        return


async def kinds_of(client: "Client", *, suspendable: bool = True) -> list[Kind]:
    """Volcano jobs and training jobs; with `suspendable` False also ChainerJobs and batch Jobs."""
    training = [kind for kind in await job_kinds(client) if kind.name != "ChainerJob" or not suspendable]
    has_volcano = any(kind == VOLCANO for kind in await client.served())
    return [*([VOLCANO] if has_volcano else []), *training, *([] if suspendable else [JOB])]
