"""A simulated node drives pods through random exits, restarts of the agent, reboots and deletions."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.node.lifecycle.builders import IMAGE, a_container, a_pod, a_sidecar
from windlass.kube.json import Object
from windlass.node.lifecycle.decide import decide
from windlass.node.lifecycle.decision import Finish, Instruction, Prepare, Pull, Remove, Start, Stop
from windlass.node.lifecycle.moments import told
from windlass.node.lifecycle.observed import ImageRef, Observed, Stopping
from windlass.node.runtimes.base import ContainerFacts, PodFacts

STEPS = 60


class Node:
    """A runtime that does as it is told, and an agent that may forget all but the facts."""

    def __init__(self, pod: Object) -> None:
        self.pod, self.now, self.gone = pod, 1_800_000_000.0, False
        self.facts: PodFacts | None = None
        self.prepared = False
        self.images: dict[str, ImageRef] = {}
        self.stopping: dict[str, Stopping] = {}
        self.began: set[tuple[str, int]] = set()
        self.phases: list[str] = []

    def seen(self) -> Observed:
        address = "10.244.0.7" if self.facts else ""
        return Observed(
            now=self.now,
            facts=self.facts,
            prepared=self.prepared,
            address=address,
            images=self.images,
            stopping=self.stopping,
        )

    def look(self) -> None:
        """Decide and do, until there is nothing more to do at this moment."""
        for _ in range(20):
            decision = decide(self.pod, self.seen())
            assert decide(self.pod | {"status": decision.status}, self.seen()).status == decision.status
            self.pod = self.pod | {"status": decision.status}
            self.phases.append(decision.status["phase"])
            for instruction in decision.do:
                self.obey(instruction)
            if not decision.do or self.gone or all(isinstance(each, Stop) for each in decision.do):
                return
        raise AssertionError("the decisions do not come to rest")

    def obey(self, instruction: Instruction) -> None:
        match instruction:
            case Prepare():
                if self.facts is None or not self.facts.alive:
                    self.facts = PodFacts("u", 1, True, self.now)
                self.prepared = True
            case Pull(container, reference, _, attempt):
                self.images[container] = ImageRef(reference, "sha256:1", attempt)
            case Start(container, attempt):
                self.start(container, attempt)
            case Stop(container, attempt, grace):
                self.stopping[container] = Stopping(attempt, self.now, grace)
            case Remove():
                self.facts, self.prepared = None, False
            case Finish():
                self.gone = True

    def start(self, name: str, attempt: int) -> None:
        assert self.facts is not None
        assert self.facts.alive
        assert (name, attempt) not in self.began
        assert not any(each.name == name and each.state == "running" for each in self.facts.containers)
        self.began.add((name, attempt))
        run = ContainerFacts(name, attempt, f"{name}-{attempt}", "running", started_at=self.now)
        self.facts = replace(self.facts, containers=(*self.facts.containers, run))

    def exit(self, name: str, code: int) -> None:
        if self.facts is None or not self.facts.alive:
            return
        runs = tuple(
            replace(each, state="exited", finished_at=self.now, exit_code=code)
            if each.name == name and each.state == "running"
            else each
            for each in self.facts.containers
        )
        self.facts = replace(self.facts, containers=runs)

    def happen(self, event: tuple[str, Any]) -> None:
        match event:
            case ("exit", (name, code)):
                self.exit(name, code)
            case ("agent", _):
                self.prepared, self.images, self.stopping = False, {}, {}
            case ("reboot", _) if self.facts is not None:
                self.facts = replace(self.facts, alive=False)
                self.prepared, self.images, self.stopping = False, {}, {}
            case ("delete", _):
                self.delete()
            case _:
                pass
        for name, stop in list(self.stopping.items()):
            if self.now >= stop.since + stop.grace:
                self.exit(name, 137)
                del self.stopping[name]

    def delete(self) -> None:
        metadata = self.pod["metadata"]
        if "deletionTimestamp" not in metadata:
            metadata = metadata | {"deletionTimestamp": told(self.now + 30), "deletionGracePeriodSeconds": 30}
            self.pod = self.pod | {"metadata": metadata}


def events() -> st.SearchStrategy[tuple[str, Any]]:
    names = st.sampled_from(["main", "other", "init", "side"])
    exits = st.tuples(st.just("exit"), st.tuples(names, st.sampled_from([0, 0, 1, 137])))
    return st.one_of(exits, exits, exits, st.tuples(st.sampled_from(["agent", "reboot", "delete", "quiet"]), st.none()))


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(["Always", "OnFailure", "Never"]),
    st.lists(st.sampled_from([a_container("init"), a_sidecar()]), max_size=2, unique_by=lambda each: each["name"]),
    st.lists(st.tuples(st.sampled_from([0.0, 1.0, 15.0, 400.0]), events()), max_size=STEPS),
)
def test_whatever_happens_a_pod_that_is_deleted_ends_and_no_run_begins_twice(
    policy: str, inits: list[Object], story: list[tuple[float, tuple[str, Any]]]
) -> None:
    node = Node(a_pod(a_container(), a_container("other"), inits=tuple(inits), restartPolicy=policy))
    node.look()
    for passed, event in story:
        node.now += passed
        node.happen(event)
        node.look()
        if node.gone:
            break
    node.delete()
    for _ in range(10):
        if not node.gone:
            node.now += 31
            node.happen(("quiet", None))
            node.look()

    assert node.gone
    assert node.phases[-1] in ("Succeeded", "Failed")
    first = next(index for index, phase in enumerate(node.phases) if phase in ("Succeeded", "Failed"))
    assert set(node.phases[first:]) == {node.phases[first]}
    assert all(image.reference == IMAGE for image in node.images.values())
