"""Many nodes and bound pods in a data file before the server starts: as the server itself would have written them.

One of each is asked of a running server by a dry run; the others are its likes with names, uids and nodes of their own.
"""

import uuid
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

from benchmarks.scheduler.cluster import ControlPlane, a_node, a_pod
from windlass.apis.core_v1 import Node, Pod
from windlass.apiserver.store import Store
from windlass.kube.json import Object, decode, encode
from windlass.kube.kind import KINDS, Kind
from windlass.kube.transport import Request

WAITING = "waiting"
_AT_ONCE = 1000  # writes that share a commit


async def likenesses(plane: ControlPlane) -> tuple[Object, Object]:
    """A node and a pod as this server would store them."""
    async with await plane.client() as client:

        async def tried(kind: Kind, namespace: str, obj: Object) -> Object:
            request = Request("POST", kind.path(namespace), {"dryRun": "All"}, encode(obj))
            return decode((await client.send(request)).body)

        return await tried(KINDS.of(Node), "", a_node(0)), await tried(KINDS.of(Pod), "default", a_pod("pod"))


async def fill(file: Path, node: Object, pod: Object, *, nodes: int, pods: int) -> None:
    """Write the nodes, the pods that are bound to them in turn, and one pod that waits for a node."""
    store = Store.open(file)
    try:
        durable = None
        for count, (resource, obj) in enumerate(_objects(node, pod, nodes, pods), 1):
            metadata = obj["metadata"]
            metadata["resourceVersion"] = str(store.next_revision)
            durable = store.put((resource, metadata.get("namespace", ""), metadata["name"]), encode(obj))
            if count % _AT_ONCE == 0:
                await durable
        if durable is not None:
            await durable
    finally:
        await store.close()


def _objects(node: Object, pod: Object, nodes: int, pods: int) -> Iterator[tuple[str, Object]]:
    names: list[str] = []
    for number in range(nodes):
        made = _like(node, dict(a_node(number)["metadata"]))
        names.append(made["metadata"]["name"])
        yield "/nodes", made
    for number in range(pods):
        yield "/pods", _bound(_like(pod, {"name": f"pod-{number:06}"}), names[number % nodes])
    yield "/pods", _like(pod, {"name": WAITING})


def _like(one: Object, metadata: Object) -> Object:
    made = deepcopy(one)
    made["metadata"] |= metadata | {"uid": str(uuid.uuid4())}
    return made


def _bound(pod: Object, node: str) -> Object:
    when = pod["metadata"]["creationTimestamp"]
    pod["spec"]["nodeName"] = node
    conditions = [{"type": kind, "status": "True", "lastTransitionTime": when} for kind in ("PodScheduled", "Ready")]
    pod["status"] |= {"phase": "Running", "startTime": when, "conditions": conditions}
    return pod
