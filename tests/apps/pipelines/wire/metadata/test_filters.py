"""`filter_query`: what it selects, and what it refuses by name."""

import pytest

from windlass.apps.pipelines.rows.metadata.node_queries import Condition, Operator
from windlass.apps.pipelines.wire.errors import InvalidArgument
from windlass.apps.pipelines.wire.metadata.filters import ARTIFACT_FIELDS, CONTEXT_FIELDS, matches, read_filter


def test_comparisons_are_joined_by_and() -> None:
    query = """ id IN (1, 2) and type = "system.Model" AND uri != 'it\\'s' AND state = LIVE"""

    assert read_filter(query, ARTIFACT_FIELDS, "filter_query") == [
        Condition(field="id", operator=Operator.IN, values=[1, 2]),
        Condition(field="type", operator=Operator.EQUAL, values=["system.Model"]),
        Condition(field="uri", operator=Operator.NOT_EQUAL, values=["it's"]),
        Condition(field="state", operator=Operator.EQUAL, values=["LIVE"]),
    ]
    assert read_filter("  ", ARTIFACT_FIELDS, "filter_query") == []


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("id = 1 OR id = 2", "only AND is supported between comparisons, not 'OR'"),
        ("name LIKE 'a%'", "'LIKE' is not supported: use one of =, !="),
        ("custom_properties.x.int_value = 1", "'custom_properties.x.int_value' is not supported: compare one of"),
        ("contexts_0.id = 1", "'contexts_0.id' is not supported"),
        ("NOT id = 1", "'NOT' is not supported"),
        ("last_known_state = RUNNING", "'last_known_state' is not supported"),
        ("id = 'a'", "id is a number, not \"'a'\""),
        ("id = 1.5", "cannot be read at '1.5'"),
        ("id = 99999999999999999999", "id is a number"),
        ("id > 5", "id can be compared by =, !=, IN only"),
        ("name = x", "name is a text in quotes, not 'x'"),
        ("name =", "ends too early"),
        ("id IN 1", "expected '('"),
        ("id IN (1 2)", "expected ')'"),
        ("name = 'open", "cannot be read at"),
        ("name = '\0'", "filter_query"),
        ("uri = 'a'" * 10_000, "more than 65536 characters"),
    ],
)
def test_what_is_not_supported_is_refused_by_name(query: str, problem: str) -> None:
    with pytest.raises(InvalidArgument) as refused:
        read_filter(query, ARTIFACT_FIELDS, "options.filter_query")

    assert refused.value.message.startswith("options.filter_query: ")
    assert problem in refused.value.message


@pytest.mark.parametrize(
    ("query", "is_match"),
    [
        ("name = 'mnist'", True),
        ("name IN ('a', 'mnist') AND id = 7", True),
        ("create_time_since_epoch >= 1000", True),
        ("create_time_since_epoch > 1000", False),
        ("id != 7", False),
    ],
)
def test_a_node_that_is_no_row_is_compared_alike(query: str, is_match: bool) -> None:
    node = {"id": 7, "name": "mnist", "type": "system.Pipeline", "create_time_since_epoch": 1000}

    assert matches(node, read_filter(query, CONTEXT_FIELDS, "filter_query")) is is_match
