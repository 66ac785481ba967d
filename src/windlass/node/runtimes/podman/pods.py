"""A pod as the agent knows it: the engine's last state of it, and the files in its folder."""

import asyncio
import time
from pathlib import Path

import msgspec

from windlass.kube.json import Object, dig
from windlass.node.runtimes.base import ContainerFacts, ContainerSpec, Gone, PodFacts, PodSpec
from windlass.node.runtimes.podman import answers
from windlass.node.runtimes.podman.bodies import NAME

_MAX_TERMINATION_MESSAGE = 4096
_SPEC = "engine-pod.json"


class EnginePod:
    def __init__(self, uid: str, folder: Path) -> None:
        self.uid, self.folder = uid, folder
        self.lock = asyncio.Lock()
        self.alive, self.is_known = False, False
        self._pid, self._created_at = 0, 0.0
        self._spec: PodSpec | None = None
        self._runs: dict[tuple[str, int], ContainerFacts] = {}
        for path in folder.glob("containers/*/*/refused.json"):
            run = msgspec.json.decode(path.read_bytes(), type=ContainerFacts)
            self._runs[run.name, run.attempt] = run

    @property
    def spec(self) -> PodSpec:
        if self._spec is None:
            try:
                self._spec = msgspec.json.decode((self.folder / _SPEC).read_bytes(), type=PodSpec)
            except FileNotFoundError as error:
                raise Gone(f"there is no sandbox of pod {self.uid}") from error
        return self._spec

    def keep(self, spec: PodSpec) -> None:
        """Save the newest specification; hosts and resolv.conf apply to containers that start from now on."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self.folder / _SPEC).write_bytes(msgspec.json.encode(spec))
        self._spec = spec

    def forget(self) -> None:
        (self.folder / _SPEC).unlink(missing_ok=True)
        for path in self.folder.glob("containers/*/*/refused.json"):
            path.unlink()

    def run_folder(self, name: str, attempt: int) -> Path:
        folder = self.folder / "containers" / name / str(attempt)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder

    def files(self, spec: ContainerSpec) -> dict[str, str]:
        """Return every container's files besides volumes, by target: resolver files and the termination message."""
        folder, found = self.run_folder(spec.name, spec.attempt), dict[str, str]()
        taken = {mount.target for mount in spec.mounts}
        texts = {"/etc/hosts": self.spec.hosts, "/etc/resolv.conf": self.spec.resolv_conf}
        for target, text in texts.items():
            if text and target not in taken:
                path = folder / Path(target).name
                path.write_text(text)
                path.chmod(0o644)
                found[target] = str(path)
        if spec.termination_message_path and spec.termination_message_path not in taken:
            path = folder / "termination-log"
            path.touch()
            path.chmod(0o666)
            found[spec.termination_message_path] = str(path)
        return found

    def refuse(self, run: ContainerFacts) -> None:
        """Record a run that could not be started."""
        now = time.time()
        run = msgspec.structs.replace(run, started_at=now, finished_at=now)
        path = self.run_folder(run.name, run.attempt) / "refused.json"
        path.write_bytes(msgspec.json.encode(run))
        self._runs[run.name, run.attempt] = run

    def update(self, inspected: list[Object]) -> bool:
        """Update from the engine's state; whether anything has changed."""
        before = self.alive, self._pid, dict(self._runs)
        self.is_known, self.alive, self._pid = True, False, 0
        for each in inspected:
            name = dig(each, "Config", "Labels", NAME)
            if name is None:
                self.alive = bool(dig(each, "State", "Running"))
                self._pid = int(dig(each, "State", "Pid") or 0) if self.alive else 0
                self._created_at = answers.seconds(each.get("Created"))
                continue
            run = answers.container_facts(each, self._message(each))
            if run is not None:
                self._runs[run.name, run.attempt] = run
        self._lose({str(each["Id"]) for each in inspected})
        return before != (self.alive, self._pid, self._runs)

    def _lose(self, there: set[str]) -> None:
        """Record the end of runs that the engine no longer knows, and whose end was not observed."""
        for key, run in self._runs.items():
            if run.state == "running" and run.id not in there:
                self._runs[key] = msgspec.structs.replace(
                    run,
                    state="exited",
                    pid=0,
                    finished_at=time.time(),
                    exit_code=255,
                    reason="ContainerStatusUnknown",
                    message="The container could not be located when the engine was asked for it",
                )

    def _message(self, inspected: Object) -> str:
        labels = dig(inspected, "Config", "Labels") or {}
        attempt = labels.get("windlass.dev/attempt", "0")
        path = self.folder / "containers" / str(labels.get(NAME)) / str(attempt) / "termination-log"
        try:
            with path.open("rb") as file:
                return file.read(_MAX_TERMINATION_MESSAGE).decode(errors="replace")
        except OSError:
            return ""

    def facts(self) -> PodFacts:
        runs = tuple(sorted(self._runs.values(), key=lambda run: (run.started_at, run.attempt)))
        return PodFacts(self.uid, self._pid, self.alive, self._created_at, runs)

    def run(self, name: str, attempt: int) -> ContainerFacts | None:
        return self._runs.get((name, attempt))

    def newest(self, name: str) -> ContainerFacts | None:
        return max((run for run in self._runs.values() if run.name == name), key=lambda run: run.attempt, default=None)
