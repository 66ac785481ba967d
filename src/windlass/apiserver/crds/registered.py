"""Conversions that run in this process, where a cluster would call a webhook."""

from functools import partial

from windlass.apis.wellknown import KUBEFLOW_GROUP as GROUP
from windlass.apiserver.crds.conversion import register_converter
from windlass.apiserver.crds.serve import CustomStrategy
from windlass.apiserver.resources import Registry
from windlass.apps.training.conversion import OLD_VERSIONS, STORED, convert
from windlass.kube.json import Object


def register_converters(registry: Registry) -> None:
    """Register the conversion of old versions of training jobs; v1 objects keep only fields of v1."""

    def prune(obj: Object) -> None:
        stored = registry.by_kind(GROUP, STORED, str(obj["kind"]))
        if stored is not None and isinstance(stored.strategy, CustomStrategy):
            stored.strategy.prune(obj)

    for kind in OLD_VERSIONS:
        register_converter(GROUP, kind, partial(convert, prune=prune))
