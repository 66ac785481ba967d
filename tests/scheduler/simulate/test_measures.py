"""What is told of a simulation."""

from dataclasses import replace

import pytest

from windlass.scheduler.simulate.baselines import POLICIES
from windlass.scheduler.simulate.measures import BARS, compare, measure, meets, shortest_makespan, waits_by_width
from windlass.scheduler.simulate.records import Ended
from windlass.scheduler.simulate.report import html, shown
from windlass.scheduler.simulate.running_job import LiveJob, Up
from windlass.scheduler.simulate.workload import PodMaker
from windlass.scheduler.simulate.world import job_of, task_of

from .builders import ALONE, a_job, a_scenario, lived


@pytest.mark.parametrize(
    ("jobs", "seconds"),
    [
        ([a_job("a", 1, duration=100, arrival=50)], 150),
        ([a_job("a", 4, duration=100), a_job("b", 4, duration=100)], 200),
        ([a_job("a", 4, duration=100), a_job("b", 4, duration=100, arrival=500)], 600),
        ([a_job("a", 1, duration=1000), a_job("b", 4, duration=100)], 1000),
    ],
)
def test_no_policy_can_be_done_sooner_than_the_longest_job_or_the_work_there_is(jobs: list, seconds: float) -> None:
    assert shortest_makespan(a_scenario(*jobs)) == pytest.approx(seconds)


def test_a_cluster_that_is_full_while_jobs_wait_is_used_well() -> None:
    found = measure(lived(a_scenario(*[a_job(f"j{at}", 2) for at in range(8)])))

    assert found.utilisation > 0.95
    assert found.makespan_ratio is not None
    assert found.makespan_ratio < 1.05
    assert found.done == found.jobs == 8
    assert found.eviction_waste == 0


def test_gpus_that_half_gangs_hold_are_not_at_work() -> None:
    found = measure(lived(a_scenario(a_job("a", 5), a_job("b", 1, arrival=500.0), gpus=4), ALONE))

    assert found.idle_held > 0.9
    assert found.utilisation < 0.1


def test_waits_are_told_by_width_in_powers_of_two() -> None:
    found = waits_by_width(
        [Ended("a", 1, "q", 0, 10, 20), Ended("b", 5, "q", 0, 30, 40), Ended("c", 7, "q", 0, None, None)]
    )

    assert [(one.width, one.jobs, one.p50, one.never) for one in found] == [(1, 1, 10, 0), (4, 2, 30, 1)]


def test_waits_of_large_gangs_are_told_by_those_under_strict_fifo() -> None:
    base = measure(lived(a_scenario(a_job("a"))))
    fifo, other = replace(base, policy="fifo-gang", large_wait=50.0), replace(base, policy="x", large_wait=100.0)

    assert [one.large_wait_ratio for one in compare([fifo, other])] == [1.0, 2.0]


@pytest.mark.parametrize(("least", "done", "wasted"), [(2, 0.0, 400.0), (1, 0.25, 100.0)])
def test_a_job_that_loses_what_it_needs_begins_anew_and_one_that_loses_surplus_only_that(
    least: int, done: float, wasted: float
) -> None:
    plan, maker = a_job("a", 2, least=least, gpus=2), PodMaker()
    live = LiveJob(plan, job_of(plan), plan.asks)
    for index in (0, 1):
        task = task_of(plan, index, maker)
        live.up[task.uid] = Up(task, index, 0.0)
        live.held += task.request
    live.pace()
    live.settle(50.0)
    lost = live.up.pop("a-worker-1")
    live.gpu_seconds = 2 * 2 * 100.0 if least == 2 else 200.0

    assert live.lose(lost, 50.0) == pytest.approx(wasted)
    assert live.done == pytest.approx(done)


def test_every_bar_is_of_a_measure_that_there_is() -> None:
    found = measure(lived(a_scenario(a_job("a"))))

    for field, _, bar, less in BARS:
        assert isinstance(meets(field, getattr(found, field), bar, less=less), bool)


def test_the_report_is_one_file_with_all_plots_that_needs_no_network() -> None:
    scenario = a_scenario(*[a_job(f"j<{at}>", 2, queue=f"q{at % 2}") for at in range(6)])
    outcomes = [lived(scenario, policy) for policy in POLICIES]

    text = html(outcomes, [measure(outcome) for outcome in outcomes])

    assert text.count("<svg") == text.count("</svg>") == 2 + 2 * len(POLICIES)
    assert "All nodes, and the jobs on them" in text
    assert "http://" not in text
    assert "https://" not in text
    assert "j<" not in text
    for title in ("GPUs at work", "Shares of the queues", "Waits by gang width", "Nodes"):
        assert title in text


def test_the_report_tells_what_never_started_and_that_there_are_no_gpus() -> None:
    outcome = lived(a_scenario(a_job("a", 2, gpus=0), a_job("never", 9, gpus=5), gpus=0))

    text = html([outcome], [measure(outcome)])

    assert "The cluster has no GPUs." in text
    assert "1 never started" in text
    assert "<nav>" not in text


def test_what_still_runs_at_the_end_is_drawn_too() -> None:
    outcome = lived(a_scenario(a_job("half", 5), gpus=4), ALONE)

    assert [(bar.job, bar.part) for bar in outcome.records.bars] == [("half", 0.25)] * 4
    assert "half: 4 of 5 pods, from 1 s to" in html([outcome], [measure(outcome)])


@pytest.mark.parametrize(
    ("value", "text"), [(None, "–"), (0, "0"), (1.62e-5, "< 0.001"), (0.0187, "0.0187"), (6687, "6,687"), (1.0, "1")]
)
def test_figures_are_short(value: float | None, text: str) -> None:
    assert shown(value) == text
