"""A cluster and a workload as people write them down: YAML, or a CSV of jobs. See docs/simulate.md for the format."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from windlass.scheduler.model.cluster import HyperNode
from windlass.scheduler.model.jobs import Topology
from windlass.scheduler.simulate.amounts import Length, parse_length
from windlass.scheduler.simulate.job_table import read_csv
from windlass.scheduler.simulate.queue_plans import queues_of, read_amounts, read_queues
from windlass.scheduler.simulate.traces import RACK, SPINE, c5k
from windlass.scheduler.simulate.workload import (
    DEFAULT_QUEUE,
    Failures,
    JobPlan,
    NodeKind,
    QueuePlan,
    Role,
    Scenario,
    draw_deaths,
    racks,
)
from windlass.scheduler.simulate.yaml_positions import BadDescription, Located

MAX_FAILURES = 3600  # nodes in an hour
SMALL = 100  # nodes of a cluster of which nothing is said


class _Strict(Struct, forbid_unknown_fields=True, rename="camel", kw_only=True):
    """An unknown field is an error, not a surprise."""


class _Nodes(_Strict):
    resources: dict[str, str | int | float]
    name: str = "node"
    count: int = 1
    labels: dict[str, str] = {}


class _HyperNodes(_Strict):
    rack: int = RACK
    spine: int = SPINE


class _HyperNode(_Strict):
    name: str
    tier: int
    nodes: list[str]
    tier_name: str = ""


class _Role(_Strict):
    name: str
    count: int
    requests: dict[str, str | int | float] = {}
    min: int = 0


class _Topology(_Strict):
    mode: str = "hard"
    highest_tier_allowed: int | None = None


class _Job(_Strict):
    duration: Length
    name: str = ""
    arrival: Length = 0
    count: int = 1
    every: Length = 0
    width: int | None = None
    requests: dict[str, str | int | float] = {}
    roles: list[_Role] = []
    min_member: int | None = None
    queue: str = DEFAULT_QUEUE
    priority: int = 0
    user: str = ""
    estimate: Length | None = None
    topology: _Topology | None = None


class _Failures(_Strict):
    pod_death: float = 0.0
    nodes_per_hour: float = 0.0
    node_down: Length = 1800


class _Document(_Strict):
    jobs: list[_Job] | str
    name: str = ""
    seed: int = 0
    nodes: list[_Nodes] = []
    queues: list[dict[str, Any]] = []
    hyper_nodes: _HyperNodes | list[_HyperNode] | None = field(name="hypernodes", default=None)
    failures: _Failures | None = None


def read(path: Path, *, seed: int | None = None, nodes: int | None = None) -> Scenario:
    """A description in YAML, or a CSV of jobs on a cluster of the usual shape. Raises BadDescription."""
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise BadDescription(f"{path}: it cannot be read: {error}") from error
    if path.suffix == ".csv":
        jobs = read_csv(path.name, text)
        found = Scenario(path.stem, c5k(nodes or SMALL), tuple(jobs), queues_of(jobs), seed=seed or 0)
        _check_names(Located(path.name, ""), found)
        return replace(found, hyper_nodes=racks(found.node_names, RACK, SPINE))
    return read_yaml(path.name, text, folder=path.parent, seed=seed, nodes=nodes)


def read_yaml(
    name: str, text: str, *, folder: Path | None = None, seed: int | None = None, nodes: int | None = None
) -> Scenario:
    located = Located(name, text)
    given = located.convert(_Document)
    kinds = tuple(_kind(located, f"nodes[{at}]", one) for at, one in enumerate(given.nodes)) or c5k(nodes or SMALL)
    jobs = _jobs(located, given, folder)
    queues = read_queues(located, given.queues) or queues_of(jobs)
    _check_queues(located, given, jobs, queues)
    failures = _failures(located, given.failures or _Failures())
    seed = given.seed if seed is None else seed
    if seed < 0:
        raise located.bad("seed", "it must not be negative")
    deaths = draw_deaths(jobs, failures.pod_death, seed)
    jobs = [replace(job, deaths=when) for job, when in zip(jobs, deaths, strict=True)]
    scenario = Scenario(given.name or name, kinds, tuple(jobs), queues, (), failures, seed)
    _check_names(located, scenario)
    return replace(scenario, hyper_nodes=_hyper_nodes(located, given, scenario))


def _check_names(located: Located, scenario: Scenario) -> None:
    if not scenario.jobs:
        raise located.bad("jobs", "there are none")
    for field_, names in (("jobs", [job.name for job in scenario.jobs]), ("nodes", scenario.node_names)):
        twice = next((name for name, number in Counter(names).items() if number > 1), None)
        if twice is not None:
            raise located.bad(field_, f"two are called {twice}: names must differ")


# --- parts


def _failures(located: Located, given: _Failures) -> Failures:
    if not 0 <= given.pod_death <= 1:
        raise located.bad("failures.podDeath", f"{given.pod_death:g} is no part of all pods: it must be from 0 to 1")
    if not 0 <= given.nodes_per_hour <= MAX_FAILURES:
        raise located.bad("failures.nodesPerHour", f"it must be from 0 to {MAX_FAILURES}")
    return Failures(given.pod_death, given.nodes_per_hour, _length(located, "failures.nodeDown", given.node_down))


def _check_queues(located: Located, given: _Document, jobs: list[JobPlan], queues: tuple[QueuePlan, ...]) -> None:
    names = {queue.name for queue in queues}
    if not isinstance(given.jobs, str):
        for at, job in enumerate(given.jobs):
            if job.queue not in names:
                listed = ", ".join(sorted(names))
                raise located.bad(f"jobs[{at}].queue", f"there is no queue {job.queue!r}; there are {listed}")
        return
    missing = next((job for job in jobs if job.queue not in names), None)
    if missing is not None:
        listed = ", ".join(sorted(names))
        raise located.bad("jobs", f"job {missing.name} is of queue {missing.queue!r}; there are {listed}")


def _kind(located: Located, where: str, given: _Nodes) -> NodeKind:
    if given.count < 0:
        raise located.bad(f"{where}.count", "it must not be negative")
    offers = {"pods": 110.0, **read_amounts(located, f"{where}.resources", given.resources)}
    return NodeKind(given.name, given.count, offers, given.labels)


def _hyper_nodes(located: Located, given: _Document, scenario: Scenario) -> tuple[HyperNode, ...]:
    told = given.hyper_nodes
    if told is None:
        return ()
    if isinstance(told, _HyperNodes):
        if told.rack < 1 or told.spine < 0:
            raise located.bad("hypernodes", "rack must be 1 or more, spine 0 or more")
        return racks(scenario.node_names, told.rack, told.spine)
    names = set(scenario.node_names)
    for at, one in enumerate(told):
        unknown = [node for node in one.nodes if node not in names]
        if unknown:
            raise located.bad(f"hypernodes[{at}].nodes", f"there is no node {unknown[0]}")
    return tuple(HyperNode(one.name, one.tier, one.tier_name, frozenset(one.nodes)) for one in told)


# --- jobs


def _jobs(located: Located, given: _Document, folder: Path | None) -> list[JobPlan]:
    if isinstance(given.jobs, str):
        path = (folder or Path()) / given.jobs
        try:
            return read_csv(given.jobs, path.read_text())
        except OSError as error:
            raise located.bad("jobs", f"{given.jobs} cannot be read: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise located.bad("jobs", f"{given.jobs} cannot be read: it is no text") from error
    found = [job for at, one in enumerate(given.jobs) for job in _repeated(located, f"jobs[{at}]", at, one)]
    return sorted(found, key=lambda job: job.arrival)


def _repeated(located: Located, where: str, at: int, given: _Job) -> list[JobPlan]:
    name = given.name or f"job{at}"
    arrival = _length(located, f"{where}.arrival", given.arrival)
    every = _length(located, f"{where}.every", given.every)
    duration = _length(located, f"{where}.duration", given.duration)
    if duration <= 0:
        raise located.bad(f"{where}.duration", "it must be more than 0")
    roles = _roles(located, where, given)
    width = sum(role.count for role in roles)
    least = width if given.min_member is None else given.min_member
    if not 0 <= least <= width:
        raise located.bad(f"{where}.minMember", f"{least} is not between 0 and the {width} pods that the job has")
    estimate = None if given.estimate is None else _length(located, f"{where}.estimate", given.estimate)
    plan = JobPlan(
        name, arrival, duration, roles, max(1, least), given.queue, given.priority, given.user or name, estimate,
        _topology(located, where, given.topology),
    )  # fmt: skip
    if given.count < 1:
        raise located.bad(f"{where}.count", "it must be 1 or more")
    if given.count == 1:
        return [plan]
    return [replace(plan, name=f"{name}-{number}", arrival=arrival + number * every) for number in range(given.count)]


def _roles(located: Located, where: str, given: _Job) -> tuple[Role, ...]:
    if given.roles and (given.width is not None or given.requests):
        raise located.bad(f"{where}.roles", "with roles, width and requests belong into each role (count, requests)")
    roles = given.roles or [
        _Role(name="worker", count=1 if given.width is None else given.width, requests=given.requests)
    ]
    found: list[Role] = []
    for at, role in enumerate(roles):
        field_ = f"{where}.roles[{at}]" if given.roles else where
        if role.count < 1:
            raise located.bad(f"{field_}.{'count' if given.roles else 'width'}", "it must be 1 or more")
        if not 0 <= role.min <= role.count:
            raise located.bad(f"{field_}.min", f"it must be between 0 and {role.count}")
        found.append(Role(role.name, role.count, read_amounts(located, f"{field_}.requests", role.requests), role.min))
    if len({role.name for role in found}) < len(found):
        raise located.bad(f"{where}.roles", "two roles have the same name")
    return tuple(found)


def _topology(located: Located, where: str, given: _Topology | None) -> Topology | None:
    if given is None:
        return None
    if given.mode not in ("hard", "soft"):
        raise located.bad(f"{where}.topology.mode", f"{given.mode!r} is neither hard nor soft")
    return Topology(hard=given.mode == "hard", highest_tier=given.highest_tier_allowed)


# --- lengths of time


def _length(located: Located, where: str, given: Length) -> float:
    try:
        return parse_length(given)
    except ValueError as error:
        raise located.bad(where, str(error)) from error
