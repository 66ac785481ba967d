"""Settings of the processes that run controllers: `windlass manager`, and `windlass up`, which starts one.

The flags of apps are those of their options; see `windlass.apis.options`.
"""

from dataclasses import dataclass, field, make_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from windlass.apis.options import Declared, declared
from windlass.apps import options_of_apps
from windlass.cli.option_types import BIND, INPUT, PATH, PORT, TRUE_OR_FALSE, WholeNumber
from windlass.cli.settings import (
    ClusterFlags,
    Flag,
    GatewayFlags,
    NodeFlags,
    SchedulerFlags,
    ServerFlags,
    Settings,
    field_of,
)


def _flag(each: Declared) -> Flag:
    return Flag(each.option.help, _flag_type(each), each.option.metavar or None)


def _flag_type(each: Declared) -> click.ParamType:
    if each.option.is_file:
        return INPUT
    if each.option.choices:
        return click.Choice(each.option.choices)
    return {bool: TRUE_OR_FALSE, int: WholeNumber(1)}.get(each.type, click.STRING)


def _default(each: Declared) -> object:
    if each.option.is_file:
        return None
    return str(each.default).lower() if each.type is bool else each.default


def _app_flags() -> type[Settings]:
    flags = [
        (field_of(each.option.flag), Annotated[Any, _flag(each)], field(default=_default(each)))
        for struct in options_of_apps()
        for each in declared(struct)
        if each.option.flag
    ]
    return make_dataclass("AppFlags", flags, bases=(Settings,), frozen=True, kw_only=True)


if TYPE_CHECKING:

    class AppFlags(Settings):
        """Flags of all apps."""

else:
    AppFlags = _app_flags()


@dataclass(frozen=True, kw_only=True)
class ControllerFlags(AppFlags):
    """Flags of the controllers of apps."""

    enable_scheme: Annotated[
        tuple[str, ...],
        Flag(
            "Kinds of jobs to reconcile: TFJob,PyTorchJob …, TrainJob, JobSet, Volcano; repeatable.  [default: all]",
            metavar="KIND[,KIND…]",
            multiple=True,
        ),
    ] = ()


@dataclass(frozen=True, kw_only=True)
class UpSettings(ServerFlags, NodeFlags, ControllerFlags, SchedulerFlags, GatewayFlags):
    detach: Annotated[bool, Flag("Return when ready and leave it running; `windlass down` stops it.", click.BOOL)] = (
        False
    )
    no_manager: Annotated[bool, Flag("Do not run the controllers.", click.BOOL)] = False
    no_node: Annotated[bool, Flag("Do not run the node agent: pods stay pending.", click.BOOL)] = False
    no_gateway: Annotated[bool, Flag("Do not run the gateway: no login and no web pages.", click.BOOL)] = False


@dataclass(frozen=True, kw_only=True)
class ManagerSettings(ClusterFlags, ControllerFlags, SchedulerFlags):
    in_cluster: Annotated[bool, Flag("Use the cluster that this process runs in, as a pod.", click.BOOL)] = False
    namespace: Annotated[
        str,
        Flag("On a cluster: watch only this namespace, which needs only a Role.  [default: all]", metavar="NAME"),
    ] = ""
    leader_elect: Annotated[
        str | None,
        Flag(
            "Run the controllers only as the elected leader.  [default: true on a cluster, else false]", TRUE_OR_FALSE
        ),
    ] = None
    leader_election_namespace: Annotated[
        str,
        Flag("Namespace of the lease.  [default: that of --namespace, the pod's own, or kube-system]", metavar="NAME"),
    ] = ""
    metrics_bind_address: Annotated[
        str | None,
        Flag(
            "Address of Prometheus metrics (/metrics); 0 disables them.  [default: :8080 on a cluster, else 0]",
            BIND,
            "ADDR:PORT",
        ),
    ] = None
    health_probe_bind_address: Annotated[
        str | None,
        Flag(
            "Address of health probes (/healthz, /readyz); 0 disables them.  [default: :8081 on a cluster, else 0]",
            BIND,
            "ADDR:PORT",
        ),
    ] = None
    webhook_port: Annotated[
        int | None,
        Flag("Port of the webhooks; 0 disables them.  [default: 9443 with --in-cluster, else 0]", PORT, "N"),
    ] = None
    webhook_service_name: Annotated[
        str, Flag("Service of the webhooks; their certificate is issued for its DNS names.", metavar="NAME")
    ] = "windlass-manager"
    webhook_secret_name: Annotated[str, Flag("Secret that stores that certificate.", metavar="NAME")] = (
        "windlass-webhook-cert"
    )
    webhook_namespace: Annotated[
        str, Flag("Namespace of that Service and Secret.  [default: the pod's own, or windlass]", metavar="NAME")
    ] = ""
    webhook_cert_dir: Annotated[
        Path | None,
        Flag("Directory with tls.crt and tls.key of an externally managed certificate.", PATH, "DIR"),
    ] = None
