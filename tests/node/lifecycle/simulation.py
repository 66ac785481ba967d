"""A node that does as `decide` says, for stories in which anything may happen at any moment."""

from typing import Any

from msgspec.structs import replace

from tests.node.lifecycle.builders import a_container
from tests.node.pods.merged import merged, sorted_conditions
from windlass.kube.json import Object, dig
from windlass.node.lifecycle.decide import decide
from windlass.node.lifecycle.decision import Decision, Finish, Instruction, Prepare, Pull, Remove, Start, Stop
from windlass.node.lifecycle.observed import Eviction, HookState, ImageRef, Observed, ProbeResults, Stopping
from windlass.node.lifecycle.times import format_time
from windlass.node.runtimes.base import ContainerFacts, PodFacts

TERMINAL = ("Succeeded", "Failed")


class Node:
    """A runtime that does as it is told, and an agent that may forget all but the facts.

    A `forgetful` runtime knows nothing of the runs before a reboot.
    """

    def __init__(self, pod: Object, *, forgetful: bool = False) -> None:
        self.pod, self.now, self.gone, self.forgetful = pod, 1_800_000_000.0, False, forgetful
        self.facts: PodFacts | None = None
        self.began: set[tuple[str, int]] = set()
        self.phases: list[str] = []
        self.ending = False
        self.evicting: Eviction | None = None
        self.forget()

    def forget(self) -> None:
        """A new agent."""
        self.prepared = False
        self.images: dict[str, ImageRef] = {}
        self.stopping: dict[str, Stopping] = {}
        self.probe_results: dict[str, ProbeResults] = {}
        self.hooks: dict[str, HookState] = {}
        self.evicting = None

    def seen(self) -> Observed:
        return Observed(
            now=self.now,
            host_ip="10.244.0.1",
            facts=self.facts,
            prepared=self.prepared,
            address="10.244.0.7" if self.prepared else "",
            images=self.images,
            stopping=self.stopping,
            probe_results=self.probe_results,
            hooks=self.hooks,
            evicting=self.evicting,
        )

    # looking

    def look(self) -> None:
        """Decide and do, until there is nothing more to do at this moment."""
        for _ in range(20):
            decision = decide(self.pod, self.seen())
            self.check(decision)
            self.pod = self.pod | {"status": decision.status}
            self.phases.append(decision.status["phase"])
            for instruction in decision.do:
                self.obey(instruction)
            if not decision.do or self.gone or all(isinstance(each, Stop) for each in decision.do):
                assert decision.wake_at is None or decision.wake_at > self.now, "it would never sleep"
                return
        raise AssertionError("the decisions do not come to rest")

    def check(self, decision: Decision) -> None:
        """What holds of every decision."""
        status, before = decision.status, self.pod["status"]
        again = decide(self.pod | {"status": status}, self.seen())
        assert again.status == status
        assert {each.reason for each in again.events} <= {"Killing", "SandboxChanged"}, "told twice"
        if before != status:
            assert merged(before, status) == sorted_conditions(status)
        if self.ending or before.get("phase") in TERMINAL:
            assert not any(isinstance(each, Start | Pull | Prepare) for each in decision.do), "it is over"
        counts = {each["name"]: each["restartCount"] for each in before.get("containerStatuses", ())}
        for each in status.get("containerStatuses", ()):
            assert each["restartCount"] >= counts.get(each["name"], 0)
            assert not each["ready"] or self.is_running(each["name"])
        ready = next(each for each in status["conditions"] if each["type"] == "Ready")
        if ready["status"] == "True":
            assert all(each["ready"] for each in status["containerStatuses"])

    # doing

    def obey(self, instruction: Instruction) -> None:
        match instruction:
            case Prepare():
                if self.facts is None or not self.facts.alive:
                    before = self.facts.containers if self.facts and not self.forgetful else ()
                    self.facts = PodFacts("u", 1, True, self.now, tuple(self.lost(each) for each in before))
                self.prepared = True
            case Pull(container, reference, _, attempt):
                self.images[container] = ImageRef(reference, "sha256:1", attempt)
            case Start(container, attempt, spec_hash):
                self.start(container, attempt, spec_hash)
            case Stop(container, attempt, grace):
                assert self.is_running(container)
                self.stopping[container] = Stopping(attempt, self.now, grace)
            case Remove():
                assert not any(self.is_running(each["name"]) for each in self.containers())
                self.facts, self.prepared = None, False
            case Finish():
                self.gone = True

    def lost(self, run: ContainerFacts) -> ContainerFacts:
        if run.state == "exited":
            return run
        return replace(run, state="exited", finished_at=self.now, exit_code=255, reason="ContainerStatusUnknown")

    def start(self, name: str, attempt: int, spec_hash: str) -> None:
        assert self.facts is not None
        assert self.facts.alive
        assert self.prepared
        assert (name, attempt) not in self.began
        assert not self.is_running(name)
        if any(each["name"] == name for each in self.pod["spec"]["containers"]):
            assert all(self.has_passed(each) for each in self.pod["spec"]["initContainers"]), "too early"
        self.began.add((name, attempt))
        run = ContainerFacts(name, attempt, f"{name}-{attempt}", "running", started_at=self.now, spec_hash=spec_hash)
        self.facts = replace(self.facts, containers=(*self.facts.containers, run))
        container = next(each for each in self.containers() if each["name"] == name)
        if dig(container, "lifecycle", "postStart"):
            self.hooks[name] = HookState(attempt, "pending")

    def has_passed(self, init: Object) -> bool:
        """In this sandbox, as far as a main container that starts must be sure of."""
        assert self.facts is not None
        here = [each for each in self.facts.containers if each.name == init["name"]]
        here = [each for each in here if each.started_at >= (self.facts.created_at if self.facts else 0)]
        if init.get("restartPolicy") == "Always":
            return bool(here)
        return any(each.state == "exited" and each.exit_code == 0 for each in here)

    # what happens

    def containers(self) -> list[Object]:
        spec = self.pod["spec"]
        return [*spec["initContainers"], *spec["containers"], *spec.get("ephemeralContainers", ())]

    def running(self, name: str) -> ContainerFacts | None:
        if self.facts is None or not self.facts.alive:
            return None
        return next((each for each in self.facts.containers if each.name == name and each.state == "running"), None)

    def is_running(self, name: str) -> bool:
        return self.running(name) is not None

    def exit(self, name: str, code: int) -> None:
        run = self.running(name)
        if run is not None and self.facts is not None:
            ended = replace(run, state="exited", finished_at=self.now, exit_code=code)
            runs = tuple(ended if each is run else each for each in self.facts.containers)
            self.facts = replace(self.facts, containers=runs)

    def probe(self, name: str, field: str, verdict: bool) -> None:
        run = self.running(name)
        if run is not None:
            known = self.probe_results.get(name)
            known = known if known is not None and known.attempt == run.attempt else ProbeResults(run.attempt)
            self.probe_results[name] = replace(known, **{field: verdict})

    def hook(self, name: str, state: Any) -> None:
        pending, run = self.hooks.get(name), self.running(name)
        if pending is not None and run is not None and pending.attempt == run.attempt:
            self.hooks[name] = replace(pending, state=state)

    def happen(self, event: str, *details: Any) -> None:
        match event:
            case "agent":
                self.forget()
            case "reboot" if self.facts is not None:
                self.facts = replace(self.facts, alive=False)
                self.forget()
            case "evict" if self.pod["status"].get("phase") not in TERMINAL:
                self.evicting, self.ending = Eviction("The node was low on resource: memory. "), True
            case "exit" | "probe" | "hook" | "delete" | "debug" | "image":
                getattr(self, event)(*details)
            case _:
                pass
        for name, stop in list(self.stopping.items()):
            if self.now >= stop.since + stop.grace:
                self.exit(name, 137)
                del self.stopping[name]

    def debug(self) -> None:
        self.pod = self.pod | {"spec": self.pod["spec"] | {"ephemeralContainers": [a_container("debug")]}}

    def image(self, image: str) -> None:
        mains = [each | {"image": image} if each["name"] == "main" else each for each in self.pod["spec"]["containers"]]
        self.pod = self.pod | {"spec": self.pod["spec"] | {"containers": mains}}

    def delete(self) -> None:
        metadata = self.pod["metadata"]
        self.ending = True
        if "deletionTimestamp" not in metadata:
            metadata = metadata | {"deletionTimestamp": format_time(self.now + 30), "deletionGracePeriodSeconds": 30}
            self.pod = self.pod | {"metadata": metadata}
