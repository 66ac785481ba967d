"""Jobs in virtual time: what the scheduler decides, what dies and fails, and what comes of it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windlass.scheduler.simulate.forecast import Learned
from windlass.scheduler.simulate.measures import measure
from windlass.scheduler.simulate.traces import scenario
from windlass.scheduler.simulate.workload import Failures

from .builders import ALONE, GANG, a_job, a_scenario, ended, lived

SLACK = 4.0  # seconds: a cycle to be admitted, one to be placed, and one for what came between


def test_a_gang_starts_whole_and_ends_when_its_work_is_done() -> None:
    found = ended(lived(a_scenario(a_job("a", 4))))["a"]

    assert found.start is not None
    assert found.start <= SLACK
    assert found.end == pytest.approx(found.start + 100)


def test_a_gang_that_does_not_fit_beside_another_waits_until_that_has_ended() -> None:
    found = ended(lived(a_scenario(a_job("a", 4), a_job("b", 4, arrival=1.0), gpus=7)))

    assert found["b"].start == pytest.approx(found["a"].end, abs=SLACK)


def test_pod_by_pod_half_a_gang_holds_gpus_with_which_it_can_do_nothing() -> None:
    described = a_scenario(a_job("a", 4), a_job("b", 4), gpus=6)

    alone, together = lived(described, ALONE), lived(described, GANG)

    assert alone.records.violations > 0
    assert measure(alone).idle_held > 0.1
    assert together.records.violations == 0
    assert measure(together).idle_held == 0


def test_an_elastic_job_works_with_fewer_pods_and_takes_longer() -> None:
    found = ended(lived(a_scenario(a_job("a", 4, least=2), gpus=2)))["a"]

    assert found.start is not None
    assert found.end == pytest.approx(found.start + 200)


def test_a_pod_that_dies_is_replaced_and_the_work_stands_still_until_then() -> None:
    outcome = lived(a_scenario(a_job("a", 2, deaths=((0.5, 1),))))
    found = ended(outcome)["a"]

    assert outcome.records.deaths == 1
    assert found.start is not None
    assert found.end is not None
    assert 100 < found.end - found.start <= 100 + 2 + SLACK


def test_what_runs_on_a_node_that_fails_goes_on_elsewhere() -> None:
    failures = Failures(nodes_per_hour=2, node_down=600)
    outcome = lived(a_scenario(a_job("a", 8, duration=36_000), nodes=4, gpus=4, failures=failures))

    assert outcome.records.node_failures > 0
    assert outcome.records.deaths > 0
    assert ended(outcome)["a"].end is not None


def test_a_job_larger_than_the_cluster_is_given_up_when_nothing_else_happens() -> None:
    outcome = lived(a_scenario(a_job("a", 5), a_job("b", 1)))

    assert ended(outcome)["a"].end is None
    assert ended(outcome)["b"].end is not None
    assert measure(outcome).makespan_ratio is None


def test_what_a_user_ran_tells_how_long_those_take_that_wait_already() -> None:
    """So that one that ends in time uses the GPU that is kept for a gang."""
    jobs = (
        a_job("a", user="u"),
        a_job("b", duration=500, estimate=500.0),
        a_job("c-gang", 2),
        a_job("d", user="u"),
        a_job("e", user="v"),
    )
    found = ended(lived(a_scenario(*jobs, gpus=2)))

    assert found["d"].start == pytest.approx(100, abs=2 * SLACK)
    assert found["c-gang"].start == pytest.approx(500, abs=2 * SLACK)
    assert found["e"].start == pytest.approx(600, abs=3 * SLACK)


def test_run_times_are_learned_from_what_a_user_ran_before() -> None:
    learned = Learned()

    assert learned.of("u") is None
    for seconds in (60.0, 10.0, 90.0):
        learned.add("u", seconds)
    assert learned.of("u") == 60.0
    assert learned.of("v") is None


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**16), nodes=st.integers(4, 12), policy=st.sampled_from([GANG, ALONE]))
def test_the_same_seed_gives_the_same_whatever_else_happened(seed: int, nodes: int, policy) -> None:
    described = scenario("mode-b", nodes, 24, seed)

    once, again = lived(described, policy), lived(scenario("mode-b", nodes, 24, seed), policy)

    assert measure(once).as_json() == measure(again).as_json()
    assert once.records.bars == again.records.bars
    assert once.records.samples == again.records.samples


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**16), nodes=st.integers(4, 12))
def test_no_gang_is_ever_started_in_part_and_no_gpu_is_given_twice(seed: int, nodes: int) -> None:
    outcome = lived(scenario("mode-b", nodes, 24, seed), GANG)

    assert outcome.records.violations == 0
    assert all(sample.held <= sample.gpus + 0.11 for sample in outcome.records.samples)
    assert all(sample.working <= sample.held + 1e-6 for sample in outcome.records.samples)
