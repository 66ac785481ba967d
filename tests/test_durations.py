"""The report of the seconds that test files took."""

from collections import Counter

from tests.durations import SLOWEST_FILES, progress, slowest


def test_the_slowest_files_come_first_and_the_sum_last() -> None:
    seconds = {f"tests/test_{number}.py": float(number) for number in range(50)}

    lines = slowest(seconds)

    assert lines[0] == "    49.0 s  tests/test_49.py"
    assert len(lines) == SLOWEST_FILES + 1
    assert lines[-1] == "  1225.0 s  all files"


def test_progress_names_outcomes_that_occurred() -> None:
    assert progress(Counter(passed=5211, skipped=3), 725.2) == "12 min 5 s: 5211 passed, 3 skipped"
    assert progress(Counter(), 0.2) == "0 min 0 s: no test"
