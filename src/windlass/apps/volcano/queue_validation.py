"""Validation of Queues, with the messages of Volcano's webhook: their own amounts, and their path in the hierarchy."""

from collections.abc import Iterator, Mapping

from windlass.apps.volcano import queue_tree
from windlass.apps.volcano.queue_defaults import HIERARCHY, HIERARCHY_WEIGHTS
from windlass.apps.volcano.queue_references import ROOT, children_of
from windlass.apps.volcano.wording import aggregated
from windlass.kube.errors import Cause, invalid
from windlass.kube.json import Json, Object, dig, dig_object
from windlass.kube.quantity import Quantity

_AMOUNTS = ("capability", "deserved", "guarantee")


def queue_problem(queue: Object, old: Object | None, queues: Mapping[str, Object]) -> str:
    """Why a queue may not be created, or changed from `old`; empty if it may. `queues` are the existing queues."""
    if old is not None and _looked_at(queue) == _looked_at(old):
        return ""
    found = aggregated([*_amounts(dig_object(queue, "spec")), *_hierarchy(queue, queues)])
    if found:
        return found
    if old is None or dig(queue, "spec", "parent") != dig(old, "spec", "parent"):
        found = queue_tree.parent_problem(queue, queues)
    return found or queue_tree.amounts_problem(queue, queues)


def deletion_problem(name: str, queues: Mapping[str, Object]) -> str:
    if name in ("default", ROOT):
        return f"`{name}` queue can not be deleted"
    children = children_of(name, queues.values())
    if children:
        return f"queue {name} can not be deleted because it has {len(children)} child queues: {', '.join(children)}"
    return ""


def _looked_at(queue: Object) -> tuple[Object, object, object]:
    """The validated part of a queue. While it is unchanged, a queue accepted earlier can be labelled and deleted."""
    annotations = dig_object(queue, "metadata", "annotations")
    return dig_object(queue, "spec"), annotations.get(HIERARCHY), annotations.get(HIERARCHY_WEIGHTS)


def _amounts(spec: Object) -> Iterator[Cause]:
    """Check that guarantee <= deserved <= capability for each resource. A missing capability is unlimited."""
    capability, deserved, guarantee = (queue_tree.amounts(spec, name) for name in _AMOUNTS)
    for name in _AMOUNTS:
        path = "guarantee.resource" if name == "guarantee" else name
        for resource, amount in queue_tree.written_amounts(spec, name).items():
            yield from _amount(f"requestBody.spec.{path}.{resource}", resource, amount)
    for resource, least in guarantee.items():
        field, bound = f"requestBody.spec.deserved.{resource}", f"guarantee[{resource}]={least}"
        if resource not in deserved:
            yield invalid(field, "<nil>", f"deserved[{resource}] must be >= {bound}")
        elif deserved[resource] < least:
            share = deserved[resource]
            yield invalid(field, str(share), f"deserved[{resource}]={share} must be >= {bound}")
        most = capability.get(resource)
        if most is not None and least > most:
            why = f"{bound} must be <= capability[{resource}]={most}"
            yield invalid(f"requestBody.spec.guarantee.resource.{resource}", str(least), why)
    for resource, share in deserved.items():
        most = capability.get(resource)
        if most is not None and share > most:
            why = f"deserved[{resource}]={share} must be <= capability[{resource}]={most}"
            yield invalid(f"requestBody.spec.deserved.{resource}", str(share), why)


def _amount(field: str, resource: str, written: Json) -> Iterator[Cause]:
    try:
        amount = Quantity.parse(written)
    except ValueError as error:
        yield invalid(field, written, str(error))
        return
    if amount.nano < 0:
        yield invalid(field, str(amount), "must be greater than or equal to 0")
    if (resource == "pods" or "/" in resource) and amount.milli() % 1000:
        yield invalid(field, str(amount), "must be an integer")


def _hierarchy(queue: Object, queues: Mapping[str, Object]) -> Iterator[Cause]:
    annotations, field = dig_object(queue, "metadata", "annotations"), "requestBody.metadata.annotations"
    path, weights = str(annotations.get(HIERARCHY) or ""), str(annotations.get(HIERARCHY_WEIGHTS) or "")
    if not path and not weights:
        return
    if path.count("/") != weights.count("/"):
        yield invalid(field, path, f"{HIERARCHY} must have the same length with {HIERARCHY_WEIGHTS}")
        return
    wrong = next(_bad_weights(weights), "")
    if wrong:
        yield invalid(field, weights, wrong)
        return
    for name, other in queues.items():
        theirs = str(dig(other, "metadata", "annotations", HIERARCHY) or "")
        if name != dig(queue, "metadata", "name") and theirs.startswith(f"{path}/"):
            yield invalid(field, path, f"{path} is not allowed to be in the sub path of {theirs} of queue {name}")
            return


def _bad_weights(weights: str) -> Iterator[str]:
    for weight in weights.split("/"):
        try:
            if not float(weight) > 0:
                yield f"{weight} in the {weights} must be larger than 0"
        except ValueError:
            why = f'strconv.ParseFloat: parsing "{weight}": invalid syntax'
            yield f"{weight} in the {weights} is invalid number: {why}"
