"""Conversions that run in this process, where a cluster would call a webhook."""

from functools import partial

from windlass.apiserver.crds.conversion import register_converter
from windlass.apiserver.crds.serve import CustomStrategy
from windlass.apiserver.resources import Registry
from windlass.apps import all_apps
from windlass.kube.json import Object
from windlass.kube.kind import KINDS


def register_converters(registry: Registry) -> None:
    """Register the conversions of all apps; stored objects keep only fields of their definition on this server."""

    def prune(obj: Object) -> None:
        group, _, version = str(obj["apiVersion"]).rpartition("/")
        stored = registry.by_kind(group, version, str(obj["kind"]))
        if stored is not None and isinstance(stored.strategy, CustomStrategy):
            stored.strategy.prune(obj)

    for conversion in filter(None, (app.conversion for app in all_apps())):
        for kind in map(KINDS.of, conversion.versions):
            register_converter(kind.group, kind.name, partial(conversion.convert, prune=prune))
