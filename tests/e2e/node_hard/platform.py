"""A whole Windlass of a test's own, as root or as an ordinary user: its processes, and what becomes of its pods."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e.ordinary_user import command, uid_of
from tests.manager_rights import audit_flags, check_rights
from tests.support import Windlass, eventually, free_port

PODS = "/api/v1/namespaces/default/pods"
Object = dict[str, Any]


@dataclass
class Platform(Windlass):
    """All of `windlass up`, detached."""

    who: str = "root"
    more: list[str] = field(default_factory=list)

    @property
    def home(self) -> Path:
        return self.data_dir.parent

    def start(self) -> None:
        self.windlass("up", "--port", str(self.port), "--detach", *self.more)
        account = "/api/v1/namespaces/default/serviceaccounts/default"
        eventually(lambda: self.request("GET", account).status == 200, 60, "the default service account")

    def stop(self, number: int = signal.SIGTERM) -> None:
        self.windlass("down", check=False)

    def windlass(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        verb, *flags = words
        argv = command(self.who, [verb, "--data-dir", str(self.data_dir), *flags], self.home)
        done = subprocess.run(argv, capture_output=True, text=True, timeout=200, check=False, cwd="/")
        assert done.returncode == 0 or not check, f"{words}: {done.stdout}{done.stderr}{self.last_words()}"
        return done

    def last_words(self) -> str:
        logs = sorted((self.data_dir / "logs").glob("*.log"))
        return "".join(f"\n--- {log.name}\n{log.read_text(errors='replace')[-1500:]}" for log in logs)

    # its processes

    def pid(self, name: str) -> int:
        """Of `windlass`, server, manager, node, zygote or network helper; 0 if it does not run now."""
        try:
            state = json.loads((self.data_dir / "run" / "state.json").read_bytes())
        except (OSError, ValueError):
            return 0
        if name == "windlass":
            return state["pid"]
        found = {one["name"]: one["pid"] for one in state["components"]}
        if name in found:
            return found[name]
        wanted = {"zygote": "sandbox/launch.py", "network helper": "windlass.node.network.helper"}[name]
        return next((pid for pid in children_of(found["node"]) if wanted in arguments_of(pid)), 0)

    def kill(self, name: str) -> int:
        """As a crash would; its pid."""
        pid = eventually(lambda: self.pid(name), 60, f"the pid of the {name}")
        os.kill(pid, signal.SIGKILL)
        return pid

    def is_back(self, name: str, before: int) -> None:
        def another() -> bool:
            return self.pid(name) != before and self.pid_lives(name)

        eventually(another, 90, f"another {name} than {before}{self.last_words()}")

    def pid_lives(self, name: str) -> bool:
        pid = self.pid(name)
        return pid != 0 and arguments_of(pid) != ""

    def is_well(self) -> None:
        """All of it is there and ready."""
        eventually(lambda: (self.data_dir / "run" / "node.ready").exists(), 90, f"the node{self.last_words()}")
        eventually(self.node_is_ready, 60, "the Node's condition")

    def node_is_ready(self) -> bool:
        try:
            nodes = self.get("/api/v1/nodes")["items"]
        except OSError:
            return False
        conditions = [c for node in nodes for c in node["status"].get("conditions", [])]
        return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)

    # its pods

    def run(self, *pods: Object) -> None:
        for pod in pods:
            self.create(PODS, pod)

    def pod(self, name: str) -> Object:
        return self.get(f"{PODS}/{name}")

    def pods(self, selector: str = "") -> dict[str, Object]:
        found = self.get(PODS + (f"?labelSelector={selector}" if selector else ""))["items"]
        return {pod["metadata"]["name"]: pod for pod in found}

    def phase(self, name: str, *wanted: str, within: float = 90.0) -> Object:
        """Wait until it is in one of these phases."""
        pod: list[Object] = []

        def there() -> bool:
            with suppress(OSError):
                pod[:] = [self.pod(name)]
                return pod[0]["status"].get("phase") in wanted
            return False

        eventually(there, within, f"{name} {wanted}: {pod and pod[0].get('status')}")
        return pod[0]

    def ended(self, name: str, within: float = 90.0) -> Object:
        return self.phase(name, "Succeeded", "Failed", within=within)

    def logs(self, name: str, **options: str) -> str:
        query = "&".join(f"{key}={value}" for key, value in options.items())
        answer = self.request("GET", f"{PODS}/{name}/log?{query}")
        assert answer.status == 200, answer.body
        return answer.body.decode(errors="replace")

    def delete(self, name: str, grace: int = 0) -> None:
        self.request("DELETE", f"{PODS}/{name}?gracePeriodSeconds={grace}")

    def gone(self, name: str, within: float = 90.0) -> None:
        self.delete(name)
        eventually(lambda: self.request("GET", f"{PODS}/{name}").status == 404, within, f"{name} gone")

    def folder_of(self, pod: Object) -> Path:
        return self.data_dir / "node" / "pods" / pod["metadata"]["uid"]

    def facts_of(self, pod: Object) -> Object:
        return json.loads((self.folder_of(pod) / "facts.json").read_bytes())


def pod(name: str, script: str, *, restart: str = "Never", image: str = "busybox", **spec: Any) -> Object:
    """A pod of one container that runs a shell script; keywords in `container` are its container's."""
    container = {"name": "main", "image": image, "command": ["sh", "-c", script], **spec.pop("container", {})}
    labels = spec.pop("labels", {})
    body = {"restartPolicy": restart, "terminationGracePeriodSeconds": 1, "containers": [container], **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels}, "spec": body}


def python(name: str, program: str, **more: Any) -> Object:
    """A pod of one container that runs a Python program with the machine's interpreter."""
    made = pod(name, "", **more)
    made["spec"]["containers"][0]["command"] = ["/usr/bin/python3", "-u", "-c", program]
    return made


def children_of(pid: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        return [int(child) for task in tasks for child in (task / "children").read_text().split()]
    except OSError:
        return []


def arguments_of(pid: int) -> str:
    """Its command line; "" where there is no such process, or only what is left of it."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def processes_of(folder: Path) -> list[int]:
    """All whose command line names the folder: agents, zygotes and supervisors."""
    every = [int(each.name) for each in Path("/proc").glob("[0-9]*")]
    return [pid for pid in every if str(folder) in arguments_of(pid) and pid != os.getpid()]


def memory_of(data_dir: Path) -> list[Path]:
    """Where pods of this data directory have volumes in memory."""
    digest = hashlib.sha256(os.fsencode(data_dir.resolve())).hexdigest()[:12]
    return list(Path("/dev/shm").glob(f"windlass-*-{digest}"))


@contextmanager
def platform(who: str, *flags: str) -> Iterator[Platform]:
    """A fresh one; nothing of it is left afterwards."""
    home = Path(tempfile.mkdtemp(prefix="windlass-hard-", dir="/var/tmp"))
    os.chown(home, uid_of(who), uid_of(who))
    home.chmod(0o755)
    made = Platform(home / "data", free_port(), who=who, more=[*flags, *audit_flags(home)])
    try:
        made.start()
        yield made
    finally:
        made.stop()
        left = processes_of(home)
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            check_rights(home)
        finally:
            for folder in (home, *memory_of(made.data_dir)):
                shutil.rmtree(folder, ignore_errors=True)
        assert not left, "processes were left behind"
