"""What is wrong, judged from facts, each with the one thing to do about it. Pure."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
FREE_DISK_FRACTION = 0.10
"""Where the node reports disk pressure, as kubelet does."""
FREE_DISK_BYTES = 1 << 30
CLOCK_TOLERANCE_SECONDS = 300.0


@dataclass(frozen=True, kw_only=True)
class UserFacts:
    email: str
    namespaces: tuple[str, ...] = ()
    """Of every profile that the user owns or contributes to."""


@dataclass(frozen=True, kw_only=True)
class ProfileFacts:
    name: str
    failure: str = ""
    """Why it failed; empty for one that did not."""


@dataclass(frozen=True, kw_only=True)
class NodeFacts:
    name: str
    problem: str = ""
    """Why it is not ready; empty for one that is."""


@dataclass(frozen=True, kw_only=True)
class ConnectorFacts:
    """A way to sign in elsewhere."""

    id: str
    problem: str = ""
    """Why the other side cannot be used; empty where it can."""


@dataclass(frozen=True, kw_only=True)
class Facts:
    data_dir: str = ""
    is_running: bool = True
    stopped_components: tuple[str, ...] = ()
    api_problem: str = ""
    has_gateway: bool = True
    gateway_url: str = ""
    gateway_host: str = "127.0.0.1"
    """The address that it listens on."""
    gateway_problem: str = ""
    has_published_password: bool = False
    users: tuple[UserFacts, ...] = ()
    connectors: tuple[ConnectorFacts, ...] = ()
    users_file_warnings: tuple[str, ...] = ()
    users_problem: str = ""
    """Why neither the users file nor the gateway's database can be read."""
    profiles: tuple[ProfileFacts, ...] | None = None
    """None where they are not known."""
    nodes: tuple[NodeFacts, ...] | None = None
    disk_free: int = 1 << 60
    disk_total: int = 1 << 60
    now: float = 0.0
    newest_use: float = 0.0
    """When a session was last used, by the clock of then."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    check: str
    problem: str
    advice: str


def not_running(facts: Facts) -> Iterator[Finding]:
    if not facts.is_running:
        problem = f"Windlass is not running on {facts.data_dir}"
        yield Finding(check="running", problem=problem, advice="Start it: windlass up --detach")


def stopped_components(facts: Facts) -> Iterator[Finding]:
    for name in facts.stopped_components:
        advice = f"See why: windlass logs {name}"
        yield Finding(check="components", problem=f"the component {name} does not run", advice=advice)


def api_down(facts: Facts) -> Iterator[Finding]:
    if facts.api_problem:
        yield Finding(check="api", problem=facts.api_problem, advice="See why: windlass logs server")


def gateway_down(facts: Facts) -> Iterator[Finding]:
    if facts.is_running and not facts.has_gateway:
        problem = "there is no gateway, so nobody can sign in"
        yield Finding(check="gateway", problem=problem, advice="Start Windlass without --no-gateway")
    elif facts.gateway_problem:
        problem = f"the gateway does not answer at {facts.gateway_url}: {facts.gateway_problem}"
        advice = f"See why: {facts.data_dir}/logs/gateway.log"
        yield Finding(check="gateway", problem=problem, advice=advice)


def published_password(facts: Facts) -> Iterator[Finding]:
    if facts.has_published_password and facts.is_running and facts.gateway_host not in LOOPBACK:
        problem = f"a user has the published password 12341234, and the gateway listens on {facts.gateway_host}"
        advice = "Change it now: windlass user passwd user@example.com"
        yield Finding(check="password", problem=problem, advice=advice)


def connectors_down(facts: Facts) -> Iterator[Finding]:
    for connector in facts.connectors:
        if connector.problem:
            problem = f"the connector {connector.id} does not answer: {connector.problem}"
            advice = f"Correct it in {facts.data_dir}/users.yaml, or start what it names"
            yield Finding(check="connectors", problem=problem, advice=advice)


def unreadable_users(facts: Facts) -> Iterator[Finding]:
    if facts.users_problem:
        advice = "Correct it: a gateway that runs keeps what it had, and one that is started stops"
        yield Finding(check="users", problem=facts.users_problem, advice=advice)


def unknown_fields(facts: Facts) -> Iterator[Finding]:
    for warning in facts.users_file_warnings:
        advice = f"Correct its name in {facts.data_dir}/users.yaml, or delete it"
        yield Finding(check="users", problem=warning, advice=advice)


def users_without_profile(facts: Facts) -> Iterator[Finding]:
    """The reason for an empty namespace selector."""
    if facts.profiles is None:
        return
    for user in facts.users:
        if not user.namespaces:
            problem = f"{user.email} has no profile, so that the list of namespaces is empty"
            advice = f"Make one: windlass profile create NAME --owner {user.email}"
            yield Finding(check="profiles", problem=problem, advice=advice)


def failed_profiles(facts: Facts) -> Iterator[Finding]:
    for profile in facts.profiles or ():
        if profile.failure:
            problem = f"profile {profile.name} failed: {profile.failure}"
            advice = f"Correct it, or choose another name: kubectl describe profile {profile.name}"
            yield Finding(check="profiles", problem=problem, advice=advice)


def nodes_not_ready(facts: Facts) -> Iterator[Finding]:
    if facts.nodes is not None and not facts.nodes:
        problem = "there is no node, so that no pod can run"
        yield Finding(check="nodes", problem=problem, advice="Start Windlass without --no-node")
    for node in facts.nodes or ():
        if node.problem:
            problem = f"node {node.name} is not ready: {node.problem}"
            yield Finding(check="nodes", problem=problem, advice="See why: windlass logs node")


def disk_nearly_full(facts: Facts) -> Iterator[Finding]:
    fraction = facts.disk_free / max(1, facts.disk_total)
    if fraction < FREE_DISK_FRACTION or facts.disk_free < FREE_DISK_BYTES:
        free = f"{facts.disk_free / 2**30:.1f} GiB ({fraction:.0%})"
        problem = f"only {free} of the disk of {facts.data_dir} are free: nobody can sign in once it is full"
        yield Finding(check="disk", problem=problem, advice="Free some: windlass images prune")


def clock_behind(facts: Facts) -> Iterator[Finding]:
    behind = facts.newest_use - facts.now
    if behind > CLOCK_TOLERANCE_SECONDS:
        problem = f"the clock is behind by at least {behind:.0f} s: a session was used later than now"
        advice = "Set the clock: timedatectl set-ntp true"
        yield Finding(check="clock", problem=problem, advice=advice)


CHECKS: tuple[Callable[[Facts], Iterator[Finding]], ...] = (
    not_running,
    stopped_components,
    api_down,
    gateway_down,
    published_password,
    connectors_down,
    unreadable_users,
    unknown_fields,
    users_without_profile,
    failed_profiles,
    nodes_not_ready,
    disk_nearly_full,
    clock_behind,
)
"""In the order of the output: what others may follow from comes first."""


def findings(facts: Facts) -> list[Finding]:
    return [finding for check in CHECKS for finding in check(facts)]
