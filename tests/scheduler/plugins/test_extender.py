"""Asked of a real server on this machine, which answers as the test says."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.scheduler.extender_server import Server
from tests.scheduler.worlds import World
from windlass.scheduler.extender_http import connect_blocking, over_http
from windlass.scheduler.framework.conf import PluginConf
from windlass.scheduler.framework.extension_points import Vote
from windlass.scheduler.model.columns import vector
from windlass.scheduler.model.jobs import Task
from windlass.scheduler.plugins.extender.client import CallbackFailed
from windlass.scheduler.plugins.extender.plugin import Extender


@pytest.fixture(scope="module")
def one_server() -> Iterator[Server]:
    server = Server()
    yield server
    server.stop()


@pytest.fixture
def server(one_server: Server) -> Server:
    one_server.answers, one_server.asked = {}, []
    return one_server


def a_world(server: Server, *verbs: str, ignorable: bool = False, actions: tuple[str, ...] = ("allocate",)) -> World:
    arguments: dict[str, Any] = {"extender.urlPrefix": server.url, "extender.ignorable": ignorable}
    arguments["extender.httpTimeout"] = "60s"
    arguments |= {f"extender.{verb}Verb": verb for verb in verbs}
    world = World(PluginConf("extender", arguments), actions=actions, connect=connect_blocking)
    world.nodes(3)
    return world


def a_task(world: World) -> Task:
    return next(iter(world.job("j", 1).tasks.values()))


def test_without_verbs_nothing_is_asked(server: Server) -> None:
    world = a_world(server)
    job = world.job("j", 1)

    assert world.decide().commits
    assert job.ready == 1
    assert server.asked == []


def test_nodes_that_it_refuses_are_left_out_and_the_others_go_by_its_scores(server: Server) -> None:
    world = a_world(server, "predicate", "prioritize")
    server.answers = {"prioritize": {"nodeScore": {"n002": 9000}}}
    job = world.job("j", 1)

    world.decide()

    assert world.where(job) == ["n002"]
    asked = [body["node"]["Name"] for verb, body in server.asked if verb == "predicate"]
    assert asked == ["n000", "n001", "n002"]
    assert server.asked[0][1]["task"]["Resreq"]["MilliCPU"] == 1000


def test_why_it_refuses_is_told(server: Server) -> None:
    world = a_world(server, "predicate")
    server.answers = {"predicate": {"errorMessage": "it is too loud"}}
    job = world.job("j", 1)

    trouble = world.decide().troubles[job.uid]

    assert "0/3 nodes are unavailable: 3 it is too loud." in trouble.message


@pytest.mark.parametrize("answer", [500, b"no JSON", b"[]"])
@pytest.mark.parametrize("ignorable", [True, False])
def test_what_fails_is_ignored_or_refuses(server: Server, answer: Any, ignorable: bool) -> None:
    verbs = ("predicate", "jobReady", "queueOverused", "jobEnqueueable", "preemptable")
    server.answers = dict.fromkeys(verbs, answer)
    world = a_world(server, *verbs, ignorable=ignorable)
    task = a_task(world)
    session = world.session()
    plugin = world.decider.plugins.named("extender")
    assert isinstance(plugin, Extender)

    assert bool(session.mask(task).any()) is ignorable  # pyright: ignore[reportOptionalMemberAccess] - it has a verb
    assert plugin.job_ready(task.job) is ignorable
    assert plugin.overused(world.cluster.queues["default"]) is not ignorable
    assert plugin.job_enqueueable(task.job) is (Vote.PERMIT if ignorable else Vote.REJECT)
    assert plugin.preemptable(task, [task]) == (None if ignorable else [])


@pytest.mark.parametrize("scores", [None, [9000], "n002", {"n002": "many"}])
def test_scores_that_are_none_count_nothing(server: Server, scores: Any) -> None:
    world = a_world(server, "prioritize")
    server.answers = {"prioritize": {"nodeScore": scores}}
    job = world.job("j", 1)

    world.decide()

    assert job.ready == 1


def test_it_names_victims_by_uid(server: Server) -> None:
    world = a_world(server, "preemptable", "reclaimable")
    there = world.job("there", 2, on=["n000"])
    gainer = a_task(world)
    server.answers = {
        "preemptable": {"status": 1, "victims": [{"UID": "uid-there-1"}]},
        "reclaimable": {"status": 0},
    }
    plugin = world.decider.plugins.named("extender")
    assert isinstance(plugin, Extender)
    world.session()

    tasks = list(there.tasks.values())

    assert plugin.preemptable(gainer, tasks) == [tasks[1]]
    assert plugin.reclaimable(gainer, tasks) is None


@pytest.mark.parametrize(("status", "is_let_in"), [(1, True), (0, True), (-1, False)])
def test_it_votes_on_who_is_let_in(server: Server, status: int, is_let_in: bool) -> None:
    world = a_world(server, "jobEnqueueable", actions=("enqueue",))
    server.answers = {"jobEnqueueable": {"status": status}}
    job = world.job("j", 0, 1, phase="Pending", min_resources=vector({"cpu": 1}))

    assert (job in world.decide().admitted) is is_let_in


def test_nobody_there_is_a_failure_with_a_name() -> None:
    with pytest.raises(CallbackFailed, match=r"word of http://127.0.0.1:1"):
        over_http("http://127.0.0.1:1", 1)("word", {})


@pytest.mark.parametrize(("given", "warnings"), [("100ms", 0), ("2s", 0), ("", 0), ("soon", 1)])
def test_times_are_read(server: Server, given: str, warnings: int) -> None:
    arguments = {"extender.urlPrefix": server.url, "extender.httpTimeout": given}
    plugin = World(PluginConf("extender", arguments)).decider.plugins.named("extender")

    assert plugin is not None
    assert len(plugin.arguments.warnings) == warnings


def test_it_is_told_of_all_when_a_cycle_begins(server: Server) -> None:
    world = a_world(server, "onSessionOpen")
    job = world.job("j", 1)

    world.decide()

    assert [verb for verb, _ in server.asked] == ["onSessionOpen"]
    body = server.asked[0][1]
    assert set(body["jobs"]) == {job.uid}
    assert set(body["nodes"]) == {"n000", "n001", "n002"}
    assert set(body["queues"]) == {"default"}
