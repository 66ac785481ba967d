"""One string for equal strings: thousands of objects in a cache repeat the same labels, kinds and namespaces.

A decoder makes every string anew. Caches keep objects for long, so it pays to put one string in place of its equals: a
third of the memory of a Service, a sixth of that of a Pod.
"""

from sys import intern

from msgspec.structs import force_setattr

from windlass.kube import meta
from windlass.kube.json import is_object
from windlass.kube.objects import AnyObject


def share_strings(obj: AnyObject) -> None:
    """Do so in a typed object that nobody has seen yet: its values stay equal, but it is written to."""
    if isinstance(obj, meta.Object | meta.PartialObjectMetadata):
        _share_in_metadata(obj.metadata)
        selector = getattr(getattr(obj, "spec", None), "selector", None)
        if is_object(selector):
            _share_in(selector)


def _share_in_metadata(metadata: meta.ObjectMeta) -> None:
    _share_in(metadata.labels)
    force_setattr(metadata, "namespace", intern(metadata.namespace))
    for owner in metadata.owner_references:
        force_setattr(owner, "api_version", intern(owner.api_version))
        force_setattr(owner, "kind", intern(owner.kind))


def _share_in(labels: dict[str, str]) -> None:
    if labels:
        shared = {intern(name): intern(value) for name, value in labels.items()}
        labels.clear()
        labels.update(shared)
