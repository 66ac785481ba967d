"""kill -9 of the manager while it binds: every pod gets one node, once, with one volume, and no node gets too many."""

import threading
from collections import defaultdict
from pathlib import Path
from typing import Any

from tests.support import Windlass, eventually, running

PODS, NODES, PER_NODE, KILLS = 40, 4, 11, 3


def a_node(name: str) -> dict[str, Any]:
    offers = {"cpu": str(PER_NODE), "memory": "64Gi", "pods": "110"}
    metadata = {"name": name, "labels": {"kubernetes.io/hostname": name}}
    return {"metadata": metadata, "status": {"capacity": offers, "allocatable": offers}}


def a_claim(name: str) -> dict[str, Any]:
    wanted = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return {"metadata": {"name": name}, "spec": {"storageClassName": "local-path", **wanted}}


def a_pod(name: str) -> dict[str, Any]:
    container = {"name": "c", "image": "busybox", "resources": {"requests": {"cpu": "1"}}}
    volume = {"name": "data", "persistentVolumeClaim": {"claimName": name}}
    return {"metadata": {"name": name}, "spec": {"containers": [container], "volumes": [volume]}}


class Seen(threading.Thread):
    """Every node that each pod was ever on, by asking again and again."""

    def __init__(self, server: Windlass) -> None:
        super().__init__(daemon=True)
        self.server, self.over = server, threading.Event()
        self.nodes: defaultdict[str, set[str]] = defaultdict(set)

    def run(self) -> None:
        while not self.over.wait(0.05):
            self.look()

    def look(self) -> list[dict[str, Any]]:
        pods = self.server.get("/api/v1/namespaces/default/pods")["items"]
        for pod in pods:
            if pod["spec"].get("nodeName"):
                self.nodes[pod["metadata"]["uid"]].add(pod["spec"]["nodeName"])
        return pods


def fill(server: Windlass) -> None:
    for number in range(PODS):
        server.create("/api/v1/namespaces/default/persistentvolumeclaims", a_claim(f"p{number}"))
        server.create("/api/v1/namespaces/default/pods", a_pod(f"p{number}"))


def test_a_manager_that_is_killed_while_it_binds_binds_nothing_twice(tmp_path: Path) -> None:
    with running(tmp_path, manager=True) as server:
        for number in range(NODES):
            server.create("/api/v1/nodes", a_node(f"n{number}"))
        account = "/api/v1/namespaces/default/serviceaccounts/default"
        eventually(lambda: server.request("GET", account).status == 200, 120, "the service account")
        seen, filling = Seen(server), threading.Thread(target=fill, args=(server,), daemon=True)
        seen.start()
        filling.start()
        for round_number in range(1, KILLS + 1):
            eventually(lambda least=round_number * 8: len(seen.nodes) >= least, 120, f"bound in round {round_number}")
            server.kill_manager()
        filling.join()
        eventually(lambda: len(seen.nodes) == PODS, 120, "every pod bound")
        seen.over.set()
        seen.join()
        pods, volumes = seen.look(), server.get("/api/v1/persistentvolumes")["items"]

    assert all(len(nodes) == 1 for nodes in seen.nodes.values())
    on = [pod["spec"]["nodeName"] for pod in pods]
    assert all(on.count(name) <= PER_NODE for name in set(on))
    where = {one["spec"]["claimRef"]["name"]: made_for(one) for one in volumes}
    assert len(volumes) == len(where) == PODS
    assert where == {pod["metadata"]["name"]: pod["spec"]["nodeName"] for pod in pods}


def made_for(volume: dict[str, Any]) -> str:
    (term,) = volume["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]
    return term["matchExpressions"][0]["values"][0]
