"""A simulated node drives pods through random exits, probes, hooks, evictions, reboots, new agents and deletions."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.node.lifecycle.builders import IMAGE, a_container, a_pod, a_sidecar
from tests.node.lifecycle.simulation import TERMINAL, Node
from windlass.kube.json import Object, dig
from windlass.node.lifecycle.main_container import MAIN_CONTAINER

STEPS = 60
PROBE: Object = {"tcpSocket": {"port": 80}}
PROBED: Object = {"startupProbe": PROBE, "readinessProbe": PROBE, "livenessProbe": PROBE}
HOOKED: Object = {"lifecycle": {"postStart": {"exec": {"command": ["true"]}}}}

names = st.sampled_from(["main", "other", "init", "side", "debug"])
exits = st.tuples(st.just("exit"), names, st.sampled_from([0, 0, 1, 137]))
probes = st.tuples(st.just("probe"), names, st.sampled_from(["started", "ready", "live"]), st.booleans())
hooks = st.tuples(st.just("hook"), names, st.sampled_from(["done", "failed"]))
images = st.tuples(st.just("image"), st.sampled_from([IMAGE, "python:3.12"]))
others = st.tuples(st.sampled_from(["agent", "reboot", "delete", "evict", "debug", "quiet"]))
events = st.one_of(exits, exits, exits, probes, probes, hooks, images, others)
stories = st.lists(st.tuples(st.sampled_from([0.0, 1.0, 15.0, 400.0]), events), max_size=STEPS)
steady = st.sampled_from([{}, PROBED, HOOKED, PROBED | HOOKED])
mains = st.one_of(steady, st.just({"restartPolicy": "OnFailure"}))
inits = st.lists(
    st.sampled_from([a_container("init"), a_sidecar(), a_sidecar(startupProbe=PROBE)]),
    max_size=2,
    unique_by=lambda each: each["name"],
)


def live(node: Node, story: list[tuple[float, tuple[Any, ...]]]) -> None:
    node.look()
    for passed, event in story:
        node.now += passed
        node.happen(*event)
        node.look()
        if node.gone:
            return


def wait_for_the_end(node: Node) -> None:
    for _ in range(10):
        if not node.gone:
            node.now += 31
            node.happen("quiet")
            node.look()


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(["Always", "OnFailure", "Never"]), inits, mains, stories, st.booleans())
def test_whatever_happens_a_pod_that_is_deleted_ends_and_no_run_begins_twice(
    policy: str, init: list[Object], fields: Object, story: list[tuple[float, tuple[Any, ...]]], forgetful: bool
) -> None:
    pod = a_pod(a_container(**fields), a_container("other"), inits=tuple(init), restartPolicy=policy)
    node = Node(pod, forgetful=forgetful)
    live(node, story)
    node.delete()
    wait_for_the_end(node)

    assert node.gone
    assert node.phases[-1] in TERMINAL
    first = next(index for index, phase in enumerate(node.phases) if phase in TERMINAL)
    assert set(node.phases[first:]) == {node.phases[first]}


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["Always", "OnFailure", "Never"]), inits, mains, stories)
def test_a_pod_with_a_deadline_is_over_when_it_has_passed(
    policy: str, init: list[Object], fields: Object, story: list[tuple[float, tuple[Any, ...]]]
) -> None:
    node = Node(a_pod(a_container(**fields), inits=tuple(init), restartPolicy=policy, activeDeadlineSeconds=600))
    live(node, [each for each in story if each[1] != ("delete",)])
    node.now += 600
    node.ending = True
    node.look()
    for _ in range(5):
        node.now += 31
        node.happen("quiet")
        node.look()

    assert node.phases[-1] in TERMINAL
    assert node.facts is None
    assert not node.gone
    reason = node.pod["status"].get("reason")
    assert reason in (None, "DeadlineExceeded", "Evicted")
    assert node.phases[-1] == "Failed" or reason is None


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["OnFailure", "Never"]), inits, stories, st.sampled_from([0, 0, 3]))
def test_a_pod_is_over_and_judged_by_its_main_container_when_that_has_ended(
    policy: str, init: list[Object], story: list[tuple[float, tuple[Any, ...]]], code: int
) -> None:
    pod = a_pod(a_container(restartPolicy="Never"), a_container("other"), inits=tuple(init), restartPolicy=policy)
    pod["metadata"]["annotations"] = {MAIN_CONTAINER: "main"}
    node = Node(pod)
    live(node, [each for each in story if each[1][0] not in ("delete", "evict", "image") and "main" not in each[1]])
    if not node.is_running("main"):
        return
    node.exit("main", code)
    node.ending = True
    node.look()
    wait_for_the_end(node)

    assert node.phases[-1] == ("Failed" if code else "Succeeded")
    assert node.facts is None


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["Always", "OnFailure"]), inits, mains, stories, st.booleans())
def test_an_evicted_pod_says_so_though_the_agent_is_killed_at_once(
    policy: str, init: list[Object], fields: Object, story: list[tuple[float, tuple[Any, ...]]], dies: bool
) -> None:
    node = Node(a_pod(a_container(**fields), inits=tuple(init), restartPolicy=policy))
    live(node, [each for each in story if each[1] != ("delete",)])
    if node.phases[-1] in TERMINAL:
        return
    node.happen("evict")
    node.look()
    if dies:
        node.happen("agent")
    wait_for_the_end(node)

    assert (node.phases[-1], node.pod["status"]["reason"]) == ("Failed", "Evicted")
    told = {each["type"]: each for each in node.pod["status"]["conditions"]}
    assert told["DisruptionTarget"]["reason"] == "TerminationByKubelet"
    assert node.facts is None


@settings(max_examples=100, deadline=None)
@given(inits, steady, stories)
def test_a_pod_that_is_left_in_peace_comes_to_run(
    init: list[Object], fields: Object, story: list[tuple[float, tuple[Any, ...]]]
) -> None:
    """After any history without an end, hours in which nothing fails are enough."""
    node = Node(a_pod(a_container(**fields), a_container("other"), inits=tuple(init), restartPolicy="Always"))
    live(node, [each for each in story if each[1][0] not in ("delete", "evict", "debug")])
    for _ in range(12):
        node.now += 400
        node.happen("quiet")
        for name in ("main", "other", "side"):
            run = node.running(name)
            if run is not None and name not in node.stopping:
                node.probe_results.pop(name, None)
                node.hook(name, "done")
                node.probe(name, "started", True)
                node.probe(name, "ready", True)
                node.probe(name, "live", True)
        node.look()
        node.exit("init", 0)
        node.look()

    assert node.phases[-1] == "Running"
    ready = next(each for each in node.pod["status"]["conditions"] if each["type"] == "Ready")
    assert ready["status"] == "True"
    assert all(dig(each, "state", "running") for each in node.pod["status"]["containerStatuses"])
