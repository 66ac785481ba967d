import pytest

from tests.scheduler.worlds import World
from windlass.scheduler.cycle.gang_cycle import Decider
from windlass.scheduler.framework.conf import Conf, PluginConf
from windlass.scheduler.model.columns import vector


@pytest.mark.parametrize("name", ["volcano.sh/sla-waiting-time", "sla-waiting-time"])
def test_jobs_come_by_the_time_at_which_their_patience_ends(name: str) -> None:
    world = World("sla")
    world.nodes(1, cpu="1")
    world.job("old", 1, created=0)
    patient = world.job("patient", 1, created=1, annotations={name: "2h"})
    hurried = world.job("hurried", 1, created=2, annotations={name: "1h"})
    session = world.session()

    ordered = sorted(world.cluster.jobs.values(), key=session.job_key)

    assert [job.name for job in ordered] == ["hurried", "patient", "old"]
    assert patient.created < hurried.created


@pytest.mark.parametrize(
    ("arguments", "annotations", "now", "is_let_in"),
    [
        ({}, {}, 10_000, False),
        ({}, {"sla-waiting-time": "1h"}, 3_600, False),
        ({}, {"sla-waiting-time": "1h"}, 3_601, True),
        ({"sla-waiting-time": "30m"}, {}, 1_801, True),
        ({"sla-waiting-time": "30m"}, {"sla-waiting-time": "1h"}, 1_801, False),
        ({}, {"sla-waiting-time": "soon"}, 1e9, False),
    ],
)
def test_after_that_time_it_is_let_in_whatever_later_tiers_say(
    arguments: dict[str, str], annotations: dict[str, str], now: float, is_let_in: bool
) -> None:
    world = World(actions=("enqueue",))
    conf = Conf(("enqueue",), ((PluginConf("sla", dict(arguments)),), (PluginConf("overcommit"),)))
    world.decider = Decider(world.cluster, conf)
    world.nodes(1, cpu="1")
    job = world.job("large", 0, 1, phase="Pending", min_resources=vector({"cpu": 9000}), annotations=annotations)

    assert (job in world.decide(now).admitted) is is_let_in


def test_a_time_that_cannot_be_read_is_warned_of() -> None:
    plugin = World(PluginConf("sla", {"sla-waiting-time": "soon"})).decider.plugins.named("sla")

    assert plugin is not None
    assert plugin.arguments.warnings == ["sla: sla-waiting-time: 'soon' is not a time such as 1h30m"]
