"""Label and field selectors: meaning, printing, and Kubernetes' messages for those that make no sense."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windlass.kube.selector import (
    NOTHING,
    LabelSelector,
    Requirement,
    from_labels,
    from_object,
    parse_fields,
    parse_labels,
)


@pytest.mark.parametrize(
    ("text", "labels", "matches"),
    [
        ("", {}, True),
        ("a=b", {"a": "b"}, True),
        ("a==b", {"a": "c"}, False),
        ("a=", {"a": ""}, True),
        ("a=", {}, False),
        ("a!=b", {}, True),
        ("a!=b", {"a": "b"}, False),
        ("a in (x,y)", {"a": "y"}, True),
        ("a in (x, y)", {"a": "z"}, False),
        ("a in (x)", {}, False),
        ("a notin (x)", {}, True),
        ("a notin (x,y)", {"a": "y"}, False),
        ("a in ()", {"a": ""}, True),
        ("a", {"a": ""}, True),
        ("!a", {"a": ""}, False),
        ("!a", {}, True),
        ("n>5", {"n": "6"}, True),
        ("n>5", {"n": "5"}, False),
        ("n<5", {"n": "4"}, True),
        ("n<5", {"n": "x"}, False),
        ("n<5", {}, False),
        ("a=b,c", {"a": "b", "c": "1"}, True),
        ("a=b,c", {"a": "b"}, False),
        (" a = b , ! c ", {"a": "b"}, True),
        ("in=notin", {"in": "notin"}, True),
        ("example.com/x=y", {"example.com/x": "y"}, True),
    ],
)
def test_it_selects_as_kubernetes_does(text: str, labels: dict[str, str], matches: bool) -> None:
    assert parse_labels(text).matches(labels) is matches


_NAME = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
_VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("=b", "found '=', expected: !, identifier, or 'end of string'"),
        ("a=b=c", "found '=', expected: ',' or 'end of string'"),
        ("!a=b", "found '=', expected: ',' or 'end of string'"),
        ("a,", "found '', expected: identifier after ','"),
        ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ("a in x", "unable to parse requirement: found 'x' expected: '('"),
        ("a in (x", "unable to parse requirement: found '', expected: ',' or ')'"),
        ("a in (=)", "unable to parse requirement: found '=', expected: ',', ')' or identifier"),
        ("a=(", "unable to parse requirement: found '(', expected: identifier"),
        ("!", "unable to parse requirement: found '', expected: identifier"),
        ("-a=b", f'unable to parse requirement: <nil>: Invalid value: "-a": name part {_NAME}'),
        ("a=-", f'unable to parse requirement: values[0][a]: Invalid value: "-": {_VALUE}'),
        (
            "a>x",
            'unable to parse requirement: values[0]: Invalid value: "x": '
            "for 'Gt', 'Lt' operators, the value must be an integer",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_kubernetes_words(text: str, error: str) -> None:
    with pytest.raises(ValueError) as refused:
        parse_labels(text)
    assert str(refused.value) == error


_words = st.text("abz019", min_size=1, max_size=4)


def _one_value(operators: list[str], values: st.SearchStrategy[str]) -> st.SearchStrategy[Requirement]:
    return st.builds(lambda key, op, value: Requirement(key, op, (value,)), _words, st.sampled_from(operators), values)


_requirements = st.one_of(
    st.builds(Requirement, _words, st.sampled_from(["exists", "!"])),
    _one_value(["=", "==", "!="], _words),
    _one_value(["gt", "lt"], st.integers(0, 99).map(str)),
    st.builds(
        lambda key, op, values: Requirement(key, op, tuple(sorted(values))),
        _words,
        st.sampled_from(["in", "notin"]),
        st.sets(_words | st.just(""), min_size=1, max_size=3),
    ),
)


@given(st.lists(_requirements, max_size=4))
def test_printing_and_parsing_a_selector_gives_it_back(requirements: list[Requirement]) -> None:
    selector = LabelSelector(requirements)

    assert parse_labels(str(selector)) == selector


@given(st.lists(_requirements, max_size=4), st.dictionaries(_words, _words, max_size=4))
def test_a_selector_matches_when_each_of_its_requirements_does(
    requirements: list[Requirement], labels: dict[str, str]
) -> None:
    each = [LabelSelector([requirement]).matches(labels) for requirement in requirements]

    assert LabelSelector(requirements).matches(labels) is all(each)


class TestSelectorObjects:
    def test_null_selects_nothing_and_an_empty_object_everything(self) -> None:
        assert from_object(None) is NOTHING
        assert not NOTHING.matches({})
        assert not NOTHING.empty
        assert from_object({}).matches({"a": "b"})
        assert from_object({}).empty

    def test_labels_and_expressions_all_have_to_hold(self) -> None:
        selector = from_object(
            {
                "matchLabels": {"a": "b"},
                "matchExpressions": [
                    {"key": "c", "operator": "In", "values": ["1", "2"]},
                    {"key": "d", "operator": "DoesNotExist"},
                ],
            }
        )

        assert str(selector) == "a=b,c in (1,2),!d"
        assert selector.matches({"a": "b", "c": "2"})
        assert not selector.matches({"a": "b", "c": "2", "d": ""})

    def test_an_unknown_operator_is_refused(self) -> None:
        with pytest.raises(ValueError, match='"Near" is not a valid label selector operator'):
            from_object({"matchExpressions": [{"key": "a", "operator": "Near"}]})

    def test_in_without_values_is_refused(self) -> None:
        with pytest.raises(ValueError, match="values set can't be empty"):
            from_object({"matchExpressions": [{"key": "a", "operator": "In"}]})

    def test_a_plain_map_of_labels_selects_exactly_those(self) -> None:
        assert from_labels({"a": "b"}).matches({"a": "b", "c": "d"})
        assert from_labels(None).empty


class TestFieldSelectors:
    def test_both_equals_signs_and_inequality(self) -> None:
        selector = parse_fields("status.phase!=Running,metadata.name==a,spec.nodeName=")

        assert selector.requirements == (
            ("metadata.name", "=", "a"),
            ("spec.nodeName", "=", ""),
            ("status.phase", "!=", "Running"),
        )
        assert selector.matches({"metadata.name": "a", "status.phase": "Pending"})
        assert not selector.matches({"metadata.name": "a", "status.phase": "Running"})
        assert selector.exact("metadata.name") == "a"
        assert selector.exact("status.phase") is None

    def test_the_empty_one_selects_all(self) -> None:
        assert parse_fields("").empty
        assert parse_fields("").matches({})

    def test_what_makes_no_sense_is_refused_in_kubernetes_words(self) -> None:
        with pytest.raises(ValueError) as refused:
            parse_fields("a=b,c")
        assert str(refused.value) == "invalid selector: 'a=b,c'; can't understand 'c'"
