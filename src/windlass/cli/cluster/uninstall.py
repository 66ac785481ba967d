"""`windlass uninstall`: remove Windlass from a cluster, however it was installed."""

import time
from typing import TYPE_CHECKING, Any

import click

from windlass.apps import all_apps, tenants
from windlass.cli.cluster.cluster_objects import delete, find, key_of, others_in, wait_until_gone
from windlass.cli.connection import with_client
from windlass.cli.failure import Failure
from windlass.cli.manifests import check_namespace, parts
from windlass.cli.option_types import WholeNumber
from windlass.cli.settings import ClusterFlags, takes

if TYPE_CHECKING:
    from windlass.kube.client import Client

MAX_NAMED = 3  # of the objects that keep a namespace


@click.command()
@click.option("--namespace", metavar="NAME", default="windlass", show_default=True, help="Namespace of Windlass.")
@click.option("--with-data", is_flag=True, help="Delete the namespaces of profiles too, with everything in them.")
@click.option(
    "--timeout", type=WholeNumber(1), metavar="SECONDS", default=300, show_default=True, help="How long to wait."
)
@takes(ClusterFlags)
def uninstall(settings: ClusterFlags, namespace: str, with_data: bool, timeout: int) -> None:
    """Remove Windlass from a cluster, whether `windlass install` or kubectl applied it.

    Objects of its kinds, such as notebooks and jobs, go with the kinds. Namespaces of profiles stay, with their volumes
    and role bindings, unless --with-data is given.
    """
    check_namespace(namespace)
    if settings.kubeconfig is None:
        raise Failure("say which cluster: --kubeconfig FILE", exit_code=2)
    with_client(settings, lambda client: _uninstall(client, namespace, with_data, time.monotonic() + timeout))


async def _uninstall(client: "Client", namespace: str, with_data: bool, deadline: float) -> None:
    from windlass.deploy import stages

    ours = [
        obj for obj in everything(namespace) if (found := await find(client, obj)) is not None and stages.is_ours(found)
    ]
    if not ours:
        raise Failure("nothing to remove: Windlass is not installed on this cluster")
    if with_data:
        await _delete_profiles(client, deadline)
    ordered = stages.removal_order(ours)
    programs = [obj for obj in ordered if obj["kind"] not in (stages.DEFINITION, stages.NAMESPACE)]
    await _remove(client, programs, deadline)
    await _release_profiles(client, deadline)
    for obj in _made_by_programs(namespace):
        await delete(client, await client.kind_of(obj), key_of(obj))
    await _remove(client, [obj for obj in ordered if obj["kind"] == stages.DEFINITION], deadline)
    kept = await _kept_namespaces(client, [obj for obj in ordered if obj["kind"] == stages.NAMESPACE])
    namespaces = [obj for obj in ordered if obj["kind"] == stages.NAMESPACE and obj["metadata"]["name"] not in kept]
    await _remove(client, namespaces, deadline)
    click.echo(f"{len(ours) - len(kept)} objects are removed.")
    for name, others in kept.items():
        click.echo(f"Namespace/{name} stays, with {', '.join(others[:MAX_NAMED])}{' …' if others[MAX_NAMED:] else ''}.")


async def _remove(client: "Client", objects: list[dict[str, Any]], deadline: float) -> None:
    for obj in objects:
        await delete(client, await client.kind_of(obj), key_of(obj))
    await wait_until_gone(client, objects, deadline)


async def _kept_namespaces(client: "Client", namespaces: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Namespaces that may have been there before Windlass and have objects of others, with the names of these."""
    from windlass.deploy import stages

    kept: dict[str, list[str]] = {}
    for obj in namespaces:
        name, found = obj["metadata"]["name"], await find(client, obj)
        if found is None or stages.is_applied_by_install(found):
            continue
        if others := await others_in(client, name):
            kept[name] = others
    return kept


def everything(namespace: str) -> list[dict[str, Any]]:
    """Each object that an installation of any options may have."""
    flags = sorted({app.install_option.flag for app in all_apps() if app.install_option is not None})
    from windlass.deploy.gateway import GatewayOptions
    from windlass.deploy.istio_rules import MeshRules

    mesh = GatewayOptions(has_istio=True, mesh=MeshRules(auth_provider="any"))
    with_istio = parts("gateway", namespace, "", options=flags, gateway=mesh)
    printed = parts("all", namespace, "", options=flags)
    names = {(obj["kind"], obj["metadata"]["name"]) for obj in printed}
    return [*printed, *(obj for obj in with_istio if (obj["kind"], obj["metadata"]["name"]) not in names)]


def _made_by_programs(namespace: str) -> list[dict[str, Any]]:
    """What the manager makes for itself; it stays where the namespace is not Windlass' own."""
    from windlass.deploy.manager import SECRET_NAME

    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": SECRET_NAME, "namespace": namespace}}
    leases = [
        {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": f"windlass-{part}", "namespace": namespace},
        }
        for part in ("manager", "scheduler")
    ]
    return [secret, *leases]


async def _profiles(client: "Client") -> list[dict[str, Any]]:
    from windlass.kube import errors
    from windlass.kube.kind import KINDS

    kind = KINDS.of(tenants().kind)
    try:
        found = (await client.list(kind)).items
    except errors.NotFound:
        return []
    return [{"apiVersion": kind.api_version, "kind": kind.name, **profile} for profile in found]


async def _delete_profiles(client: "Client", deadline: float) -> None:
    """While the manager runs, which takes their finalizer away; their namespaces follow."""
    profiles = await _profiles(client)
    namespaces = [_namespace(profile) for profile in profiles]
    await _remove(client, profiles, deadline)
    await _remove(client, namespaces, deadline)


async def _release_profiles(client: "Client", deadline: float) -> None:
    """Delete profiles but not what they own, which would go with their kind: namespaces keep their data."""
    profiles = await _profiles(client)
    for obj in profiles:
        kind = await client.kind_of(obj)
        await client.delete(kind, key_of(obj), propagation="Orphan")
        finalizers = [name for name in obj["metadata"].get("finalizers", []) if name != tenants().finalizer]
        await client.patch(kind, key_of(obj), {"metadata": {"finalizers": [*finalizers, "orphan"]}})
    await wait_until_gone(client, profiles, deadline)


def _namespace(profile: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": profile["metadata"]["name"]}}
