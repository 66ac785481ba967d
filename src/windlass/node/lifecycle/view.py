"""A pod and its observed state, parsed once: the queries that all parts of the decision share."""

import hashlib
from collections.abc import Iterator
from typing import Literal

from windlass.kube.json import Object, dig, dig_list, dig_object
from windlass.node.lifecycle.main_container import deciding
from windlass.node.lifecycle.observed import HookState, ImageRef, Observed, ProbeResults, Stopping
from windlass.node.lifecycle.runs import STATUS_LISTS, Run, histories

TERMINAL = ("Succeeded", "Failed")
DEFAULT_GRACE = 30.0
RunState = Literal["waiting", "running", "ended"]


def spec_hash(container: Object) -> str:
    """Return the hash of the mutable part of a container, which is its image; another hash requires a restart."""
    status = f"{container.get('name')}\0{container.get('image')}"
    return hashlib.sha256(status.encode()).hexdigest()[:16]


def is_sidecar(init_container: Object) -> bool:
    return init_container.get("restartPolicy") == "Always" and "restartPolicyRules" not in init_container


class View:
    """Read-only; created for each decision."""

    def __init__(self, pod: Object, observed: Observed) -> None:
        self.pod, self.observed, self.now = pod, observed, observed.now
        self.metadata, self.spec = dig_object(pod, "metadata"), dig_object(pod, "spec")
        self.status = dig_object(pod, "status")
        self.mains: list[Object] = dig_list(self.spec, "containers")
        self.deciding = deciding(self.metadata, self.mains)
        self.ephemerals: list[Object] = dig_list(self.spec, "ephemeralContainers")
        inits: list[Object] = dig_list(self.spec, "initContainers")
        self.all_inits = inits
        self.inits = [each for each in inits if not is_sidecar(each)]
        self.sidecars = [each for each in inits if is_sidecar(each)]
        self.statuses: dict[str, Object] = {
            each.get("name", ""): each for listed in STATUS_LISTS for each in dig_list(self.status, listed)
        }
        self.histories = histories(self.status, observed)
        self.has_sandbox = observed.facts is not None and observed.facts.alive
        self.usable = self.has_sandbox and observed.prepared
        self.initialized = self._is_initialized()

    # The pod

    @property
    def name(self) -> str:
        return self.metadata.get("name", "")

    @property
    def full_name(self) -> str:
        return f"{self.name}_{self.metadata.get('namespace', '')}({self.metadata.get('uid', '')})"

    @property
    def restart_policy(self) -> str:
        return self.spec.get("restartPolicy") or "Always"

    @property
    def old_phase(self) -> str:
        return self.status.get("phase") or "Pending"

    @property
    def is_deleted(self) -> bool:
        return self.metadata.get("deletionTimestamp") is not None

    @property
    def grace(self) -> float:
        """The grace period of an orderly stop: the deletion's, or the pod's."""
        for value in (self.metadata.get("deletionGracePeriodSeconds"), self.spec.get("terminationGracePeriodSeconds")):
            if value is not None:
                return max(float(value), 1.0)
        return DEFAULT_GRACE

    def containers(self) -> Iterator[Object]:
        yield from self.all_inits
        yield from self.mains
        yield from self.ephemerals

    def field_path(self, name: str) -> str:
        for where, listed in (("initContainers", self.all_inits), ("ephemeralContainers", self.ephemerals)):
            if any(each.get("name") == name for each in listed):
                return f"spec.{where}{{{name}}}"
        return f"spec.containers{{{name}}}"

    # A container's runs

    def newest(self, container: Object) -> Run | None:
        history = self.histories.get(container["name"])
        return history[-1] if history else None

    def running(self, container: Object) -> Run | None:
        run = self.newest(container)
        return run if run is not None and run.running else None

    def anything_runs(self) -> bool:
        return any(self.running(each) for each in self.containers())

    def anything_ran(self) -> bool:
        return any(self.newest(each) for each in self.containers())

    def next_attempt(self, container: Object) -> int:
        run = self.newest(container)
        return 0 if run is None else run.attempt + 1

    def probe_results(self, container: Object, run: Run) -> ProbeResults:
        found = self.observed.probe_results.get(container["name"])
        return found if found is not None and found.attempt == run.attempt else ProbeResults(attempt=run.attempt)

    def hook(self, container: Object, run: Run) -> HookState | None:
        found = self.observed.hooks.get(container["name"])
        return found if found is not None and found.attempt == run.attempt else None

    def stopping(self, container: Object, run: Run) -> Stopping | None:
        found = self.observed.stopping.get(container["name"])
        return found if found is not None and found.attempt == run.attempt else None

    def image(self, container: Object) -> ImageRef | None:
        found = self.observed.images.get(container["name"])
        return found if found is not None and found.reference == container.get("image") else None

    def recorded_run(self, container: Object, run: Run) -> Object:
        """Return the container status of this very run, if the pod's status shows it; else an empty object."""
        status = self.statuses.get(container["name"], {})
        shows = dig(status, "state", "running") is not None or dig(status, "state", "terminated") is not None
        return status if shows and int(status.get("restartCount") or 0) == run.attempt else {}

    def run_state(self, container: Object) -> RunState:
        """Classify the container's state; one whose postStart hook is still running does not count as running yet."""
        run = self.newest(container)
        if run is None:
            return "waiting"
        if not run.running:
            return "ended"
        if self.hook_pending(container, run):
            return "ended" if len(self.histories[container["name"]]) > 1 else "waiting"
        return "running"

    def hook_pending(self, container: Object, run: Run) -> bool:
        hook = self.hook(container, run)
        return hook is not None and hook.state != "done"

    def is_started(self, container: Object) -> bool:
        """Whether it runs, postStart has finished and the startup probe succeeded. A new agent trusts the status."""
        run = self.running(container)
        if run is None or self.hook_pending(container, run):
            return False
        if container.get("startupProbe") is None:
            return True
        verdict = self.probe_results(container, run).started
        return bool(self.recorded_run(container, run).get("started")) if verdict is None else verdict

    def is_ready(self, container: Object) -> bool:
        run = self.running(container)
        if run is None or not self.is_started(container):
            return False
        if container.get("readinessProbe") is None:
            return True
        verdict = self.probe_results(container, run).ready
        return bool(self.recorded_run(container, run).get("ready")) if verdict is None else verdict

    # Restarting

    def has_changed(self, container: Object, run: Run) -> bool:
        """Whether the container's definition changed since this run started."""
        return bool(run.spec_hash) and run.spec_hash != spec_hash(container) and container not in self.ephemerals

    def restarts(self, container: Object, run: Run) -> bool:
        """Whether a main or init container is restarted after this run's end."""
        if container in self.ephemerals:
            return False
        if container in self.sidecars or self.has_changed(container, run):
            return True
        for rule in dig_list(container, "restartPolicyRules"):
            values = dig_list(rule, "exitCodes", "values")
            if (run.exit_code in values) is (dig(rule, "exitCodes", "operator") == "In"):
                return True
        policy = container.get("restartPolicy") or self.restart_policy
        if policy == "Never" or run.exit_code != 0:
            return policy != "Never"
        return policy == "Always" and container in self.mains

    def has_passed(self, init: Object) -> bool:
        """Whether a regular init container has succeeded in this sandbox."""
        run = self.newest(init)
        return run is not None and run.here and not run.running and run.exit_code == 0

    def _is_initialized(self) -> bool:
        if any((run := self.newest(each)) is not None and run.here for each in self.mains):
            return True
        return all(self.is_started(each) if is_sidecar(each) else self.has_passed(each) for each in self.all_inits)
