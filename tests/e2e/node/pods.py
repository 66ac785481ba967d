"""kubectl on a Windlass whose pods run: short manifests, and waiting for what becomes of them."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.e2e.shell import Shell
from tests.support import eventually

Object = dict[str, Any]
FOREVER = "exec sleep infinity"
SERVE = ["python", "-u", "-m", "http.server", "8080"]
PYTHON = "python:3"


def container(script: str = FOREVER, name: str = "main", **more: Any) -> Object:
    """One that runs a shell script, unless it has a `command` of its own."""
    return {"name": name, "image": "busybox", "command": ["sh", "-c", script], **more}


def pod_spec(*containers: Object, **spec: Any) -> Object:
    return {"terminationGracePeriodSeconds": 1, "containers": list(containers), **spec}


def pod(name: str, *containers: Object, labels: dict[str, str] | None = None, **spec: Any) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels or {"app": name}},
        "spec": pod_spec(*containers, **spec),
    }


def once(name: str, script: str, **spec: Any) -> Object:
    """A pod that runs a script once."""
    return pod(name, container(script), **{"restartPolicy": "Never", **spec})


def template(app: str, *containers: Object, **spec: Any) -> Object:
    return {"metadata": {"labels": {"app": app}}, "spec": pod_spec(*containers, **spec)}


def service(name: str, *, app: str = "", port: int = 80, target: int | str = 8080, **spec: Any) -> Object:
    ports = [{"port": port, "targetPort": target, "name": "http"}]
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name},
        "spec": {"selector": {"app": app or name}, "ports": ports, **spec},
    }


def named(kind: str, name: str, api_version: str = "v1", **more: Any) -> Object:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **more}


@dataclass
class PodShell(Shell):
    """A terminal in whose namespace pods run."""

    def apply(self, *objects: Object) -> None:
        self("apply -f -", json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))

    def get(self, path: str) -> Object:
        """An object of the namespace, such as pods/web."""
        found = self.server.request("GET", self.path(path))
        return found.json() if found.status == 200 else {}

    def path(self, path: str) -> str:
        groups = {"jobs": "batch/v1", "deployments": "apps/v1", "statefulsets": "apps/v1"}
        group = groups.get(path.split("/", maxsplit=1)[0])
        return f"/{f'apis/{group}' if group else 'api/v1'}/namespaces/{self.namespace}/{path}"

    def until(self, path: str, check: Callable[[Object], Any], within: float = 90.0) -> Object:
        """Wait for what an object should be; the object."""
        last: list[Object] = [{}]

        def holds() -> bool:
            last[0] = self.get(path)
            return bool(last[0] and check(last[0]))

        try:
            eventually(holds, within, path)
        except AssertionError as error:
            told = {reason: message for reason, message in self.events(path)}
            raise AssertionError(f"{error}\n{json.dumps(last[0].get('status'), indent=1)}\n{told}") from None
        return last[0]

    def phase(self, name: str, phase: str, within: float = 90.0) -> Object:
        return self.until(f"pods/{name}", lambda pod: pod["status"].get("phase") == phase, within)

    def ready(self, name: str, within: float = 90.0) -> Object:
        return self.until(f"pods/{name}", is_ready, within)

    def gone(self, path: str, within: float = 90.0) -> None:
        eventually(lambda: not self.get(path), within, f"{path} goes")

    def pods(self, selector: str = "") -> list[Object]:
        return self.server.get(self.path(f"pods?labelSelector={selector}"))["items"]

    def events(self, path: str) -> list[tuple[str, str]]:
        """Reason and message of all that was told of an object."""
        name = path.rsplit("/", maxsplit=1)[-1]
        listed = self.server.get(self.path(f"events?fieldSelector=involvedObject.name={name}"))["items"]
        return [(each["reason"], each["message"]) for each in listed]

    def event(self, path: str, reason: str, within: float = 90.0) -> str:
        """Wait for an event; its message."""
        found: list[str] = []

        def told() -> bool:
            found[:] = [message for each, message in self.events(path) if each == reason]
            return bool(found)

        eventually(told, within, f"{reason} of {path}")
        return found[-1]

    def says(self, name: str, text: str, within: float = 90.0) -> str:
        """Wait until a pod's log holds a text; the log."""
        log: list[str] = [""]

        def said() -> bool:
            log[0] = self.server.request("GET", self.path(f"pods/{name}/log")).body.decode()
            return text in log[0]

        eventually(said, within, f"{text!r} from {name}; last {log[0]!r}")
        return log[0]


def is_ready(pod: Object) -> bool:
    return condition(pod, "Ready") == "True"


def condition(obj: Object, kind: str) -> str:
    for each in obj.get("status", {}).get("conditions", []):
        if each["type"] == kind:
            return each["status"]
    return ""


def status(pod: Object, container: str = "main") -> Object:
    """The status of one of a pod's containers, of whatever sort."""
    for kind in ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"):
        for each in pod.get("status", {}).get(kind, []):
            if each["name"] == container:
                return each
    return {}


def state(pod: Object, container: str = "main") -> tuple[str, Object]:
    """Which of waiting, running and terminated it is, and what is told of it."""
    told = status(pod, container).get("state") or {"": {}}
    return next(iter(told.items()))


def waiting(pod: Object, container: str = "main") -> str:
    """The reason for which a container waits; "" if it does not."""
    kind, told = state(pod, container)
    return told.get("reason", "") if kind == "waiting" else ""
