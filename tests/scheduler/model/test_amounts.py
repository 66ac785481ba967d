"""No number that somebody writes into an object is too large, too small or too odd for the scheduler to read."""

import math
from typing import Any

import hypothesis.strategies as st
import msgspec
import numpy as np
import pytest
from hypothesis import example, given

from tests.scheduler.builders import a_group, a_node, a_pod
from windlass.apis.core_v1 import Node
from windlass.scheduler.model.amounts import A_GANG, A_LIMIT, A_NODE, A_POD, DEVICES, amounts_of, float_of, units_of
from windlass.scheduler.model.columns import vector
from windlass.scheduler.model.jobs import Queue
from windlass.scheduler.model.parsing import LONGEST, duration_of, job_of, moment_of, queue_of, seconds_of
from windlass.scheduler.model.snapshot import NodeInfo, Snapshot
from windlass.scheduler.plugins.deviceshare.cards import ask_of, cards_of, taken_by
from windlass.scheduler.plugins.drf.hierarchy import PATH, WEIGHTS, path_of

NUMBERS = st.integers(-(10**30), 10**30).map(str)
EXPONENTS = st.tuples(st.integers(0, 999), st.integers(-400, 999)).map(lambda one: f"{one[0]}e{one[1]}")
SUFFIXED = st.tuples(st.integers(0, 10**20), st.sampled_from(["m", "k", "E", "Ei", "n"])).map(
    lambda one: f"{one[0]}{one[1]}"
)
QUANTITIES = NUMBERS | EXPONENTS | SUFFIXED
LISTS = st.dictionaries(st.sampled_from(["cpu", "memory", "nvidia.com/gpu", "requests.cpu"]), QUANTITIES)


@given(LISTS)
@example({"cpu": "1e308", "memory": "1e999"})
@example({"cpu": "-1"})
def test_every_quantity_is_a_whole_number_within_bounds(listed: dict[str, str]) -> None:
    for most in (A_POD, A_NODE, A_GANG, A_LIMIT):
        found = amounts_of(listed, most)
        assert all(0 <= amount <= most for amount in found.values())
        assert np.isfinite(vector(found)).all()
    assert all(math.isfinite(amount) and amount >= 0 for amount in units_of(listed).values())


@given(asked=QUANTITIES, offered=QUANTITIES)
def test_a_pod_that_asks_for_more_than_is_counted_fits_on_no_node(asked: str, offered: str) -> None:
    pod = a_pod(asks={"cpu": asked})
    node = NodeInfo("n")
    node.set(a_node("n", cpu=offered))
    if pod.requests.get("cpu", 0) == A_POD:
        assert node.allocatable["cpu"] < A_POD


@given(st.lists(QUANTITIES, min_size=1, max_size=6), QUANTITIES)
def test_sums_of_a_node_are_what_they_were_when_pods_of_any_size_have_gone(sizes: list[str], stays: str) -> None:
    """Whatever the others ask for, nothing of it stays behind in what an ordinary pod uses."""
    snapshot = Snapshot()
    snapshot.put_node(a_node("n", cpu=stays))
    snapshot.add_pod(a_pod("ordinary", cpu="1500m", memory="3Gi"), "n")
    before = snapshot.table.used.copy()
    for number, size in enumerate(sizes):
        snapshot.add_pod(a_pod(f"p{number}", asks={"cpu": size, "memory": size}), "n")
    for number in range(len(sizes)):
        snapshot.remove_pod(f"uid-p{number}")

    assert np.array_equal(snapshot.table.used, before)


@given(LISTS, QUANTITIES)
def test_queues_and_groups_of_any_size_can_be_read(listed: dict[str, str], weight: str) -> None:
    spec = {"capability": listed, "deserved": listed, "guarantee": {"resource": listed}}
    queue = queue_of({"metadata": {"name": "q"}, "spec": spec})
    assert not np.isnan(queue.capability).any()
    assert np.isfinite(queue.guarantee).all()
    job = job_of(a_group(minResources=listed))
    assert job.min_resources is not None
    assert (job.min_resources <= A_GANG).all()
    path, weights = path_of(Queue("q", annotations={PATH: "root/a/b", WEIGHTS: f"1/{weight}/0"}))
    assert path == ("a", "b")
    assert all(0 < one < math.inf for one in weights)


@given(st.text(max_size=40))
@example("1.2.3s")
@example("²")
@example("9" * 400)
@example("9" * 400 + "h")
@example("1h30m")
def test_a_duration_is_a_time_that_can_be_added_to_now_or_none(told: str) -> None:
    found = duration_of(told)
    assert found is None or 0 <= found <= LONGEST
    assert moment_of(1e9 + (found or 0)).year < 2200


@pytest.mark.parametrize("told", ["0001-01-01T00:00:00", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+14:00", "x"])
def test_a_moment_that_was_written_can_be_written_again(told: str) -> None:
    assert moment_of(seconds_of(told)).year >= 1970


@pytest.mark.parametrize("seconds", [-1e300, 0.0, 1e300, math.inf])
def test_a_moment_too_far_away_is_the_last_or_the_first(seconds: float) -> None:
    assert 1970 <= moment_of(seconds).year <= 9999


@given(st.text(max_size=20) | QUANTITIES)
@example("nan")
@example("inf")
@example("-1")
def test_a_number_of_an_annotation_is_within_bounds(told: str) -> None:
    assert 0 <= float_of(told) <= A_NODE


@given(number=QUANTITIES, memory=QUANTITIES)
@example(number="1e18", memory="1")
def test_devices_that_are_listed_one_by_one_are_not_without_end(number: str, memory: str) -> None:
    offers = {"volcano.sh/gpu-number": number, "volcano.sh/gpu-memory": memory}
    node = msgspec.convert({"metadata": {"name": "n"}, "status": {"capacity": offers}}, Node)
    cards = cards_of(node, "number")
    assert cards is None or len(cards.cards) <= DEVICES
    pod = a_pod(
        asks={"volcano.sh/gpu-number": number, "volcano.sh/vgpu-number": number, "volcano.sh/vgpu-memory": memory}
    )
    for mode in ("number", "vgpu"):
        ask = ask_of(pod, mode)
        assert ask is None or all(len(wants) <= DEVICES + 1 for wants in ask)


@pytest.mark.parametrize(
    "annotations",
    [
        {"volcano.sh/gpu-index": "9" * 5000},
        {"volcano.sh/gpu-index": "²,x,,-1,1e400"},
        {"volcano.sh/vgpu-ids-new": "0,NVIDIA,x,y:"},
        {"volcano.sh/vgpu-ids-new": "0,NVIDIA,nan,inf:"},
    ],
)
def test_what_pods_say_of_their_cards_cannot_hurt(annotations: dict[str, Any]) -> None:
    offers = {"volcano.sh/gpu-number": "2", "volcano.sh/gpu-memory": "64"}
    node = msgspec.convert({"metadata": {"name": "n"}, "status": {"capacity": offers}}, Node)
    cards = cards_of(node, "number")
    assert cards is not None
    pod = a_pod(asks={"volcano.sh/gpu-number": "1"}, annotations=annotations)

    for mode in ("memory", "number", "vgpu"):
        cards.take("p", taken_by(pod, cards, mode))
        assert all(math.isfinite(card.used) for card in cards.cards.values())
