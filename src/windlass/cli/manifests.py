"""`windlass manifests`: the YAML that installs Windlass' kinds, controllers and webhooks on a cluster."""

from collections.abc import Iterable
from typing import Any

import click

from windlass import __version__
from windlass.kube.names import dns_label_errors

PARTS = ("all", "crds", "operator", "webhooks", "scheduler", "runtimes")


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
    help="Where API servers reach a manager that runs outside the cluster, instead of the Service.",
)
@click.option(
    "--volcano",
    is_flag=True,
    help="In place of Volcano: its kinds, their controllers and webhooks too, and all includes the scheduler.",
)
@click.option(
    "--trainer",
    is_flag=True,
    help="In place of Kubeflow's Trainer and of JobSet: their kinds, controllers and webhooks too.",
)
def manifests(part: str, namespace: str, image: str, webhook_url: str, volcano: bool, trainer: bool) -> None:
    """Print the manifests that install Windlass on a cluster.

    All of them, or a part: crds (the training kinds), operator (the manager and its rights), webhooks, scheduler (that
    of gangs, beside the cluster's own; without --volcano it is no part of all), runtimes (those of TrainJobs; apply
    them when all else is there). Apply them with `kubectl apply --server-side -f -`: the definitions are too long for
    an annotation.
    """
    if webhook_url and not webhook_url.startswith("https://"):
        raise click.BadParameter("must begin with https://", param_hint="--webhook-url")
    if errors := dns_label_errors(namespace):
        raise click.BadParameter(errors[0], param_hint="--namespace")
    if not image.strip():
        raise click.BadParameter("must not be empty", param_hint="--image")
    click.echo(as_yaml(parts(part, namespace, image, webhook_url, volcano=volcano, trainer=trainer)), nl=False)


def parts(
    part: str, namespace: str, image: str, webhook_url: str = "", *, volcano: bool = False, trainer: bool = False
) -> list[dict[str, Any]]:
    """The objects of a part, in an order in which a cluster can take them."""
    from windlass.apis.trainer.runtimes import runtimes
    from windlass.cli import cluster_objects as objects
    from windlass.cli.cluster_scheduler import scheduler
    from windlass.webhooks.asked import Url

    place = Url(base=webhook_url) if webhook_url else None
    wanted = objects.Installation.of(namespace, image, place, volcano=volcano, trainer=trainer)
    found: list[dict[str, Any]] = []
    if part in ("all", "crds"):
        found += objects.custom_resources(wanted)
    if part in ("all", "operator"):
        found += objects.operator(wanted)
    if part in ("all", "webhooks"):
        found += objects.webhooks(wanted)
    if part == "runtimes":  # no part of all: kubectl takes no object of a kind that the same file defines
        found += runtimes()
    if part == "scheduler" or (part == "all" and volcano):
        found += [obj for obj in scheduler(namespace, image) if obj not in found]
    return found


def as_yaml(objects: Iterable[dict[str, Any]]) -> str:
    """A document each. What objects share is written out in each of them: Kubernetes reads no aliases across."""
    import yaml

    dumper: Any = type("Dumper", (getattr(yaml, "CSafeDumper", yaml.SafeDumper),), {"ignore_aliases": _always})
    return yaml.dump_all(objects, Dumper=dumper, sort_keys=False, explicit_start=True, allow_unicode=True, width=120)


def _always(*_: object) -> bool:
    return True
