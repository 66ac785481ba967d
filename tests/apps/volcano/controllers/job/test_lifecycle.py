"""A job from its making to its end, without accidents."""

from tests.apps.volcano.controllers.job.world import GROUP, JobWorld, task


def test_a_new_job_is_pending_and_has_a_group_but_no_pods() -> None:
    world = JobWorld(task("worker", 2))
    world.settle()

    assert world.phase == "Pending"
    assert world.kinds == [f"PodGroup/{GROUP}"]
    assert world.pods == {}
    assert [condition.status for condition in world.status.conditions] == ["Pending"]


def test_pods_are_made_once_the_group_is_let_in() -> None:
    world = JobWorld(task("ps"), task("worker", 2))
    world.settle()
    world.admit("Pending")
    world.settle()
    assert world.pods == {}

    world.admit("Inqueue")
    world.settle()

    assert [*world.pods] == ["demo-ps-0", "demo-worker-0", "demo-worker-1"]
    assert (world.status.pending, world.status.min_available) == (3, 3)


def test_a_job_runs_when_enough_pods_do_and_completes_with_all() -> None:
    world = JobWorld(task("worker", 2), minAvailable=1).started()
    assert (world.phase, world.status.running) == ("Running", 2)
    world.end("demo-worker-0")
    world.settle()
    assert world.phase == "Running"
    world.wait(90)
    world.end("demo-worker-1")
    world.settle()

    assert world.phase == "Completed"
    assert world.status.running_duration == "1m30s"
    assert world.status.task_status_count["worker"].phase == {"Succeeded": 2}
    assert [*world.pods] == ["demo-worker-0", "demo-worker-1"]
    assert world.kinds == [], "the group goes, so that its queue is free"
