"""What queues may have where one deserves what it cannot use: a gang of it finds no place for long."""

import numpy as np
import pytest

from tests.scheduler.cycle.world import GPU, World
from windlass.scheduler.cycle.gang_cycle import Decider
from windlass.scheduler.framework.conf import VOLCANO, windlass
from windlass.scheduler.model.columns import column, vector
from windlass.scheduler.model.jobs import Job, Queue
from windlass.scheduler.plugins.proportion import deserved, real_capabilities, with_what_is_lent
from windlass.scheduler.reservations.reservations import LENT_AFTER

TOTAL = vector({GPU: 100.0})


def a_queue(name: str, has: float, asks: float, *, guarantee: float = 0.0) -> Queue:
    queue = Queue(name)
    queue.allocated = vector({GPU: has})
    queue.requested = vector({GPU: has + asks})
    queue.guarantee = vector({GPU: guarantee})
    return queue


@pytest.mark.parametrize(
    ("a", "b", "in_vain", "may_have"),
    [
        ((50, 10), (50, 10), 0, (50, 50)),
        ((50, 10), (20, 60), 60, (80, 50)),  # b has no use for more than 20 now
        ((50, 10), (20, 60), 40, (60, 50)),  # ... than 40
        ((50, 10), (20, 60), 20, (50, 50)),  # ... than 60, of which it deserves 50
        ((80, 10), (10, 60), 60, (90, 50)),  # a has more than it deserves already
    ],
)
def test_what_one_cannot_use_is_lent_and_it_may_still_have_what_it_deserves(
    a: tuple[float, float], b: tuple[float, float], in_vain: float, may_have: tuple[float, float]
) -> None:
    queues = [a_queue("a", *a), a_queue("b", *b)]
    real = real_capabilities(queues, TOTAL)
    fair = deserved(queues, real, TOTAL)

    found = with_what_is_lent(queues, fair, real, TOTAL, {"b": vector({GPU: float(in_vain)})})

    assert tuple(one[column(GPU)] for one in found.values()) == may_have


def test_what_is_guaranteed_is_never_lent() -> None:
    queues = [a_queue("a", 50, 60), a_queue("b", 10, 60, guarantee=40)]
    real = real_capabilities(queues, TOTAL)
    fair = deserved(queues, real, TOTAL)

    found = with_what_is_lent(queues, fair, real, TOTAL, {"b": vector({GPU: 60.0})})

    assert np.allclose(found["a"], vector({GPU: 60.0}))


def beside_a_gang_that_waits(world: World) -> tuple[Job, Job]:
    """Queue `wide` deserves 6 of 8 GPUs and uses 2; its gang needs 6. Queue `small` has the 2 that it deserves."""
    for name in "xy":
        world.node(name, gpus=4)
    world.queue("small", weight=1)
    world.queue("wide", weight=3)
    world.job("there", 2, gpus=1, queue="wide", created=1.0, estimate=1e5)
    world.job("first", 2, gpus=1, queue="small", created=1.0, estimate=1e5)
    world.decide()
    world.run()
    gang = world.job("gang", 6, gpus=1, queue="wide", created=2.0)
    return gang, world.job("behind", 1, gpus=1, queue="small", created=3.0, estimate=10.0)


@pytest.mark.parametrize("is_configured_anew", [False, True])
def test_a_gang_that_finds_no_place_for_long_keeps_no_share_idle(is_configured_anew: bool) -> None:
    world = World(windlass("off"))
    gang, behind = beside_a_gang_that_waits(world)
    world.decide()
    assert not world.placed(behind)

    world.now += LENT_AFTER
    if is_configured_anew:
        world.decider = Decider(world.cluster, windlass("priority"), before=world.decider)
    world.decide()
    world.decide()

    assert world.placed(behind)
    assert not world.placed(gang)


def test_with_volcanos_own_configuration_nothing_is_lent() -> None:
    world = World(VOLCANO)
    _, behind = beside_a_gang_that_waits(world)
    world.decide()
    world.now += LENT_AFTER
    for _ in range(3):
        world.decide()

    assert not world.placed(behind)
