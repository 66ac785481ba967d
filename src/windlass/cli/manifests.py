"""`windlass manifests`: print the YAML that installs Windlass' kinds, controllers and webhooks on a cluster."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from windlass.apis.app import App
from windlass.apis.deployment import InstallFlag
from windlass.apis.images import WINDLASS
from windlass.apps import all_apps
from windlass.cli.settings import field_of
from windlass.deploy.app_parts import deployment_of
from windlass.formats import yaml_writer
from windlass.kube.names import dns_label_errors

if TYPE_CHECKING:
    from windlass.deploy.gateway import GatewayOptions
    from windlass.deploy.istio_rules import MeshRules

PARTS = (
    "all",
    "crds",
    "operator",
    "webhooks",
    "gateway",
    "scheduler",
    *(part for app in all_apps() for part in app.parts),
)

_ORIGIN = re.compile(r"https?://[a-zA-Z0-9.-]+(:[0-9]{1,5})?")
_PROVIDER = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_ISSUER = re.compile(r"https://[^\s?#]+")
_REGISTRY = re.compile(r"[a-z0-9.-]+(:[0-9]{1,5})?(/[a-z0-9._-]+)*/?")


def app_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add a flag for each optional app."""
    options = {app.install_option.flag: app.install_option for app in all_apps() if app.install_option is not None}
    for option in reversed(options.values()):
        command = click.option(f"--{option.flag}", is_flag=True, help=option.help)(command)
    return command


def place_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the flags that say where Windlass' programs and their images are, and where browsers find the gateway."""
    options = (
        click.option(
            "--namespace", metavar="NAME", default="windlass", show_default=True, help="Namespace of Windlass."
        ),
        click.option(
            "--image",
            metavar="IMAGE",
            default="",
            help="Image of Windlass.  [default: windlass:VERSION, from --registry]",
        ),
        click.option(
            "--registry", metavar="HOST[/PATH]", default="", help="Take all images from this registry instead."
        ),
        click.option(
            "--external-url",
            metavar="URL",
            default="",
            help="Where browsers find the gateway.  [default: http://localhost:8080, by kubectl port-forward]",
        ),
        click.option(
            "--gateway-tls-secret",
            metavar="NAME",
            default="",
            help="Secret with the gateway's tls.crt and tls.key.  [default: none, a proxy has the certificate]",
        ),
        click.option(
            "--users-secret",
            metavar="NAME",
            default="",
            help="Secret with users.yaml: users, clients and issuers in dex's format.  [default: none]",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def app_flags(command: Callable[..., None]) -> Callable[..., None]:
    """Add the flags of the apps that are not install options."""
    for _, flag in reversed(list(_install_flags())):
        command = click.option(f"--{flag.name}", metavar=flag.metavar, default="", help=flag.help)(command)
    return command


def _install_flags() -> Iterator[tuple[App, InstallFlag]]:
    return ((app, flag) for app in all_apps() for flag in deployment_of(app).flags)


def mesh_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the flags for a cluster that has Istio."""
    options = (
        click.option(
            "--istio-auth-provider",
            metavar="NAME",
            default="",
            help="Extension provider of the mesh that asks the gateway about sessions.  [default: none]",
        ),
        click.option(
            "--istio-token-issuer",
            metavar="URL",
            default="",
            help="Issuer of service-account tokens, for Istio's ingress.  [default: the usual one of clusters]",
        ),
        click.option(
            "--keep-mesh-open",
            is_flag=True,
            help="Write no rule that denies by default: workloads of the mesh without a policy stay reachable.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def mesh_rules(auth_provider: str, token_issuer: str, *, keep_open: bool) -> "MeshRules":
    """Raises BadParameter for names that Istio could not use."""
    from windlass.deploy.istio_rules import CLUSTER_ISSUER, MeshRules

    if auth_provider and not _PROVIDER.fullmatch(auth_provider):
        raise click.BadParameter("must be the name of a provider", param_hint="--istio-auth-provider")
    if token_issuer and not _ISSUER.fullmatch(token_issuer):
        raise click.BadParameter("must begin with https://", param_hint="--istio-token-issuer")
    return MeshRules(
        deny_by_default=not keep_open, auth_provider=auth_provider, token_issuer=token_issuer or CLUSTER_ISSUER
    )


@click.command()
@click.argument("part", type=click.Choice(PARTS), default="all")
@place_options
@app_flags
@click.option("--istio", is_flag=True, help="The cluster has Istio: print no definitions of its kinds, and use it.")
@mesh_options
@click.option(
    "--webhook-url",
    metavar="URL",
    default="",
    help="URL at which API servers reach a manager outside the cluster, instead of the Service.",
)
@app_options
def manifests(
    part: str,
    namespace: str,
    image: str,
    registry: str,
    external_url: str,
    gateway_tls_secret: str,
    users_secret: str,
    istio: bool,
    istio_auth_provider: str,
    istio_token_issuer: str,
    keep_mesh_open: bool,
    webhook_url: str,
    **added: bool | str,
) -> None:
    """Print the manifests that install Windlass on a cluster.

    Prints all of them or one part: crds (the kinds), operator (the manager and its RBAC rules), webhooks, gateway (the
    front door; empty without --platform), scheduler (the gang scheduler, which runs next to the cluster's own and is
    part of all only with --volcano), runtimes (those of TrainJobs; apply them after everything else). Apply them with
    `kubectl apply --server-side -f -`: the CRDs are too long for the last-applied annotation.
    """
    if webhook_url and not webhook_url.startswith("https://"):
        raise click.BadParameter("must begin with https://", param_hint="--webhook-url")
    check_namespace(namespace)
    mesh = mesh_rules(istio_auth_provider, istio_token_issuer, keep_open=keep_mesh_open)
    gateway = gateway_options(external_url, gateway_tls_secret, users_secret, registry, has_istio=istio, mesh=mesh)
    options, flags = options_and_flags(added)
    image = windlass_image(image, registry)
    objects = parts(part, namespace, image, webhook_url, options=options, gateway=gateway, flags=flags)
    click.echo(as_yaml(objects), nl=False)


def check_namespace(namespace: str) -> None:
    if errors := dns_label_errors(namespace):
        raise click.BadParameter(errors[0], param_hint="--namespace")


def windlass_image(image: str, registry: str) -> str:
    """The given image as it is, or the default one of the registry."""
    from windlass.apis.images import in_registry

    if image and not image.strip():
        raise click.BadParameter("must not be empty", param_hint="--image")
    return image or in_registry(WINDLASS, registry)


def gateway_options(
    external_url: str, tls_secret: str, users_secret: str, registry: str, *, has_istio: bool, mesh: "MeshRules"
) -> "GatewayOptions":
    """Raises BadParameter for an address that no browser could use, and for names that are none."""
    from windlass.deploy.gateway import DEFAULT_URL, GatewayOptions

    url = (external_url or DEFAULT_URL).rstrip("/")
    if not _ORIGIN.fullmatch(url):
        raise click.BadParameter(
            "must be a scheme and a host, such as https://ml.example.com", param_hint="--external-url"
        )
    for flag, name in (("--gateway-tls-secret", tls_secret), ("--users-secret", users_secret)):
        if name and (errors := dns_label_errors(name)):
            raise click.BadParameter(errors[0], param_hint=flag)
    if registry and not _REGISTRY.fullmatch(registry):
        raise click.BadParameter("must be a host and perhaps a path, without a scheme", param_hint="--registry")
    return GatewayOptions(
        external_url=url,
        tls_secret=tls_secret,
        users_secret=users_secret,
        registry=registry,
        has_istio=has_istio,
        mesh=mesh,
    )


def options_and_flags(given: Mapping[str, bool | str]) -> tuple[list[str], dict[str, str]]:
    """Return the install options that are on, and the values of the apps' own flags.

    Raises BadParameter for flags of an app that is not installed, and for values that they cannot have.
    """
    options = [name for name, value in given.items() if value is True]
    flags = {flag.name: str(given.get(field_of(flag.name)) or "") for _, flag in _install_flags()}
    for app, flag in _install_flags():
        if flags[flag.name] and app.install_option is not None and app.install_option.flag not in options:
            raise click.BadParameter(f"needs --{app.install_option.flag}", param_hint=f"--{flag.name}")
    for _, flag in _install_flags():
        if flags[flag.name] and (problem := flag.problem(flags[flag.name])):
            raise click.BadParameter(problem, param_hint=f"--{flag.name}")
    return options, flags


def parts(
    part: str,
    namespace: str,
    image: str,
    webhook_url: str = "",
    *,
    options: Collection[str] = (),
    gateway: "GatewayOptions | None" = None,
    flags: Mapping[str, str] | None = None,
) -> list[dict[str, Any]]:
    """The objects of a part, in the order in which a cluster can apply them. `options` add apps."""
    from windlass.deploy import manager
    from windlass.deploy.program import labelled
    from windlass.deploy.scheduler import scheduler
    from windlass.webhooks.addresses import Url

    place = Url(base=webhook_url) if webhook_url else None
    wanted = manager.Installation.of(namespace, image, place, options=options, gateway=gateway, flags=flags)
    objects: list[dict[str, Any]] = []
    if part in ("all", "crds"):
        objects += manager.custom_resources(wanted)
    if part in ("all", "operator"):
        objects += manager.operator(wanted)
    if part in ("all", "webhooks"):
        objects += manager.webhooks(wanted)
    if part in ("all", "gateway"):
        objects += [obj for obj in manager.front_door(wanted) if obj not in objects]
    # No part of all: kubectl takes no object of a kind that the same file defines.
    objects += [obj for app in all_apps() if part in app.parts for obj in app.parts[part]()]
    if part == "scheduler" or (part == "all" and wanted.with_scheduler):
        objects += [obj for obj in scheduler(namespace, image) if obj not in objects]
    return [labelled(obj) for obj in objects]


def as_yaml(objects: Iterable[dict[str, Any]]) -> str:
    """One YAML document per object, without aliases, since Kubernetes does not read them across documents."""
    return yaml_writer.write_manifests(objects, width=120)
