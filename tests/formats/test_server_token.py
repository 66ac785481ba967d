"""A server admits who sends its token, and nobody else."""

import pytest

from windlass.formats.server_token import is_gateway

TOKEN = "0123456789abcdef" * 4


@pytest.mark.parametrize(
    ("token", "given", "expected"),
    [
        (TOKEN, TOKEN, True),
        (TOKEN, None, False),
        (TOKEN, "", False),
        (TOKEN, TOKEN[:-1], False),
        (TOKEN, TOKEN + " ", False),
        (TOKEN, TOKEN.upper(), False),
        (TOKEN, f"token {TOKEN}", False),
        (TOKEN, "\udcff", False),
        (TOKEN, "ä" * 64, False),
        ("", "", False),
        ("", None, False),
    ],
)
def test_only_the_same_token_is_the_gateways(token: str, given: str | None, expected: bool) -> None:
    assert is_gateway(token, given) is expected
