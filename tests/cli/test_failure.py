"""What the packages below the command line cannot do is shown as the failure of a command."""

import pytest

from windlass.apps.training.jobs.errors import JobsError
from windlass.cli.failure import Failure, as_failures
from windlass.supervisor.errors import SupervisorError

CAUSE = OSError("because")


@pytest.mark.parametrize(
    ("error", "lines"),
    [
        (JobsError("there is no job"), ()),
        (SupervisorError("the server ended", lines=("its last line",)), ("its last line",)),
    ],
)
def test_errors_of_lower_packages_are_failures_with_the_same_message_lines_and_cause(
    error: Exception, lines: tuple[str, ...]
) -> None:
    with pytest.raises(Failure) as failure, as_failures():
        raise error from CAUSE

    assert (failure.value.message, failure.value.lines, failure.value.exit_code) == (str(error), lines, 1)
    assert failure.value.__cause__ is CAUSE


def test_other_errors_pass() -> None:
    with pytest.raises(ValueError, match="a fault"), as_failures():
        raise ValueError("a fault")
