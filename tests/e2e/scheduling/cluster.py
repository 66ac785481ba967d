"""A terminal on a cluster whose nodes are only described: pods get nodes, and run when the test says so."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e.node.pods import Object
from tests.e2e.volcano.shell import VolcanoShell
from tests.support import Windlass, eventually

GPU = "nvidia.com/gpu"


@dataclass
class Managed(Windlass):
    """A server, and a manager that is given words of its own."""

    words: tuple[str, ...] = ()

    def start(self) -> None:
        super().start()
        self._run("manager", *self.words)


@dataclass
class Cluster(VolcanoShell):
    """A namespace of the test's own, and nodes that are gone afterwards."""

    nodes: list[str] = field(default_factory=list[str])
    queues: list[str] = field(default_factory=list[str])

    def add_node(self, name: str, gpus: int = 0, cpu: str = "32", **labels: str) -> None:
        offers = {"cpu": cpu, "memory": "64Gi", "pods": "110", **({GPU: str(gpus)} if gpus else {})}
        metadata = {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}}
        self.nodes.append(name)
        self.server.create(
            "/api/v1/nodes", {"metadata": metadata, "status": {"capacity": offers, "allocatable": offers}}
        )

    def add_queue(self, name: str, **spec: Any) -> None:
        self.queues.append(name)
        self.apply(
            {
                "apiVersion": "scheduling.volcano.sh/v1beta1",
                "kind": "Queue",
                "metadata": {"name": name},
                "spec": spec,
            }
        )
        self.until(f"queues/{name}", lambda found: found.get("status", {}).get("state") == "Open")

    def group(self, name: str, kind: str = "podgroups") -> Object:
        return self.get(f"{kind}/{name}")

    def path(self, path: str) -> str:
        if path.startswith("podgroups.scheduling.incubator.k8s.io"):
            name = path.partition("/")[2]
            return f"/apis/scheduling.incubator.k8s.io/v1alpha1/namespaces/{self.namespace}/podgroups/{name}"
        return super().path(path)

    def told(self, name: str, text: str, kind: str = "podgroups") -> Object:
        """Wait until a condition of a group holds a text; the condition."""

        def conditions(group: Object) -> list[Object]:
            found: list[Object] = group.get("status", {}).get("conditions", [])
            return [each for each in found if text in each.get("message", "")]

        return conditions(self.until(f"{kind}/{name}", conditions))[0]

    def phase_of_group(self, name: str, phase: str, kind: str = "podgroups") -> Object:
        return self.until(f"{kind}/{name}", lambda group: group.get("status", {}).get("phase") == phase)

    def bound(self, prefix: str = "") -> dict[str, str]:
        """The nodes of the pods that have one, by their names."""
        pods = {pod["metadata"]["name"]: pod["spec"].get("nodeName", "") for pod in self.pods()}
        return {name: node for name, node in pods.items() if node and name.startswith(prefix)}

    def all_or_none(self, pods: int, prefix: str = "") -> dict[str, str]:
        """Wait until as many are bound; at no look is there only a part of them."""

        def whole() -> bool:
            found = self.bound(prefix)
            assert len(found) in (0, pods), found
            return len(found) == pods

        eventually(whole, 60, f"{pods} pods {prefix} have nodes")
        return self.bound(prefix)

    def nodes_run_their_pods(self) -> None:
        """What agents would do: all that is bound runs."""
        for name in self.bound():
            self.server.patch(self.path(f"pods/{name}/status"), {"status": {"phase": "Running"}})

    def warned(self, name: str, source: str, reason: str, text: str = "") -> str:
        """Wait for a warning of somebody that holds a text; its message. Others may come first."""

        def messages() -> list[str]:
            found = self.events_by(name, source)
            return [message for kind, why, message in found if (kind, why) == ("Warning", reason) and text in message]

        return eventually(messages, 60, f"{reason} of {name} by {source}: {text}")[-1]

    def unschedulable(self, pod: str, text: str) -> Object:
        """Wait until a pod says that it has no node, in words that hold a text; the condition."""

        def found(pod: Object) -> list[Object]:
            conditions = pod["status"].get("conditions", [])
            return [each for each in conditions if each["type"] == "PodScheduled" and text in each.get("message", "")]

        return found(self.until(f"pods/{pod}", found))[0]

    def hears(self, name: str, source: str, reason: str, message: str) -> None:
        """Wait for what somebody tells of an object that is no warning."""
        wanted = ("Normal", reason, message)
        eventually(lambda: wanted in self.events_by(name, source), 60, f"{message} of {name} by {source}")

    def events_by(self, name: str, source: str) -> list[tuple[str, str, str]]:
        """Type, reason and message of the events of an object that somebody told."""
        listed = self.server.get(self.path(f"events?fieldSelector=involvedObject.name={name}"))["items"]
        return [
            (each["type"], each["reason"], each["message"])
            for each in listed
            if source in (each.get("source", {}).get("component"), each.get("reportingComponent"))
        ]

    def clean(self) -> None:
        """Everything goes, so that the next test has the cluster for itself."""
        namespace = f"/api/v1/namespaces/{self.namespace}"
        self.server.request("DELETE", namespace)

        def gone() -> bool:
            self.server.request("DELETE", f"{namespace}/pods?gracePeriodSeconds=0")
            return self.server.request("GET", namespace).status == 404

        eventually(gone, 120, f"{self.namespace} goes")
        for queue in reversed(self.queues):
            self.server.request("DELETE", self.path(f"queues/{queue}"))
        for node in self.nodes:
            self.server.request("DELETE", f"/api/v1/nodes/{node}")


def new_cluster(server: Windlass, folder: Path) -> Cluster:
    name = server.create("/api/v1/namespaces", {"metadata": {"generateName": "gang-"}})["metadata"]["name"]
    account = f"/api/v1/namespaces/{name}/serviceaccounts/default"
    eventually(lambda: server.request("GET", account).status == 200, 120, f"the service account of {name}")
    eventually(lambda: server.request("GET", "/apis/scheduling.volcano.sh/v1beta1/queues/default").status == 200, 60)
    return Cluster(server, name, folder)


def gang(name: str, least: int, scheduler: str = "volcano", **spec: Any) -> Object:
    version = {"volcano": "scheduling.volcano.sh/v1beta1", "kube-batch": "scheduling.incubator.k8s.io/v1alpha1"}
    return {
        "apiVersion": version[scheduler],
        "kind": "PodGroup",
        "metadata": {"name": name},
        "spec": {"minMember": least, **spec},
    }


def members(
    name: str, count: int, scheduler: str = "volcano", *, first: int = 0, asked: dict[str, str] | None = None
) -> list[Object]:
    """Pods of a group; a GPU each, unless they ask for something else."""
    container = {"name": "main", "image": "busybox", "resources": {"limits": asked or {GPU: "1"}}}
    return [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"{name}-{number}", "annotations": {"scheduling.k8s.io/group-name": name}},
            "spec": {"schedulerName": scheduler, "containers": [container]},
        }
        for number in range(first, first + count)
    ]
