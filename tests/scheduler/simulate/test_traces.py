"""Clusters and workloads after published figures."""

import numpy as np
import pytest

from windlass.apis.wellknown import NVIDIA_GPU
from windlass.scheduler.model.columns import GPU
from windlass.scheduler.simulate import traces


def test_the_cluster_has_the_nodes_and_gpus_that_were_published_scaled_to_5000() -> None:
    kinds = traces.c5k()

    assert sum(kind.count for kind in kinds) == 5000
    assert sum(kind.count * kind.offers.get(NVIDIA_GPU, 0) for kind in kinds) == 20_396


@pytest.mark.parametrize("nodes", [10, 77, 500])
def test_a_smaller_cluster_has_the_same_shape(nodes: int) -> None:
    kinds = traces.c5k(nodes)

    assert sum(kind.count for kind in kinds) == nodes
    assert sum(kind.count * kind.offers.get(NVIDIA_GPU, 0) for kind in kinds) == pytest.approx(4.08 * nodes, rel=0.15)


def test_the_rush_is_of_a_hundred_thousand_pods_of_which_one_in_six_has_a_gpu() -> None:
    found = traces.mode_a()

    assert len(found.jobs) == 21_649
    assert sum(job.width for job in found.jobs) == 100_000
    assert sum(float(job.asks[GPU]) for job in found.jobs) == pytest.approx(17_000, rel=0.01)


def test_run_times_have_the_quantiles_that_were_published() -> None:
    found = traces.seconds(np.random.default_rng(1), traces.PHILLY_SECONDS, 50_000)

    for rank, value in traces.PHILLY_SECONDS[:-1]:
        assert float(np.quantile(found, rank)) == pytest.approx(value, rel=0.1)
    assert found.max() <= traces.LONGEST


@pytest.mark.parametrize("name", traces.NAMES)
def test_every_trace_is_drawn_alike_from_the_same_seed_and_otherwise_from_another(name: str) -> None:
    once, again = traces.scenario(name, 40, 60, 3), traces.scenario(name, 40, 60, 3)

    assert once.jobs == again.jobs
    assert once.jobs != traces.scenario(name, 40, 60, 4).jobs
    assert len(once.jobs) == 60
    assert list(once.jobs) == sorted(once.jobs, key=lambda job: job.arrival)


def test_the_load_is_what_was_asked_for() -> None:
    found = traces.scenario("mode-b", 100, 2000)
    offered = sum(float(job.asks[GPU]) * job.duration for job in found.jobs)

    assert offered / found.jobs[-1].arrival / float(found.capacity[GPU]) == pytest.approx(0.95, rel=0.02)


def test_helios_jobs_have_the_mean_and_median_that_were_published() -> None:
    widths = [job.width for job in traces.scenario("helios", 500, 4000).jobs]

    assert np.mean(widths) == pytest.approx(3.72, rel=0.1)
    assert np.median(widths) == 1
