"""`binpack` with `binpack.sparing.weight`: where pods go so that no GPUs lie idle for want of cpu."""

import numpy as np
import pytest

from tests.scheduler.cycle.world import World
from windlass.scheduler.framework.conf import VOLCANO, Conf, windlass
from windlass.scheduler.placing.use_scores import Nodes, OneNode
from windlass.scheduler.plugins.binpack import sparing

NODES = (("cpu", 32, 0), ("rich", 104, 2), ("usual", 96, 8), ("poor", 16, 2))
"""Name, cores, GPUs."""


def a_cluster(conf: Conf | None = None) -> World:
    world = World(conf)
    for name, cores, gpus in NODES:
        world.node(name, cpu=cores, gpus=gpus)
    return world


@pytest.mark.parametrize(
    ("cpu", "gpus", "scores"),
    [
        (4, 0, {"cpu": 100, "rich": 100 * (1 - 20 / 104), "usual": 100 * (1 - 80 / 96), "poor": 0}),
        (4, 1, {"rich": 100, "usual": 100, "poor": 100}),
        (12, 1, {"rich": 100, "usual": 100, "poor": 100 * 8 / 12}),
        (15, 1, {"rich": 100, "usual": 100 * 12 / 15, "poor": 100 * 8 / 15}),
        (88, 8, {"usual": 100}),
        (0, 1, {"rich": 100, "usual": 100, "poor": 100}),
    ],
)
def test_how_good_a_node_is_by_what_would_lie_idle_of_it(cpu: int, gpus: int, scores: dict[str, float]) -> None:
    world = a_cluster()
    task = next(iter(world.job("j", 1, cpu=cpu, gpus=gpus).tasks.values()))
    table, shape = world.cluster.snapshot.table, world.decider.placer.shapes.of(task.pod)
    rows = [table.index[name] for name in scores]
    wanted = pytest.approx(list(scores.values()))

    assert (sparing(Nodes(table, np.array(rows), shape)) + np.zeros(len(rows))).tolist() == wanted
    assert [sparing(OneNode(table, row, shape)) for row in rows] == wanted


@pytest.mark.parametrize(("cpu", "gpus", "node"), [(12, 0, "cpu"), (15, 1, "rich")])
def test_pods_stay_away_from_gpus_that_others_could_use(cpu: int, gpus: int, node: str) -> None:
    world = a_cluster(windlass("off"))
    job = world.job("j", 1, cpu=cpu, gpus=gpus)
    world.decide()

    assert world.placed(job) == {"j-0": node}


def nodes_in_use(conf: Conf) -> int:
    """Of four equal ones, after eight pods came one by one that one node has room for."""
    world = World(conf)
    for name in "abcd":
        world.node(name, cpu=96, gpus=8)
    jobs = [world.job(f"j{number}", 1, cpu=4, gpus=1) for number in range(8)]
    world.decide()
    return len({node for job in jobs for node in world.placed(job).values()})


def test_windlass_keeps_nodes_whole_for_large_pods_even_where_volcano_spreads_a_little() -> None:
    assert nodes_in_use(windlass("off")) == 1
    assert nodes_in_use(windlass("off")) <= nodes_in_use(VOLCANO)
