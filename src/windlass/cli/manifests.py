"""`windlass manifests`: print the YAML that installs Windlass' kinds, controllers and webhooks on a cluster."""

from collections.abc import Callable, Collection, Iterable
from typing import Any

import click

from windlass import __version__
from windlass.apis.families import FAMILIES
from windlass.kube.names import dns_label_errors

PARTS = ("all", "crds", "operator", "webhooks", "scheduler", *(part for family in FAMILIES for part in family.parts))


def family_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add a flag for each optional product family."""
    options = {family.option.flag: family.option for family in FAMILIES if family.option is not None}
    for option in reversed(options.values()):
        command = click.option(f"--{option.flag}", is_flag=True, help=option.help)(command)
    return command


@click.command()
@click.argument("part", type=click.Choice(PARTS), default="all")
@click.option("--namespace", metavar="NAME", default="windlass", show_default=True, help="Namespace of Windlass.")
@click.option(
    "--image",
    metavar="IMAGE",
    default=f"windlass:{__version__}",
    help="Image of Windlass.  [default: windlass:VERSION]",
)
@click.option(
    "--webhook-url",
    metavar="URL",
    default="",
    help="URL at which API servers reach a manager outside the cluster, instead of the Service.",
)
@family_options
def manifests(part: str, namespace: str, image: str, webhook_url: str, **added: bool) -> None:
    """Print the manifests that install Windlass on a cluster.

    Prints all of them or one part: crds (the training kinds), operator (the manager and its RBAC rules), webhooks,
    scheduler (the gang scheduler, which runs next to the cluster's own and is part of all only with --volcano),
    runtimes (those of TrainJobs; apply them after everything else). Apply them with `kubectl apply --server-side -f -`:
    the CRDs are too long for the last-applied annotation.
    """
    if webhook_url and not webhook_url.startswith("https://"):
        raise click.BadParameter("must begin with https://", param_hint="--webhook-url")
    if errors := dns_label_errors(namespace):
        raise click.BadParameter(errors[0], param_hint="--namespace")
    if not image.strip():
        raise click.BadParameter("must not be empty", param_hint="--image")
    options = [flag for flag, is_added in added.items() if is_added]
    click.echo(as_yaml(parts(part, namespace, image, webhook_url, options=options)), nl=False)


def parts(
    part: str, namespace: str, image: str, webhook_url: str = "", *, options: Collection[str] = ()
) -> list[dict[str, Any]]:
    """The objects of a part, in the order in which a cluster can apply them. `options` add families."""
    from windlass.deploy import manager
    from windlass.deploy.scheduler import scheduler
    from windlass.webhooks.places import Url

    place = Url(base=webhook_url) if webhook_url else None
    wanted = manager.Installation.of(namespace, image, place, options=options)
    objects: list[dict[str, Any]] = []
    if part in ("all", "crds"):
        objects += manager.custom_resources(wanted)
    if part in ("all", "operator"):
        objects += manager.operator(wanted)
    if part in ("all", "webhooks"):
        objects += manager.webhooks(wanted)
    # No part of all: kubectl takes no object of a kind that the same file defines.
    objects += [obj for family in FAMILIES if part in family.parts for obj in family.parts[part]()]
    if part == "scheduler" or (part == "all" and wanted.with_scheduler):
        objects += [obj for obj in scheduler(namespace, image) if obj not in objects]
    return objects


def as_yaml(objects: Iterable[dict[str, Any]]) -> str:
    """One YAML document per object, without aliases, since Kubernetes does not read them across documents."""
    import yaml

    dumper: Any = type("Dumper", (getattr(yaml, "CSafeDumper", yaml.SafeDumper),), {"ignore_aliases": _always})
    return yaml.dump_all(objects, Dumper=dumper, sort_keys=False, explicit_start=True, allow_unicode=True, width=120)


def _always(*_: object) -> bool:
    return True
