"""The kinds of the apps, and the objects of those kinds that exist from the start."""

import asyncio
import logging

from windlass.apis.app import Provided
from windlass.apiserver.api import Api
from windlass.apiserver.internal import ensure, modify, resource_of
from windlass.apiserver.renewing import renew
from windlass.apps import all_apps
from windlass.kube.errors import ApiError
from windlass.kube.json import Object, dig, dig_list

log = logging.getLogger("windlass.server")


async def provide(api: Api) -> None:
    """Serve the apps' kinds, and create their initial objects."""
    own: set[tuple[str, str]] = set()
    for app in all_apps():  # one after the other: all definitions at once take twice the memory of an idle server
        own |= await _define(api, app.definitions())
    for app in all_apps():
        provided = app.provided()
        built_in = [one for one in provided if not _is_custom(api, one.obj)]
        for one in built_in:  # in order: a namespace before what is in it
            await _provide(api, one, proven=False)
        # What our tests have validated need not be validated again, unless another product installed the definition.
        custom = [(one, _group_kind(one.obj) in own) for one in provided if one not in built_in]
        await asyncio.gather(*[_provide(api, one, proven=proven) for one, proven in custom])


async def _define(api: Api, crds: list[Object]) -> set[tuple[str, str]]:
    """Create or renew definitions; returns groups and kinds of those that are ours."""
    created = await asyncio.gather(*[renew(api, crd, proven=True) for crd in crds])
    return {(crd["spec"]["group"], crd["spec"]["names"]["kind"]) for crd, new in zip(crds, created, strict=True) if new}


def _group_kind(obj: Object) -> tuple[str, str]:
    return str(obj["apiVersion"]).rpartition("/")[0], str(obj["kind"])


def _is_custom(api: Api, obj: Object) -> bool:
    group, _, version = str(obj["apiVersion"]).rpartition("/")
    resource = api.registry.by_kind(group, version, obj["kind"])
    return resource is None or resource.custom


async def _provide(api: Api, provided: Provided, *, proven: bool) -> None:
    obj = provided.obj
    group, _, version = str(obj["apiVersion"]).rpartition("/")
    if api.registry.by_kind(group, version, obj["kind"]) is None:
        return  # a definition that is not ours, without this version
    try:
        if provided.renew:
            await renew(api, obj, provided.renew, proven=proven)
        elif not await ensure(api, {**obj}):
            if provided.adds_ports:
                await _add_ports(api, obj)
        elif "status" in obj:
            await _set_status(api, obj)
    except ApiError as error:  # a definition that is not ours, or a namespace that is being deleted
        log.warning("cannot create %s %s: %s", obj["kind"], obj["metadata"]["name"], error)


async def _add_ports(api: Api, wanted: Object) -> None:
    def with_ports(service: Object) -> Object:
        held = dig_list(service, "spec", "ports")
        names = {dig(port, "name") for port in held}
        missing = [port for port in wanted["spec"]["ports"] if port["name"] not in names]
        return {**service, "spec": {**service["spec"], "ports": [*held, *missing]}} if missing else service

    resource, metadata = resource_of(api, wanted["apiVersion"], wanted["kind"]), wanted["metadata"]
    await modify(api, resource, metadata["namespace"], metadata["name"], with_ports)


async def _set_status(api: Api, wanted: Object) -> None:
    def with_status(obj: Object) -> Object:
        return obj if dig(obj, "status") else {**obj, "status": wanted["status"]}

    resource, metadata = resource_of(api, wanted["apiVersion"], wanted["kind"]), wanted["metadata"]
    await modify(api, resource, metadata.get("namespace", ""), metadata["name"], with_status, "status")
