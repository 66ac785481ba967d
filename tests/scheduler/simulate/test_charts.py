"""What is drawn of a simulation, and where."""

import pytest

from windlass.scheduler.simulate.charts import Block, Column, bars, colour_of, gantt, length, stacked, ticks


def a_block(who: str, start: float, end: float, part: float, node: str = "n") -> Block:
    return Block(node, start, end, part, who, who)


@pytest.mark.parametrize(
    ("blocks", "places"),
    [
        ([a_block("a", 0, 9, 0.5), a_block("b", 0, 9, 0.5)], [0, 0.5]),
        ([a_block("a", 0, 5, 0.5), a_block("b", 5, 9, 0.5)], [0, 0]),
        ([a_block("a", 0, 5, 0.5), a_block("b", 0, 9, 0.25), a_block("c", 6, 9, 0.5)], [0, 0.5, 0]),
        ([a_block("a", 0, 9, 1.0), a_block("b", 1, 9, 0.25)], [0, 0.75]),
        ([a_block("a", 0, 9, 1.0), a_block("b", 1, 9, 1.0, node="other")], [0, 0]),
    ],
    ids=["beside", "after", "in a gap", "more than there is", "other nodes"],
)
def test_what_is_on_a_node_together_is_drawn_one_above_the_other(blocks: list[Block], places: list[float]) -> None:
    assert [place for _, place in stacked(blocks)] == pytest.approx(places)


@pytest.mark.parametrize(
    ("top", "marks"),
    [(815, [0, 200, 400, 600, 800]), (1.0, [0, 0.2, 0.4, 0.6, 0.8, 1.0]), (3, [0, 1, 2, 3]), (0, [0])],
)
def test_axes_are_marked_with_round_numbers(top: float, marks: list[float]) -> None:
    assert ticks(top) == pytest.approx(marks)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0, "0 s"), (59, "59 s"), (90, "1.5 min"), (7200, "2 h"), (129_600, "1.5 d")]
)
def test_a_length_of_time_is_told_in_the_largest_unit(seconds: float, words: str) -> None:
    assert length(seconds) == words


@pytest.mark.parametrize(("end", "last"), [(45, "40 s"), (1200, "20 min"), (172_800, "48 h"), (86_400 * 400, "360 d")])
def test_marks_of_a_time_axis_are_in_one_unit_and_no_more_than_ten(end: float, last: str) -> None:
    drawn = gantt(["a"], [], end)

    assert f">{last}<" in drawn
    assert drawn.count("<line") <= 10


def test_no_wait_at_all_is_still_seen() -> None:
    assert 'height="1.0"' in bars([("1", [Column("none", 0.0, "red")])], "wait")


def test_a_name_that_is_too_long_for_its_place_is_shortened_and_told_in_full_on_pointing() -> None:
    drawn = gantt(["a-pool-with-a-very-long-name-0"], [], 60)

    assert ">a-pool-w…ng-name-0<title>a-pool-with-a-very-long-name-0</title>" in drawn


def test_neighbours_have_colours_of_their_own() -> None:
    assert len({colour_of(f"job-{number}") for number in range(20)}) == 20
