"""Which of many jobs are looked at first."""

from tests.scheduler.actions.rooms import GPU, a_world
from windlass.scheduler.actions.portions import portions
from windlass.scheduler.model.columns import vector


def test_what_can_be_spared_is_enough_and_what_there_is_then_all() -> None:
    world = a_world(action="gangpreempt", nodes=100)
    whole = [world.job(f"whole{at}", 4, pod=GPU, on=("n000",)) for at in range(40)]
    loose = [world.job(f"loose{at}", 4, 2, pod=GPU, on=("n001",)) for at in range(40)]
    jobs = [job for pair in zip(whole, loose, strict=True) for job in pair]
    needs = vector({"nvidia.com/gpu": 4})
    found = list(portions(needs, jobs))
    assert [[job.name for job in some] for some in found[:1]] == [["whole0", "loose0", "loose1", "loose2", "loose3"]]
    assert len(found[1]) == 8 + 8 + (32 - 8)
    assert found[2] == jobs


def test_where_nobody_can_spare_anything_the_first_ones_are_looked_at_as_a_whole() -> None:
    world = a_world(action="gangpreempt", nodes=100)
    jobs = [world.job(f"whole{at}", 4, pod=GPU, on=("n000",)) for at in range(40)]
    assert [len(some) for some in portions(vector({"nvidia.com/gpu": 4}), jobs)] == [2, 16, 40]
