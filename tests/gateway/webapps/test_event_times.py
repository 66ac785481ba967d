"""Events that say only that a server starts are no warnings."""

import pytest

from windlass.gateway.webapps.event_times import is_of_start


@pytest.mark.parametrize(
    ("reason", "message", "expected"),
    [
        ("Unhealthy", "Readiness probe failed: dial tcp 10.244.0.36:8888: connect: connection refused", True),
        ("Unhealthy", "Reissued from pod/lab-0: Readiness probe failed: dial tcp 10.244.0.36:8888", True),
        ("Unhealthy", "Liveness probe failed: HTTP probe failed with statuscode: 500", False),
        ("Unhealthy", "Reissued from pod/lab-0: Liveness probe failed: Readiness probe failed", False),
        ("BackOff", "Readiness probe failed", False),
    ],
)
def test_a_failed_check_of_readiness_is_of_the_start(reason: str, message: str, expected: bool) -> None:
    assert is_of_start(reason, message) is expected
