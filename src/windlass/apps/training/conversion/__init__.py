"""Lossless conversion of training jobs between v1 and older versions.

v1 is the stored version. Fields of an old object that v1 lacks are saved in the annotation `training.windlass.dev/<old
version>`; fields of a v1 object that the old version lacks are saved in `training.windlass.dev/v1`. Converting back
restores the fields and removes the annotations.
"""

from windlass.apis.app import Prune
from windlass.apps.training.conversion import mpijob, tfjob
from windlass.apps.training.conversion.problems import legacy_problems
from windlass.apps.training.conversion.round_trip import Kept, differences, encoded, read, restored, without
from windlass.apps.training.conversion.versions import Rule, Version
from windlass.apps.training.job import OURS
from windlass.apps.training.kinds.common import GROUP
from windlass.kube.json import Object, dig_object, is_object

__all__ = ["OLD_VERSIONS", "convert", "legacy_problems"]

STORED = "v1"
OLD_VERSIONS = {
    "TFJob": {version.name: version for version in tfjob.VERSIONS},
    "MPIJob": {version.name: version for version in mpijob.VERSIONS},
}
"""The versions that are served besides v1, by kind and name."""


def convert(obj: Object, api_version: str, prune: Prune = lambda obj: None) -> Object:
    """Convert a training job to another version of its kind; `obj` is left unchanged.

    `prune` may remove fields that v1 does not know from a v1 object, in place; they are saved in the annotation too.
    """
    source, target = (version.rpartition("/")[2] for version in (str(obj.get("apiVersion")), api_version))
    versions = OLD_VERSIONS[str(obj.get("kind"))]
    if source != STORED and source != target:
        obj = _raised(obj, versions[source], prune)
    return obj if target in (source, STORED) else _lowered(obj, versions[target], prune)


def _raised(obj: Object, version: Version, prune: Prune) -> Object:
    """Convert an object of an old version to the stored version."""
    written = dig_object(obj, "spec")
    shape = version.shape_of(written)
    form = OLD_VERSIONS[str(obj["kind"])].get(shape, version)
    annotations = dig_object(obj, "metadata", "annotations")
    spec = _pruned(obj, restored(form.raised(written), read(annotations.get(OURS + STORED)).differences), prune)
    lost = differences(form.keyed(form.lowered(spec)), form.keyed(written))
    kept = _note(version.name, Kept(tuple(lost), shape))
    annotations = version.annotated(without(annotations, OURS + STORED, OURS + version.name), True)
    return _with(obj, STORED, annotations | kept, spec, version.raised_status)


def _lowered(obj: Object, version: Version, prune: Prune) -> Object:
    """Convert a stored object to an old version."""
    stored = dig_object(obj, "spec")
    annotations = dig_object(obj, "metadata", "annotations")
    known = read(annotations.get(OURS + version.name))
    form = OLD_VERSIONS[str(obj["kind"])].get(known.shape, version)
    spec = form.listed(restored(form.keyed(form.lowered(stored)), known.differences))
    back = _pruned(obj, restored(form.raised(spec), ()), prune)
    kept = _note(STORED, Kept(tuple(differences(back, stored))))
    annotations = version.annotated(without(annotations, OURS + STORED, OURS + version.name), False)
    return _with(obj, version.name, annotations | kept, spec, version.lowered_status)


def _pruned(obj: Object, spec: Object, prune: Prune) -> Object:
    """Return a copy of a v1 spec, without fields that v1 does not know."""
    prune({"apiVersion": f"{GROUP}/{STORED}", "kind": obj["kind"], "metadata": {}, "spec": spec})
    return spec


def _with(obj: Object, version: str, annotations: Object, spec: Object, status_rule: Rule) -> Object:
    metadata = without(dig_object(obj, "metadata"), "annotations")
    if annotations:
        metadata["annotations"] = annotations
    converted = {**obj, "apiVersion": f"{GROUP}/{version}", "metadata": metadata, "spec": spec}
    if is_object(obj.get("status")):
        converted["status"] = status_rule(obj["status"])
    return converted


def _note(version: str, kept: Kept) -> Object:
    """The annotation with the saved differences; empty without any."""
    return {OURS + version: encoded(kept)} if kept != Kept() else {}
