"""How many answers of a kind make a verdict."""

import pytest

from windlass.node.probes.threshold import Tally, count


@pytest.mark.parametrize(
    ("successes", "failures", "answers", "probe_results"),
    [
        (1, 3, "+", "+"),
        (1, 3, "---", "..-"),
        (1, 3, "--+--+---", "..++++++-"),
        (1, 1, "-+-", "-+-"),
        (3, 2, "++-+++", ".....+"),
        (3, 2, "+++--+-+++", "..++-----+"),
    ],
)
def test_a_verdict_changes_when_enough_of_the_same_follow_each_other(
    successes: int, failures: int, answers: str, probe_results: str
) -> None:
    tally, found = Tally(), ""
    for answer in answers:
        tally = count(tally, answer == "+", successes=successes, failures=failures)
        found += {None: ".", True: "+", False: "-"}[tally.verdict]

    assert found == probe_results
