"""What may be set, once: a frozen struct a process, whose fields become flags, `WINDLASS_*` variables and help.

`@takes(UpSettings)` gives a click command those flags and hands it the filled struct; `as_flags` goes the other way,
for the processes that a process starts. A flag wins over the environment, the environment over the default.
"""

import inspect
import os
from collections.abc import Callable, Iterator
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
"""Keys of click's `Context.meta`, by which a command tells the group how to report a fault."""


class Flag(NamedTuple):
    """What a field's annotation says about it on the command line; the field of `several` is a tuple."""

    help: str
    type: click.ParamType = click.STRING
    metavar: str | None = None
    several: bool = False


def default_data_dir() -> Path:
    state = os.environ.get("XDG_STATE_HOME", "")
    # The XDG specification: a relative path there is to be ignored.
    return (Path(state) if Path(state).is_absolute() else Path.home() / ".local" / "state") / "windlass"


def data_dir_at(root: Path) -> "DataDir":
    """The data directory, with the runtime folder that the environment names."""
    from windlass.supervisor.datadir import DataDir

    return DataDir(root, runtime=Path(os.environ.get("XDG_RUNTIME_DIR") or "/tmp"))


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What every command takes."""

    data_dir: Annotated[
        Path,
        Flag(
            "Where Windlass keeps everything.  [default: $XDG_STATE_HOME/windlass or ~/.local/state/windlass]",
            PATH,
            "DIR",
        ),
    ] = field(default_factory=default_data_dir)
    debug: Annotated[bool, Flag("Show tracebacks, and log in detail.", click.BOOL)] = False


@dataclass(frozen=True, kw_only=True)
class ServerFlags(Settings):
    """What the API server takes; Kubernetes' own names where Kubernetes has the flag."""

    listen: Annotated[str, Flag("Address to listen on; 0.0.0.0 opens it to the network.", metavar="ADDR")] = "127.0.0.1"
    port: Annotated[int, Flag("Port of the API (HTTPS); 0 picks a free one.", PORT, "N")] = 6443
    token_auth_file: Annotated[
        Path | None, Flag('CSV of static bearer tokens: token,user,uid,"group1,group2".', INPUT, "FILE")
    ] = None
    client_ca_file: Annotated[
        Path | None,
        Flag("PEM of one more CA whose client certificates log in (CN is the user, O the groups).", INPUT, "FILE"),
    ] = None
    oidc_issuer_url: Annotated[str | None, Flag("OpenID Connect issuer whose ID tokens log in.", metavar="URL")] = None
    oidc_client_id: Annotated[str | None, Flag("Audience that such a token must have.", metavar="ID")] = None
    oidc_username_claim: Annotated[str, Flag("Claim that is the user's name.", metavar="CLAIM")] = "sub"
    oidc_username_prefix: Annotated[
        str | None,
        Flag(
            "Put before OIDC user names; '-' for nothing.  [default: issuer URL and #, but not before an email]",
            metavar="PREFIX",
        ),
    ] = None
    oidc_groups_claim: Annotated[str | None, Flag("Claim that lists the user's groups.", metavar="CLAIM")] = None
    oidc_groups_prefix: Annotated[str, Flag("Put before OIDC group names.", metavar="PREFIX")] = ""
    oidc_ca_file: Annotated[Path | None, Flag("PEM of the CA of the issuer's own TLS.", INPUT, "FILE")] = None
    audit_policy_file: Annotated[
        Path | None, Flag("Audit policy (audit.k8s.io/v1): what the audit log records.", INPUT, "FILE")
    ] = None
    audit_log_path: Annotated[Path | None, Flag("Audit log, a JSON event a line.", PATH, "FILE")] = None
    audit_log_maxsize: Annotated[
        int, Flag("Megabytes at which the audit log is rotated; 0 never.", WholeNumber(0), "MB")
    ] = 100
    audit_log_maxbackup: Annotated[int, Flag("Rotated audit logs to keep; 0 keeps all.", WholeNumber(0), "N")] = 10


RuntimeName = Annotated[
    str,
    Flag(
        "How pods run: sandbox (namespaces), process (plain processes), podman; auto takes the first that works.",
        click.Choice(["auto", "sandbox", "process", "podman"]),
    ),
]


@dataclass(frozen=True, kw_only=True)
class ImageFlags(Settings):
    """What takes part in the environments of images."""

    images_dir: Annotated[
        Path | None,
        Flag(
            "Where the environments of images are built; several data dirs may share it.  [default: in the data dir]",
            PATH,
            "DIR",
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class DemoSettings(ImageFlags):
    runtime: RuntimeName = "auto"


@dataclass(frozen=True, kw_only=True)
class NodeFlags(ImageFlags):
    """What the node agent takes."""

    runtime: RuntimeName = "auto"
    max_pods: Annotated[int, Flag("Pods that may run here at once.", WholeNumber(1), "N")] = 500
    resource: Annotated[
        str | None,
        Flag(
            "More resources to offer to pods, for trying things out: nvidia.com/gpu=1[,NAME=N…].", RESOURCES, "NAME=N"
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class TrainingFlags(Settings):
    """What the operator of training jobs takes, under the names that the field knows."""

    enable_scheme: Annotated[
        tuple[str, ...],
        Flag(
            "Jobs to look after: TFJob,PyTorchJob …, TrainJob, JobSet, Volcano; repeatable.  [default: all]",
            metavar="KIND[,KIND…]",
            several=True,
        ),
    ] = ()
    controller_threads: Annotated[
        int, Flag("Training jobs of a kind that are worked on at once.", WholeNumber(1), "N")
    ] = 4
    gang_scheduler_name: Annotated[
        str,
        Flag(
            "Start a job's pods together, by this scheduler: volcano, kube-batch, …",
            metavar="NAME",
        ),
    ] = ""
    enable_gang_scheduling: Annotated[
        str, Flag("true: as --gang-scheduler-name=volcano, unless that names another.", TRUE_OR_FALSE)
    ] = "false"
    default_clean_pod_policy: Annotated[
        str,
        Flag("Pods that a finished job removes if it does not say.", click.Choice(["None", "Running", "All"])),
    ] = "None"
    pytorch_init_container_image: Annotated[
        str, Flag("Image in which PyTorch workers wait for their master.", metavar="IMAGE")
    ] = "alpine:3.10"
    pytorch_init_container_max_tries: Annotated[int, Flag("How often they look for it.", WholeNumber(1), "N")] = 100
    pytorch_init_container_template_file: Annotated[
        Path | None, Flag("YAML of the init containers to use instead.", INPUT, "FILE")
    ] = None
    mpi_kubectl_delivery_image: Annotated[
        str, Flag("Image that brings the exec client to MPI launchers.", metavar="IMAGE")
    ] = "kubeflow/kubectl-delivery:latest"


@dataclass(frozen=True, kw_only=True)
class SchedulerFlags(Settings):
    """How gangs and queues are scheduled."""

    preemption: Annotated[
        str,
        Flag(
            "Whether gangs make others go: never, those of lower priority, or also those of queues with too much.",
            click.Choice(["off", "priority", "priority+fair"]),
        ),
    ] = "priority"
    scheduler_conf: Annotated[
        Path | None, Flag("Actions and plugins, in the format of volcano-scheduler.conf, instead.", INPUT, "FILE")
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
    demo: Annotated[
        bool, Flag("Give user@example.com the password of Kubeflow's documents; this machine only.", click.BOOL)
    ] = False


@dataclass(frozen=True, kw_only=True)
class UpSettings(ServerFlags, NodeFlags, TrainingFlags, SchedulerFlags, GatewayFlags):
    detach: Annotated[bool, Flag("Return when ready and leave it running; `windlass down` stops it.", click.BOOL)] = (
        False
    )
    no_manager: Annotated[bool, Flag("Do not run the controllers.", click.BOOL)] = False
    no_node: Annotated[bool, Flag("Do not run the node agent: pods stay pending.", click.BOOL)] = False
    no_gateway: Annotated[bool, Flag("Do not run the gateway: no login and no web pages.", click.BOOL)] = False


@dataclass(frozen=True, kw_only=True)
class NodeSettings(NodeFlags):
    server: Annotated[
        str, Flag("Address of the API server, which pods reach as kubernetes.default.svc.", metavar="HOST:PORT")
    ] = "127.0.0.1:6443"


@dataclass(frozen=True, kw_only=True)
class ClusterFlags(Settings):
    """What a client of either the embedded server or a cluster takes."""

    kubeconfig: Annotated[
        Path | None,
        Flag("Work against the cluster of this kubeconfig instead of the embedded server.", INPUT, "FILE"),
    ] = None
    context: Annotated[str | None, Flag("Context of that kubeconfig.  [default: its current one]", metavar="NAME")] = (
        None
    )


@dataclass(frozen=True, kw_only=True)
class GatewaySettings(ClusterFlags, GatewayFlags):
    in_cluster: Annotated[bool, Flag("Work against the cluster that this runs in, as a pod.", click.BOOL)] = False


@dataclass(frozen=True, kw_only=True)
class ManagerSettings(ClusterFlags, TrainingFlags, SchedulerFlags):
    in_cluster: Annotated[bool, Flag("Work against the cluster that this runs in, as a pod.", click.BOOL)] = False
    namespace: Annotated[
        str,
        Flag(
            "On a cluster: look after this namespace only, for which a Role is enough.  [default: all]", metavar="NAME"
        ),
    ] = ""
    leader_elect: Annotated[
        str | None,
        Flag("Wait until no other manager leads.  [default: true on a cluster, else false]", TRUE_OR_FALSE),
    ] = None
    leader_election_namespace: Annotated[
        str,
        Flag("Namespace of the lease.  [default: that of --namespace, the pod's own, or kube-system]", metavar="NAME"),
    ] = ""
    metrics_bind_address: Annotated[
        str | None,
        Flag(
            "Serve Prometheus metrics, /metrics, there; 0 for not at all.  [default: :8080 on a cluster, else 0]",
            BIND,
            "ADDR:PORT",
        ),
    ] = None
    health_probe_bind_address: Annotated[
        str | None,
        Flag(
            "Answer probes, /healthz and /readyz, there; 0 for not at all.  [default: :8081 on a cluster, else 0]",
            BIND,
            "ADDR:PORT",
        ),
    ] = None
    webhook_port: Annotated[
        int | None,
        Flag("Serve webhooks on this port; 0 for not at all.  [default: 9443 with --in-cluster, else 0]", PORT, "N"),
    ] = None
    webhook_service_name: Annotated[
        str, Flag("Service before the webhooks, for whose names their certificate is made.", metavar="NAME")
    ] = "windlass-manager"
    webhook_secret_name: Annotated[str, Flag("Secret in which managers keep that certificate.", metavar="NAME")] = (
        "windlass-webhook-cert"
    )
    webhook_namespace: Annotated[
        str, Flag("Namespace of both.  [default: the pod's own, or windlass]", metavar="NAME")
    ] = ""
    webhook_cert_dir: Annotated[
        Path | None,
        Flag("Folder with tls.crt and tls.key, of a certificate that somebody else sees to, instead.", PATH, "DIR"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class SchedulerSettings(ClusterFlags, SchedulerFlags):
    """Under the names that Volcano's scheduler has for them."""

    in_cluster: Annotated[bool, Flag("Work against the cluster that this runs in, as a pod.", click.BOOL)] = False
    scheduler_name: Annotated[
        tuple[str, ...],
        Flag(
            "Pods of this schedulerName are placed; repeatable.  [default: all but default-scheduler]",
            metavar="NAME",
            several=True,
        ),
    ] = ()
    schedule_period: Annotated[
        str, Flag("Least time between two cycles, as 500ms or 1s; each follows a change.", metavar="TIME")
    ] = "0s"
    default_queue: Annotated[str, Flag("Queue of groups that name none.", metavar="NAME")] = "default"
    priority_class: Annotated[str, Flag("Whether priority classes of groups count.", TRUE_OR_FALSE)] = "true"
    node_selector: Annotated[str, Flag("Use only nodes with these labels.  [default: all]", metavar="LABELS")] = ""
    percentage_nodes_to_find: Annotated[
        int, Flag("Taken for Volcano's sake: all nodes are always looked at.", WholeNumber(0, 100), "N")
    ] = 0
    minimum_feasible_nodes: Annotated[int, Flag("Taken likewise.", WholeNumber(0), "N")] = 100
    minimum_percentage_nodes_to_find: Annotated[int, Flag("Taken likewise.", WholeNumber(0, 100), "N")] = 5
    leader_elect: Annotated[str, Flag("Wait until no other scheduler leads.", TRUE_OR_FALSE)] = "true"
    leader_elect_resource_namespace: Annotated[
        str, Flag("Namespace of the lease.  [default: the pod's own, or kube-system]", metavar="NAME")
    ] = ""
    listen_address: Annotated[
        str, Flag("Serve Prometheus metrics, /metrics, there; 0 for not at all.", BIND, "ADDR:PORT")
    ] = ":8080"
    healthz_address: Annotated[
        str, Flag("Answer probes, /healthz and /readyz, there; 0 for not at all.", BIND, "ADDR:PORT")
    ] = ":11251"


def takes(struct: type[Settings]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the flags of `struct` and, as its first argument, the struct filled from them."""

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
    """Each field and what is said about it; a struct's own before those that it shares with others."""
    annotations = get_type_hints(struct, include_extras=True)
    by_name = {one.name: one for one in fields(struct)}
    for layer in struct.__mro__:
        for name in inspect.get_annotations(layer):
            yield by_name[name], annotations[name].__metadata__[0]


def name_of(one: Field[Any]) -> str:
    return "--" + one.name.replace("_", "-")


def as_flags(settings: Settings, struct: type[Settings]) -> list[str]:
    """`settings` as the command line of a process that takes `struct`: every value, so its environment adds none."""
    flags: list[str] = []
    for one in fields(struct):
        value = getattr(settings, one.name)
        if value is True:
            flags.append(name_of(one))
        elif isinstance(value, tuple):
            flags += [f"{name_of(one)}={each}" for each in cast(tuple[Any, ...], value)]
        elif value is not None and value is not False:
            flags.append(f"{name_of(one)}={value}")
    return flags


def _option(one: Field[Any], flag: Flag) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    extra: dict[str, Any] = {"help": flag.help, "envvar": "WINDLASS_" + one.name.upper()}
    if one.name == "debug":
        extra["callback"] = _remember_debug
    if flag.type is click.BOOL:
        return click.option(name_of(one), is_flag=True, default=False, **extra)
    if flag.type is TRUE_OR_FALSE:  # the bare name means true, as of others' operators
        extra |= {"is_flag": False, "flag_value": "true"}
    if flag.several:
        return click.option(name_of(one), type=flag.type, multiple=True, metavar=flag.metavar, **extra)
    default = one.default if one.default_factory is MISSING else one.default_factory
    if isinstance(default, int | str) and default != "":
        extra["help"] += f"  [default: {default}]"
    return click.option(name_of(one), type=flag.type, default=default, metavar=flag.metavar, **extra)


def _remember_debug(ctx: click.Context, param: click.Parameter, value: bool) -> bool:
    if value:
        ctx.meta[DEBUG] = True
    return value
