"""`windlass install`: install Windlass on a cluster, in order, and wait until it is ready."""

import time
from typing import TYPE_CHECKING, Any

import click

from windlass.apis.app import PLATFORM_OPTION
from windlass.apps import tenants
from windlass.cli.cluster.cluster_objects import apply, key_of, wait_for
from windlass.cli.connection import with_client
from windlass.cli.failure import Failure
from windlass.cli.manifests import (
    app_flags,
    app_options,
    check_namespace,
    gateway_options,
    mesh_options,
    mesh_rules,
    options_and_flags,
    parts,
    place_options,
    windlass_image,
)
from windlass.cli.option_types import WholeNumber
from windlass.cli.settings import ClusterFlags, takes

if TYPE_CHECKING:
    from windlass.kube.client import Client

ROUTES = ("networking.istio.io", "VirtualService")


@click.command()
@place_options
@app_flags
@mesh_options
@click.option("--user", metavar="EMAIL", default="", help="Make a profile for this user; needs --platform.")
@click.option(
    "--timeout", type=WholeNumber(1), metavar="SECONDS", default=300, show_default=True, help="How long to wait."
)
@app_options
@takes(ClusterFlags)
def install(
    settings: ClusterFlags,
    namespace: str,
    image: str,
    registry: str,
    external_url: str,
    gateway_tls_secret: str,
    users_secret: str,
    istio_auth_provider: str,
    istio_token_issuer: str,
    keep_mesh_open: bool,
    user: str,
    timeout: int,
    **added: bool | str,
) -> None:
    """Install Windlass on a cluster, or bring an installation up to date.

    Applies what `windlass manifests` prints: definitions first, the rest once they are established. Finds out whether
    the cluster has Istio. Repeating it is safe.
    """
    check_namespace(namespace)
    if user and not added[PLATFORM_OPTION.flag]:
        raise click.BadParameter(f"needs --{PLATFORM_OPTION.flag}: profiles are part of it", param_hint="--user")
    options, flags = options_and_flags(added)
    mesh = mesh_rules(istio_auth_provider, istio_token_issuer, keep_open=keep_mesh_open)
    if settings.kubeconfig is None:
        raise Failure("say which cluster: --kubeconfig FILE", exit_code=2)

    async def work(client: "Client") -> None:
        has_istio = await _has_istio(client)
        gateway = gateway_options(
            external_url, gateway_tls_secret, users_secret, registry, has_istio=has_istio, mesh=mesh
        )
        objects = parts(
            "all",
            namespace,
            windlass_image(image, registry),
            options=options,
            gateway=gateway,
            flags=flags,
        )
        await _install(client, objects, time.monotonic() + timeout)
        if user:
            await _make_profile(client, user, time.monotonic() + timeout)

    with_client(settings, work)


async def _has_istio(client: "Client") -> bool:
    """Whether another product than this one serves Istio's kinds."""
    from windlass.deploy.stages import DEFINITION, is_ours
    from windlass.kube import errors

    kind = await client.find_kind("apiextensions.k8s.io/v1", DEFINITION)
    try:
        definition = await client.get(kind, f"virtualservices.{ROUTES[0]}")
    except errors.NotFound:
        return False
    return not is_ours(definition)


async def _install(client: "Client", objects: list[dict[str, Any]], deadline: float) -> None:
    from windlass.deploy import stages

    definitions, others = stages.definitions(objects), stages.others(objects)
    for obj in definitions:
        await apply(client, obj)
    for obj in definitions:
        await wait_for(client, obj, stages.is_established, deadline, "established")
    click.echo(f"{len(definitions)} kinds are established.")
    await client.served(refresh=True)
    for obj in others:
        await apply(client, obj)
    click.echo(f"{len(others)} other objects are applied.")
    for obj in others:
        if obj["kind"] == stages.DEPLOYMENT:
            await wait_for(client, obj, stages.is_available, deadline, "ready")
            click.echo(f"{obj['metadata']['name']} is ready.")


async def _make_profile(client: "Client", user: str, deadline: float) -> None:
    try:
        profile = tenants().for_user(user)
    except ValueError as error:
        raise Failure(f"--user: {error}", exit_code=2) from error
    await apply(client, profile)
    await wait_for(client, profile, _is_ready, deadline, "ready")
    click.echo(f"profile {key_of(profile).name} of {user} is ready.")


def _is_ready(profile: dict[str, Any]) -> bool:
    conditions = profile.get("status", {}).get("conditions", [])
    return any(one.get("type") == "Ready" and one.get("status") == "True" for one in conditions)
