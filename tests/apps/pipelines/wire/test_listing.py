"""Filters of lists, as clients send them."""

import json
from urllib.parse import quote

import pytest

from windlass.apps.pipelines.wire.errors import InvalidArgument
from windlass.apps.pipelines.wire.listing import parsed_filter

FILTER = {"predicates": [{"operation": "EQUALS", "key": "name", "string_value": "50%25 a+b"}]}
TEXT = json.dumps(FILTER)


@pytest.mark.parametrize("text", [TEXT, quote(TEXT), quote(TEXT, safe="")])
def test_a_filter_that_was_encoded_twice_is_the_same(text: str) -> None:
    assert parsed_filter(text) == FILTER


@pytest.mark.parametrize("text", ["{", quote("{"), quote(quote(TEXT)), "%", ""])
def test_what_is_no_filter_even_when_it_is_decoded_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument, match="filter: is not JSON"):
        parsed_filter(text)
