"""A workload's past templates, ControllerRevisions: how old pods differ from new, and what a rollout is undone to.

A template that was there before gets its old revision back, with a new number; another one gets a new revision, named
after the template's hash, so that it is never made twice.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from windlass.apis.apps_v1 import ControllerRevision
from windlass.apis.core_v1 import Json, PodTemplate
from windlass.controllers.core.deployment_templates import same_template, template_hash
from windlass.kube import meta
from windlass.kube.json import dig_object
from windlass.kube.plan import Patch

HASH = "controller.kubernetes.io/hash"
POD_REVISION = "controller-revision-hash"
LONGEST_PREFIX = 223
DEFAULT_LIMIT = 10


@dataclass(frozen=True, slots=True)
class Newest:
    """The revision of a workload's present template, and what must be written for it."""

    name: str
    hash: str
    collisions: int
    create: Sequence[Json] = ()
    patch: Sequence[Patch] = ()


def newest(
    owner: meta.Object,
    template: PodTemplate,
    known: Sequence[ControllerRevision],
    collisions: int,
    label: str = HASH,
) -> Newest:
    """`known` are the owner's revisions, in any order; `label` is where the hash is kept."""
    ordered = sorted(known, key=lambda revision: revision.revision)
    number = ordered[-1].revision + 1 if ordered else 1
    same = [revision for revision in ordered if same_template(template_of(revision), template)]
    if same:
        found = same[-1]
        patch = [] if found is ordered[-1] else [Patch(found, {"revision": number})]
        return Newest(found.metadata.name, hash_of(owner, found, label), collisions, patch=patch)
    taken = {revision.metadata.name for revision in ordered}
    while (name := _name(owner, short := template_hash(template, collisions))) in taken:
        collisions += 1
    return Newest(name, short, collisions, create=[_revision(owner, template, name, {label: short}, number)])


def template_of(revision: ControllerRevision) -> PodTemplate:
    template = dig_object(revision.data, "spec", "template")
    return {key: value for key, value in template.items() if key != "$patch"}


def hash_of(owner: meta.Object, revision: ControllerRevision, label: str = HASH) -> str:
    given = revision.metadata.labels.get(label)
    return given or revision.metadata.name.removeprefix(f"{owner.metadata.name[:LONGEST_PREFIX]}-")


def outdated(known: Sequence[ControllerRevision], live: Collection[str], limit: int | None) -> list[ControllerRevision]:
    """The oldest of those that nothing refers to, beyond the number that the workload keeps."""
    past = sorted((one for one in known if one.metadata.name not in live), key=lambda revision: revision.revision)
    surplus = len(past) - (DEFAULT_LIMIT if limit is None else limit)
    return past[: max(surplus, 0)]


def _name(owner: meta.Object, short: str) -> str:
    return f"{owner.metadata.name[:LONGEST_PREFIX]}-{short}"


def _revision(owner: meta.Object, template: PodTemplate, name: str, label: Json, number: int) -> Json:
    labels = {**dig_object(template, "metadata", "labels"), **label}
    metadata: Json = {"name": name, "namespace": owner.metadata.namespace, "labels": labels}
    if owner.metadata.annotations:
        metadata["annotations"] = owner.metadata.annotations
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": metadata,
        "data": {"spec": {"template": {**template, "$patch": "replace"}}},
        "revision": number,
    }
