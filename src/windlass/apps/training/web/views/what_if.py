"""Changes to a cluster that exist only in a question, and how the outcome differs. Pure; raise BadRequest."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import replace

from windlass.apis.wellknown import HOSTNAME_LABEL
from windlass.apps.training.web.structs.forecasts import (
    AddedNodes,
    GangOutcome,
    Outcome,
    QueueChange,
    WhatIfRequest,
    WhatIfView,
)
from windlass.apps.training.web.views.assumptions import assumption_views
from windlass.gateway.views.reading import name_of, text
from windlass.gateway.views.visibility import Visible
from windlass.kube.errors import BadRequest
from windlass.kube.json import Object, dig, dig_object
from windlass.kube.quantity import Quantity
from windlass.scheduler.model.observed import Observed
from windlass.scheduler.simulate.outlook import Outlook

MAX_ADDED_NODES = 1000
MAX_WEIGHT = 65_535


def changed(observed: Observed, request: WhatIfRequest) -> Observed:
    """The cluster as it would be; pods on nodes that are taken away are gone."""
    gone = {*request.remove_nodes}
    known = {name_of(node) for node in observed.nodes}
    if unknown := sorted(gone - known):
        raise BadRequest(f"removeNodes: there is no node {unknown[0]}")
    nodes = [node for node in observed.nodes if name_of(node) not in gone]
    if request.nodes is not None:
        nodes += _added_nodes(observed.nodes, request.nodes)
    pods = [pod for pod in observed.pods if text(dig(pod, "spec", "nodeName")) not in gone or not gone]
    return replace(observed, nodes=nodes, pods=pods, queues=_queues(observed.queues, request.queues))


def _added_nodes(nodes: Sequence[Object], added: AddedNodes) -> list[Object]:
    if not 1 <= added.count <= MAX_ADDED_NODES:
        raise BadRequest(f"nodes.count: must be between 1 and {MAX_ADDED_NODES}")
    model = next((node for node in nodes if name_of(node) == added.like), None) if added.like else None
    if added.like and model is None:
        raise BadRequest(f"nodes.like: there is no node {added.like}")
    if model is None and not added.allocatable:
        raise BadRequest("nodes: name a node that they are like, or what each has as allocatable")
    amounts = _checked(added.allocatable, "nodes.allocatable")
    offered = {"pods": "110", **amounts} if model is None else {**dig_object(model, "status", "allocatable"), **amounts}
    return [_node(f"added-{number}", model, offered) for number in range(added.count)]


def _node(name: str, model: Object | None, offered: Mapping[str, str]) -> Object:
    labels = {**dig_object(model, "metadata", "labels"), HOSTNAME_LABEL: name}
    ready = {"type": "Ready", "status": "True"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels, "uid": name},
        "spec": {},
        "status": {"allocatable": dict(offered), "capacity": dict(offered), "conditions": [ready]},
    }


def _queues(queues: Sequence[Object], changes: Sequence[QueueChange]) -> list[Object]:
    by_name = {name_of(queue): queue for queue in queues}
    for change in changes:
        if change.name not in by_name:
            raise BadRequest(f"queues: there is no queue {change.name}")
        queue = deepcopy(by_name[change.name])
        spec: Object = queue.setdefault("spec", {})
        if change.weight is not None:
            if not 1 <= change.weight <= MAX_WEIGHT:
                raise BadRequest(f"queues: weight of {change.name} must be between 1 and {MAX_WEIGHT}")
            spec["weight"] = change.weight
        for field, amounts in (("deserved", change.deserved), ("capability", change.capability)):
            if amounts is not None:
                spec[field] = _checked(amounts, f"queues: {field} of {change.name}")
        by_name[change.name] = queue
    return list(by_name.values())


def _checked(amounts: Mapping[str, str], field: str) -> dict[str, str]:
    for name, value in amounts.items():
        try:
            quantity = Quantity.parse(value)
        except ValueError as error:
            raise BadRequest(f"{field}: {name}: {value!r} is not an amount, such as 4 or 16Gi") from error
        if quantity.nano < 0:
            raise BadRequest(f"{field}: {name}: must not be negative")
    return dict(amounts)


def compared(before: Outlook, after: Outlook, visible: Visible, owners: Mapping[str, tuple[str, str]]) -> WhatIfView:
    """`owners`: kind and name of the job of each gang that has one."""
    names = sorted({*before.starts, *after.starts})
    return WhatIfView(
        before=_outcome(before),
        after=_outcome(after),
        gangs=tuple(
            GangOutcome(
                namespace=name.partition("/")[0],
                name=name.partition("/")[2],
                kind=owners.get(name, ("", ""))[0],
                job=owners.get(name, ("", ""))[1],
                queue=before.queues.get(name) or after.queues.get(name, ""),
                before_seconds=before.starts.get(name),
                after_seconds=after.starts.get(name),
            )
            for name in names
            if visible.sees(name)
        ),
        assumptions=assumption_views(dict.fromkeys([*before.assumptions, *after.assumptions])),
        is_complete=before.is_complete and after.is_complete,
    )


def _outcome(outlook: Outlook) -> Outcome:
    started = [after for after in outlook.starts.values() if after is not None]
    return Outcome(
        makespan_seconds=max(started, default=0.0),
        mean_wait_seconds=sum(started) / len(started) if started else None,
        started=len(started),
        never=len(outlook.starts) - len(started),
    )
