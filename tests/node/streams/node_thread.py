"""A node for tests: the kubelet server on the plain runtime, in its own thread, with its objects on an API server."""

import asyncio
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from tests import loops
from tests.node.streams.plain_runtime import PlainPods, PlainRuntime
from tests.support import Windlass, eventually
from windlass.node.streams.server import KubeletServer

T = TypeVar("T")
NODE = "testnode"


class NodeThread:
    """Runs pods of `server` when told to."""

    def __init__(self, server: Windlass, folder: Path, rotate_at: int = 10 << 20) -> None:
        self.server = server
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.pods = PlainPods(PlainRuntime(folder, rotate_at))
        self.kubelet = KubeletServer(self.pods, server.data_dir / "pki", NODE)
        self.do(self.kubelet.start())
        server.create("/api/v1/nodes", {"metadata": {"name": NODE}})
        addresses = [{"type": "InternalIP", "address": "10.244.0.1"}, {"type": "Hostname", "address": "localhost"}]
        endpoint = {"kubeletEndpoint": {"Port": self.kubelet.port}}
        ready = {"conditions": [{"type": "Ready", "status": "True"}]}
        status = {"addresses": addresses, "daemonEndpoints": endpoint, **ready}
        server.patch(f"/api/v1/nodes/{NODE}/status", {"status": status})
        account = {"metadata": {"name": "default"}}
        server.request("POST", "/api/v1/namespaces/default/serviceaccounts", account)

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)

    def stop(self) -> None:
        self.do(self.kubelet.stop())
        self.do(self.pods.runtime.stop(pods=True))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(60)
        loops.close(self._loop)

    def run(self, name: str, *command: str, **more: Any) -> dict[str, Any]:
        """A pod of one container `main`, running on the server and here."""
        container = {"name": "main", "image": "busybox", "command": list(command), **more}
        spec = {"nodeName": NODE, "containers": [container], "terminationGracePeriodSeconds": 0}
        body = {"metadata": {"name": name, "labels": {"app": name}}, "spec": spec}
        pod = self.server.create("/api/v1/namespaces/default/pods", body)
        self.do(self.pods.run(pod))
        state = {"name": "main", "ready": True, "restartCount": 0, "image": "busybox", "imageID": "", "state": {}}
        state["state"] = {"running": {"startedAt": "2026-01-01T00:00:00Z"}}
        status = {"phase": "Running", "containerStatuses": [state], "podIP": "127.0.0.1"}
        assert self.server.patch(f"/api/v1/namespaces/default/pods/{name}/status", {"status": status}).status == 200
        return pod

    def remove(self, pod: dict[str, Any]) -> None:
        """From the server and from here, as if it had been deleted."""
        metadata = pod["metadata"]
        where = f"/api/v1/namespaces/{metadata['namespace']}/pods/{metadata['name']}"
        assert self.server.request("DELETE", f"{where}?gracePeriodSeconds=0").status == 200
        self.do(self.pods.remove(metadata["uid"]))

    def ended(self, name: str) -> None:
        """Wait until the pod's container has."""

        def exited() -> bool:
            pod = self.pods.find("default", name)
            return pod is not None and pod.attempts["main"][-1].state == "exited"

        eventually(exited, 60, f"{name} has ended")
