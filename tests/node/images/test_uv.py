"""Failures of uv, by its messages."""

import pytest

from windlass.node.images.uv import explain


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("error: Failed to fetch: `http://127.0.0.1:1/simple/a/` dns error: failed to lookup address", "unreachable"),
        ("error: error sending request for url (http://127.0.0.1:1/simple/a/)", "unreachable"),
        ("  × No solution found: Because nowhere-a was not found in the package registry", "not found"),
        ("error: Requested Python >=3.13 does not fit", ""),
    ],
)
def test_the_reason_follows_from_the_message(line: str, reason: str) -> None:
    failure = explain(["Resolving", line], 2)

    assert failure.reason == reason
    assert ("check the network" in str(failure)) == (reason == "unreachable")
