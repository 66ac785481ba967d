"""All settings, declared once: a frozen dataclass per process, whose fields become flags and `WINDLASS_*` variables.

`@takes(UpSettings)` adds the flags to a click command and passes it the filled dataclass; `as_flags` converts back, for
child processes. A flag overrides the environment, which overrides the default.
"""

import inspect
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, cast, get_type_hints

import click

from windlass.cli.option_types import BIND, INPUT, PATH, PORT, RESOURCES, TRUE_OR_FALSE, WholeNumber

if TYPE_CHECKING:
    from windlass.supervisor.datadir import DataDir

DEBUG = "windlass.debug"
SUPERVISED = "windlass.supervised"
"""Keys of click's `Context.meta` with which a command says how to report a bug."""


class Flag(NamedTuple):
    """How a field appears on the command line; the field of a `multiple` flag is a tuple."""

    help: str
    type: click.ParamType = click.STRING
    metavar: str | None = None
    multiple: bool = False


def default_data_dir() -> Path:
    state = os.environ.get("XDG_STATE_HOME", "")
    # The XDG specification: a relative path there is to be ignored.
    return (Path(state) if Path(state).is_absolute() else Path.home() / ".local" / "state") / "windlass"


def data_dir_at(root: Path) -> "DataDir":
    """The data directory, with the runtime directory from the environment."""
    from windlass.supervisor.datadir import DataDir

    return DataDir(root, runtime=Path(os.environ.get("XDG_RUNTIME_DIR") or "/tmp"))


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Flags of every command."""

    data_dir: Annotated[
        Path,
        Flag(
            "Directory for all data of Windlass.  [default: $XDG_STATE_HOME/windlass or ~/.local/state/windlass]",
            PATH,
            "DIR",
        ),
    ] = field(default_factory=default_data_dir)
    debug: Annotated[bool, Flag("Show tracebacks and log debug messages.", click.BOOL)] = False


@dataclass(frozen=True, kw_only=True)
class ServerFlags(Settings):
    """Flags of the API server, with Kubernetes' names where Kubernetes has the flag."""

    listen: Annotated[str, Flag("Address to listen on; 0.0.0.0 opens it to the network.", metavar="ADDR")] = "127.0.0.1"
    port: Annotated[int, Flag("Port of the API (HTTPS); 0 picks a free one.", PORT, "N")] = 6443
    token_auth_file: Annotated[
        Path | None, Flag('CSV of static bearer tokens: token,user,uid,"group1,group2".', INPUT, "FILE")
    ] = None
    client_ca_file: Annotated[
        Path | None,
        Flag("PEM file of an additional CA for client certificates (CN is the user, O the groups).", INPUT, "FILE"),
    ] = None
    oidc_issuer_url: Annotated[
        str | None, Flag("OpenID Connect issuer whose ID tokens are accepted.", metavar="URL")
    ] = None
    oidc_client_id: Annotated[str | None, Flag("Audience that ID tokens must have.", metavar="ID")] = None
    oidc_username_claim: Annotated[str, Flag("Claim that holds the user name.", metavar="CLAIM")] = "sub"
    oidc_username_prefix: Annotated[
        str | None,
        Flag(
            "Prefix for OIDC user names; '-' for none.  [default: issuer URL and #, except for emails]",
            metavar="PREFIX",
        ),
    ] = None
    oidc_groups_claim: Annotated[str | None, Flag("Claim that lists the user's groups.", metavar="CLAIM")] = None
    oidc_groups_prefix: Annotated[str, Flag("Prefix for OIDC group names.", metavar="PREFIX")] = ""
    oidc_ca_file: Annotated[
        Path | None, Flag("PEM file of the CA that signed the issuer's certificate.", INPUT, "FILE")
    ] = None
    authentication_token_webhook_config_file: Annotated[
        Path | None,
        Flag(
            "kubeconfig of a TokenReview webhook for other bearer tokens.  [default: the gateway, if it runs]",
            INPUT,
            "FILE",
        ),
    ] = None
    authentication_token_webhook_cache_ttl: Annotated[
        int, Flag("Seconds for which its answers count.", WholeNumber(0, 3600), "N")
    ] = 10
    audit_policy_file: Annotated[
        Path | None, Flag("Audit policy (audit.k8s.io/v1): what the audit log records.", INPUT, "FILE")
    ] = None
    audit_log_path: Annotated[Path | None, Flag("Audit log file, one JSON event per line.", PATH, "FILE")] = None
    audit_log_maxsize: Annotated[
        int, Flag("Size in megabytes at which the audit log is rotated; 0 disables rotation.", WholeNumber(0), "MB")
    ] = 100
    audit_log_maxbackup: Annotated[int, Flag("Rotated audit logs to keep; 0 keeps all.", WholeNumber(0), "N")] = 10


RuntimeName = Annotated[
    str,
    Flag(
        "How pods run: sandbox (namespaces), process (plain processes), podman; auto uses the first that works.",
        click.Choice(["auto", "sandbox", "process", "podman"]),
    ),
]


@dataclass(frozen=True, kw_only=True)
class ImageFlags(Settings):
    """Flags of the environments of images."""

    images_dir: Annotated[
        Path | None,
        Flag(
            "Directory for the environments of images; data dirs may share it.  [default: in the data dir]",
            PATH,
            "DIR",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class DemoSettings(ImageFlags):
    runtime: RuntimeName = "auto"


@dataclass(frozen=True, kw_only=True)
class NodeFlags(ImageFlags):
    """Flags of the node agent."""

    runtime: RuntimeName = "auto"
    max_pods: Annotated[int, Flag("Maximum number of pods on this node.", WholeNumber(1), "N")] = 500
    resource: Annotated[
        str | None,
        Flag("Additional resources of the node, for testing: nvidia.com/gpu=1[,NAME=N…].", RESOURCES, "NAME=N"),
    ] = None
    allow_metadata: Annotated[
        bool,
        Flag("Let pods reach the cloud's metadata addresses, and with them this machine's credentials.", click.BOOL),
    ] = False


@dataclass(frozen=True, kw_only=True)
class SchedulerFlags(Settings):
    """Flags of gang scheduling and queues."""

    preemption: Annotated[
        str,
        Flag(
            "What gangs may preempt: nothing, pods of lower priority, or also pods of queues over their share.",
            click.Choice(["off", "priority", "priority+fair"]),
        ),
    ] = "priority"
    scheduler_conf: Annotated[
        Path | None, Flag("File of actions and plugins in the format of volcano-scheduler.conf.", INPUT, "FILE")
    ] = None


@dataclass(frozen=True, kw_only=True)
class GatewayFlags(Settings):
    """What the gateway takes: where it listens, and who may sign in."""

    gateway_listen: Annotated[
        str, Flag("Address of the gateway; any other than this machine's own needs TLS.", metavar="ADDR")
    ] = "127.0.0.1"
    gateway_port: Annotated[int, Flag("Port of the gateway; 0 picks a free one.", PORT, "N")] = 8080
    external_url: Annotated[
        str | None,
        Flag("Where browsers find the gateway.  [default: the address that it listens on]", metavar="URL"),
    ] = None
    gateway_tls_cert: Annotated[Path | None, Flag("PEM of the gateway's certificate chain.", INPUT, "FILE")] = None
    gateway_tls_key: Annotated[Path | None, Flag("PEM of that certificate's key.", INPUT, "FILE")] = None
    insecure_http: Annotated[
        bool, Flag("Let the gateway listen on any address without TLS: passwords cross the network.", click.BOOL)
    ] = False
    users_file: Annotated[
        Path | None,
        Flag(
            "YAML in dex's format with more users, clients and issuers.  [default: users.yaml in the data dir]",
            INPUT,
            "FILE",
        ),
    ] = None
    spawner_config: Annotated[
        Path | None,
        Flag(
            "YAML with the form defaults of new notebooks.  [default: spawner_ui_config.yaml in the data dir]",
            INPUT,
            "FILE",
        ),
    ] = None
    registration_flow: Annotated[
        bool, Flag("Let users who sign in make a profile, and so a namespace, of their own.", click.BOOL)
    ] = False
    gateway_max_backups: Annotated[
        int, Flag("Backups written from the Cluster page to keep; 0 keeps all.", WholeNumber(0), "N")
    ] = 10
    demo: Annotated[
        bool, Flag("Give user@example.com the password of Kubeflow's documents; this machine only.", click.BOOL)
    ] = False


@dataclass(frozen=True, kw_only=True)
class NodeSettings(NodeFlags):
    server: Annotated[
        str, Flag("Address of the API server, which pods reach as kubernetes.default.svc.", metavar="HOST:PORT")
    ] = "127.0.0.1:6443"


@dataclass(frozen=True, kw_only=True)
class ClusterFlags(Settings):
    """Flags that select the embedded server or a cluster."""

    kubeconfig: Annotated[
        Path | None,
        Flag("Use the cluster of this kubeconfig instead of the embedded server.", INPUT, "FILE"),
    ] = None
    context: Annotated[
        str | None, Flag("Context in that kubeconfig.  [default: its current context]", metavar="NAME")
    ] = None


@dataclass(frozen=True, kw_only=True)
class RemoteFlags(ClusterFlags):
    """Flags that select a gateway instead, for people who have nothing else."""

    url: Annotated[str, Flag("Use the gateway at this address instead, with an access token.", metavar="URL")] = ""
    token: Annotated[
        str, Flag("Access token for that gateway; in a flag, others on this machine can see it.", metavar="TOKEN")
    ] = ""


@dataclass(frozen=True, kw_only=True)
class GatewaySettings(ClusterFlags, GatewayFlags):
    in_cluster: Annotated[bool, Flag("Use the cluster that this process runs in, as a pod.", click.BOOL)] = False


@dataclass(frozen=True, kw_only=True)
class SchedulerSettings(ClusterFlags, SchedulerFlags):
    """Flags of `windlass scheduler`, with the names of Volcano's scheduler."""

    in_cluster: Annotated[bool, Flag("Use the cluster that this process runs in, as a pod.", click.BOOL)] = False
    scheduler_name: Annotated[
        tuple[str, ...],
        Flag(
            "schedulerName of the pods to schedule; repeatable.  [default: all but default-scheduler]",
            metavar="NAME",
            multiple=True,
        ),
    ] = ()
    schedule_period: Annotated[
        str, Flag("Minimum time between two scheduling cycles, such as 500ms or 1s.", metavar="TIME")
    ] = "0s"
    default_queue: Annotated[str, Flag("Queue of pod groups that name none.", metavar="NAME")] = "default"
    priority_class: Annotated[str, Flag("Whether the priority classes of pod groups are used.", TRUE_OR_FALSE)] = "true"
    node_selector: Annotated[str, Flag("Use only nodes with these labels.  [default: all]", metavar="LABELS")] = ""
    percentage_nodes_to_find: Annotated[
        int,
        Flag(
            "Accepted for compatibility with Volcano and ignored: all nodes are considered.", WholeNumber(0, 100), "N"
        ),
    ] = 0
    minimum_feasible_nodes: Annotated[
        int, Flag("Accepted for compatibility with Volcano and ignored.", WholeNumber(0), "N")
    ] = 100
    minimum_percentage_nodes_to_find: Annotated[
        int, Flag("Accepted for compatibility with Volcano and ignored.", WholeNumber(0, 100), "N")
    ] = 5
    leader_elect: Annotated[str, Flag("Schedule only as the elected leader.", TRUE_OR_FALSE)] = "true"
    leader_elect_resource_namespace: Annotated[
        str, Flag("Namespace of the lease.  [default: the pod's own, or kube-system]", metavar="NAME")
    ] = ""
    listen_address: Annotated[
        str, Flag("Address of Prometheus metrics (/metrics); 0 disables them.", BIND, "ADDR:PORT")
    ] = ":8080"
    healthz_address: Annotated[
        str, Flag("Address of health probes (/healthz, /readyz); 0 disables them.", BIND, "ADDR:PORT")
    ] = ":11251"


def takes(struct: type[Settings]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add the flags of `struct` to a command, and pass the filled struct as its first argument."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def run(**values: Any) -> Any:
            filled = struct(**{one.name: values.pop(one.name) for one in fields(struct)})
            return command(filled, **values)

        decorated: Callable[..., Any] = run
        for one, flag in reversed(list(flags_of(struct))):
            decorated = _option(one, flag)(decorated)
        return decorated

    return decorate


def flags_of(struct: type[Settings]) -> Iterator[tuple[Field[Any], Flag]]:
    """Each field with its flag; fields of the class itself come before inherited ones."""
    annotations = get_type_hints(struct, include_extras=True)
    by_name = {one.name: one for one in fields(struct)}
    for layer in struct.__mro__:
        for name in inspect.get_annotations(layer):
            yield by_name[name], annotations[name].__metadata__[0]


def flag_name(one: Field[Any]) -> str:
    return "--" + one.name.replace("_", "-")


def field_of(flag: str) -> str:
    """The field that has the value of a flag without its dashes."""
    return flag.replace("-", "_")


def as_flags(settings: Settings, struct: type[Settings]) -> list[str]:
    """The command-line flags for `settings`: every value. What is off cannot be said; see `environment_for`."""
    flags: list[str] = []
    for one in fields(struct):
        value = getattr(settings, one.name)
        if value is True:
            flags.append(flag_name(one))
        elif isinstance(value, tuple):
            flags += [f"{flag_name(one)}={each}" for each in cast(tuple[Any, ...], value)]
        elif value is not None and value is not False:
            flags.append(f"{flag_name(one)}={value}")
    return flags


def environment_for(settings: Settings, environment: Mapping[str, str]) -> dict[str, str]:
    """The environment without what would turn on a flag that is off in `settings`."""
    off = {variable_name(one) for one in fields(settings) if getattr(settings, one.name) is False}
    return {name: value for name, value in environment.items() if name not in off}


def variable_name(one: Field[Any]) -> str:
    return "WINDLASS_" + one.name.upper()


def _option(one: Field[Any], flag: Flag) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    extra: dict[str, Any] = {"help": flag.help, "envvar": variable_name(one)}
    if one.name == "debug":
        extra["callback"] = _remember_debug
    if flag.type is click.BOOL:
        return click.option(flag_name(one), is_flag=True, default=False, **extra)
    if flag.type is TRUE_OR_FALSE:  # the bare name means true, as of others' operators
        extra |= {"is_flag": False, "flag_value": "true"}
    if flag.multiple:
        return click.option(flag_name(one), type=flag.type, multiple=True, metavar=flag.metavar, **extra)
    default = one.default if one.default_factory is MISSING else one.default_factory
    if isinstance(default, int | str) and default != "":
        extra["help"] += f"  [default: {default}]"
    return click.option(flag_name(one), type=flag.type, default=default, metavar=flag.metavar, **extra)


def _remember_debug(ctx: click.Context, param: click.Parameter, value: bool) -> bool:
    if value:
        ctx.meta[DEBUG] = True
    return value
