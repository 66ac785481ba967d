"""A defect that shows on one pod, Service, policy or volume costs that one; the node goes on with the others."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.kube.live import until
from windlass.apis.local_volumes import FOLDER_FINALIZER
from windlass.kube.client import Client
from windlass.kube.faults import Faults
from windlass.kube.json import Object
from windlass.kube.objects import key_of
from windlass.node import agent as agents
from windlass.node.agent import Agent, Options
from windlass.node.lifecycle.decision import Prepare, Pull, Start, Stop
from windlass.node.network import network as networks
from windlass.node.network.network import POD, POLICY, SERVICE, SLICE, Network
from windlass.node.network.policies import Member, compile_policies
from windlass.node.network.ruleset import Chain, Ruleset
from windlass.node.network.services import Compiled
from windlass.node.pods import worker as workers
from windlass.node.pods.worker import Worker
from windlass.node.runtimes.process.network import LoopbackNetwork
from windlass.node.streams.pods import Changes
from windlass.node.volumes.persistent import PersistentFolders


class Nowhere:
    """A transport that is never to be asked."""

    async def request(self, request: Any) -> Any:
        raise AssertionError("nothing is asked of the server here")

    def stream(self, request: Any) -> Any:
        raise AssertionError("nothing is asked of the server here")

    async def close(self) -> None: ...


def an_object(name: str, version: str = "1", **more: Any) -> Object:
    return {"metadata": {"name": name, "namespace": "n", "uid": name, "resourceVersion": version}, **more}


def overflow(*_: Any, **__: Any) -> Any:
    raise OverflowError("int too large to convert to float")


def if_bad(real: Any) -> Any:
    """Raises for what is called `bad`."""

    def called(obj: Any, *rest: Any) -> Any:
        return overflow() if key_of(obj).name == "bad" else real(obj, *rest)

    return called


def an_agent(tmp_path: Path) -> Agent:
    agent = Agent(Client(Nowhere()), Options(data=tmp_path, name="node", server=("127.0.0.1", 1)))
    agent._context = SimpleNamespace(changes=Changes(), facts={})  # pyright: ignore[reportAttributeAccessIssue]
    return agent


async def test_a_worker_that_fails_on_a_pod_starts_again_ever_later_and_others_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []

    class Failing:
        def __init__(self, context: Any, pod: Object) -> None:
            self.pod, self.uid, self.key = pod, str(pod["metadata"]["uid"]), key_of(pod)

        def update(self, pod: Object) -> None:
            self.pod = pod

        async def run(self) -> None:
            ran.append(self.uid)
            if self.uid == "bad":
                overflow()
            await asyncio.Event().wait()

    monkeypatch.setattr(agents, "Worker", Failing)
    monkeypatch.setattr(agents, "RESTART_DELAY", 0.001)
    agent = an_agent(tmp_path)
    for name in ("bad", "good"):
        agent._pods.put(an_object(name))
    agent._pods.subscribe(agents._PodHandler(agent.pod_changed, agent.pod_removed))

    async def restarted() -> bool:
        return agent._client.faults.counts["pod worker", "Pod.v1"] >= 4

    await until(restarted)
    assert ran.count("good") == 1
    assert "good" in agent._workers
    assert agent._failures["bad"] >= 3
    assert agent._recorder._waiting.qsize() == 1, "a version is told of once"
    for task in agent._running.values():
        task.cancel()


async def test_a_worker_that_cannot_be_made_costs_its_pod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    agent = an_agent(tmp_path)
    monkeypatch.setattr(agent, "pod_changed", if_bad(lambda pod: seen.append(key_of(pod).name)))
    agent._pods.subscribe(agents._PodHandler(agent.pod_changed, agent.pod_removed))

    for name in ("bad", "good"):
        agent._pods.put(an_object(name))

    assert seen == ["good"]
    assert agent._client.faults.counts["_PodHandler", "Pod.v1"] == 1


INSTRUCTIONS = {
    "prepare": Prepare(),
    "pull": Pull("c", "image", "Always", 0),
    "start": Start("c", 0, "hash"),
    "stop": Stop("c", 0, 1.0, "Terminating"),
}


@pytest.mark.parametrize("what", INSTRUCTIONS)
async def test_what_a_worker_does_may_fail_and_is_tried_again_ever_later(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def failing(*_: Any) -> None:
        overflow()

    monkeypatch.setattr(workers, what, failing)
    monkeypatch.setattr(workers, "RETRY", 0.001)
    faults = Faults()
    context: Any = SimpleNamespace(
        client=SimpleNamespace(faults=faults), runtime=SimpleNamespace(log_file=None), facts={}
    )
    worker = Worker(context, an_object("bad"))

    async def failed_thrice() -> bool:
        worker._begin(INSTRUCTIONS[what])
        return faults.counts[f"pod worker: {what}", "Pod.v1"] >= 3

    await until(failed_thrice)
    assert max(worker._failures.values()) >= 2
    for task in worker._tasks.values():
        task.cancel()


async def test_loops_over_all_pods_go_on_after_one_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent, evicted = an_agent(tmp_path), list[str]()
    for name in ("bad", "good"):
        pod = an_object(name)
        agent._workers[name] = SimpleNamespace(  # pyright: ignore[reportArgumentType]
            uid=name, pod=pod, evicting=None, current=lambda pod=pod: pod, wake=lambda name=name: evicted.append(name)
        )

    async def usage(uid: str) -> Any:
        return overflow() if uid == "bad" else {}

    context: Any = agent._context
    context.volumes, context.runtime = SimpleNamespace(usage=usage), SimpleNamespace(usage=usage)
    context.facts = dict.fromkeys(agent._workers)
    monkeypatch.setattr(agents, "MEASURE_INTERVAL", 0.0)
    monkeypatch.setattr(agents, "has_limit", lambda _: True)
    monkeypatch.setattr(agents, "over_limit", lambda *_: "over")
    monkeypatch.setattr(agents, "free_memory", lambda: 0)
    monkeypatch.setattr(agents, "pod_to_evict", lambda pods, used, *_: (next(iter(used)), "low") if used else None)

    async def both() -> bool:
        return "good" in evicted

    async with asyncio.TaskGroup() as tasks:
        loops = [tasks.create_task(agent._watch_storage())]
        await until(both)
        evicted.clear()
        agent._workers["good"].evicting = None
        loops.append(tasks.create_task(agent._watch_memory()))
        await until(both)
        for loop in loops:
            loop.cancel()
    assert set(evicted) == {"good"}
    assert agent._client.faults.counts.keys() == {("storage limits", "Pod.v1"), ("memory pressure", "Pod.v1")}


async def test_a_service_pod_or_policy_that_cannot_be_compiled_has_no_rules_and_others_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = Network(Client(Nowhere()), tmp_path, server=("127.0.0.1", 1))
    for kind in (SERVICE, SLICE, POD, POLICY):
        for name in ("bad", "good"):
            network._store(kind).put(an_object(name, spec={}, status={"podIP": f"10.244.0.{len(name)}"}))

    def compiled(obj: Object, *_: Any) -> Compiled:
        return Compiled(Ruleset(chains={str(obj["metadata"]["name"]): Chain(())}))

    monkeypatch.setattr(networks, "compile_service", if_bad(compiled))
    monkeypatch.setattr(networks, "member", if_bad(networks.member))

    rules, _ = network.compile()

    assert "good" in rules.chains
    assert "bad" not in rules.chains
    assert set(network._client.faults.counts) == {("pod network", "Service.v1"), ("pod network", "Pod.v1")}


def test_a_policy_that_cannot_be_compiled_lets_nothing_through() -> None:
    faults = Faults()
    bad = an_object("bad", spec={"podSelector": {}, "ingress": [{"from": [{"ipBlock": {"cidr": "x"}}]}]})

    rules, _ = compile_policies(
        [bad], [Member("n", "p", "10.244.0.2", {})], {"n": {}}, lambda policy: faults.contain("x", policy, POLICY)
    )

    assert rules.chains["policy/n/bad/ingress"] == Chain(())
    assert (("jump", "policy/n/bad/ingress"),) in rules.chains["ingress/10.244.0.2"].rules
    assert faults.counts


async def test_a_service_that_has_no_place_on_the_loopback_costs_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "node").mkdir()
    network, placed = LoopbackNetwork(Client(Nowhere()), tmp_path, server=("127.0.0.1", 1)), list[str]()
    monkeypatch.setattr(network, "_backends_of", if_bad(lambda *_: {}))
    monkeypatch.setattr(network, "_service_location", if_bad(lambda service: placed.append(key_of(service).name)))
    for name in ("bad", "good"):
        network._services.put(an_object(name, spec={}))

    network._apply()

    assert placed == ["good"]


async def test_a_persistent_volume_that_cannot_be_settled_costs_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders, settled = PersistentFolders(Client(Nowhere()), tmp_path), list[str]()

    async def settle(volume: Object) -> None:
        if_bad(lambda one: settled.append(key_of(one).name))(volume)

    monkeypatch.setattr(folders, "settle", settle)
    for name in ("bad", "good"):
        metadata = {"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": [FOLDER_FINALIZER]}
        metadata |= {"name": name, "uid": name, "resourceVersion": "1"}
        folders.informer.store.put({"metadata": metadata})

    async def done() -> bool:
        return settled == ["good"]

    task = asyncio.create_task(folders._settle_all())
    await until(done)
    assert not task.done()
    task.cancel()
