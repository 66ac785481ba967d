"""`filter_query` of list options: comparisons of a node's own fields, joined by AND. Pure.

    id = 5 AND state = LIVE
    type IN ('system.Model', "system.Dataset") AND create_time_since_epoch >= 1700000000000

Properties, neighbours (`contexts_0.id`), OR, NOT and LIKE are refused by name.
"""

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, get_args

from windlass.apps.pipelines.rows.metadata.node_queries import Condition, NodeField, Operator, Scalar
from windlass.apps.pipelines.wire.errors import InvalidArgument
from windlass.apps.pipelines.wire.protojson import checked_text
from windlass.kube.json import Object

MAX_CHARACTERS, MAX_VALUES = 65_536, 500
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<text>'(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*")
      | (?P<number>-?\d+)(?![\w.])
      | (?P<word>[A-Za-z_][\w.]*)
      | (?P<sign><=|>=|!=|<>|=|<|>|\(|\)|,)
    )""",
    re.VERBOSE,
)
_NUMBERS = frozenset({"id", "create_time_since_epoch", "last_update_time_since_epoch"})
_FIELDS: frozenset[str] = frozenset(get_args(NodeField))
_OPERATORS = {each.value: each for each in Operator} | {"<>": Operator.NOT_EQUAL}
_COMMON = frozenset({"id", "name", "type", "create_time_since_epoch", "last_update_time_since_epoch"})
ARTIFACT_FIELDS, EXECUTION_FIELDS, CONTEXT_FIELDS = _COMMON | {"uri", "state"}, _COMMON | {"last_known_state"}, _COMMON
_ID_OPERATORS = (Operator.EQUAL, Operator.NOT_EQUAL, Operator.IN)


def read_filter(query: str, fields: frozenset[str], place: str) -> list[Condition]:
    """The comparisons of a query on nodes with these fields. Raises InvalidArgument, which names its `place`."""
    if not query.strip():
        return []
    if len(query) > MAX_CHARACTERS:
        raise InvalidArgument(f"{place}: has more than {MAX_CHARACTERS} characters")
    try:
        reader = _Reader(list(_tokens(checked_text(query, place))), fields)
        return reader.conditions()
    except _Refused as error:
        raise InvalidArgument(f"{place}: {error}") from None


class _Refused(Exception):
    """What is wrong with the query."""


def _tokens(query: str) -> Iterator[tuple[str, str]]:
    """The kind and text of each token."""
    at, end = 0, len(query.rstrip())
    while at < end:
        match = _TOKEN.match(query, at)
        if match is None or match.lastgroup is None:
            raise _Refused(f"cannot be read at {query[at : at + 20].strip()!r}")
        yield match.lastgroup, match[match.lastgroup]
        at = match.end()


class _Reader:
    def __init__(self, tokens: list[tuple[str, str]], fields: frozenset[str]) -> None:
        self._tokens, self._fields, self._at = tokens, fields, 0

    def conditions(self) -> list[Condition]:
        conditions = [self._condition()]
        while self._at < len(self._tokens):
            kind, word = self._next()
            if (kind, word.upper()) != ("word", "AND"):
                raise _Refused(f"only AND is supported between comparisons, not {word!r}")
            conditions.append(self._condition())
        return conditions

    def _condition(self) -> Condition:
        kind, name = self._next()
        field = next((known for known in get_args(NodeField) if known == name and known in self._fields), None)
        if kind != "word" or field is None:
            raise _Refused(f"{name!r} is not supported: compare one of {', '.join(sorted(self._fields))}")
        kind, sign = self._next()
        compared = _OPERATORS.get(sign.upper())
        if compared is None:
            raise _Refused(f"{sign!r} is not supported: use one of {', '.join(_OPERATORS)}")
        if field == "id" and compared not in _ID_OPERATORS:
            raise _Refused(f"id can be compared by {', '.join(_ID_OPERATORS)} only")
        values = self._list(name) if compared is Operator.IN else [self._value(name)]
        return Condition(field=field, operator=compared, values=values)

    def _list(self, field: str) -> list[Scalar]:
        self._expect("(")
        values = [self._value(field)]
        while (sign := self._next()[1]) == ",":
            values.append(self._value(field))
        if sign != ")":
            raise _Refused(f"expected ')' and not {sign!r}")
        if len(values) > MAX_VALUES:
            raise _Refused(f"IN has more than {MAX_VALUES} values")
        return values

    def _value(self, field: str) -> Scalar:
        kind, value = self._next()
        if field in _NUMBERS:
            if kind != "number" or len(value) > 18:
                raise _Refused(f"{field} is a number, not {value!r}")
            return int(value)
        if kind == "word" and field in ("state", "last_known_state"):
            return value
        if kind != "text":
            raise _Refused(f"{field} is a text in quotes, not {value!r}")
        return re.sub(r"\\(.)", r"\1", value[1:-1], flags=re.DOTALL)

    def _expect(self, sign: str) -> None:
        if (given := self._next()[1]) != sign:
            raise _Refused(f"expected {sign!r} and not {given!r}")

    def _next(self) -> tuple[str, str]:
        if self._at >= len(self._tokens):
            raise _Refused("ends too early")
        self._at += 1
        return self._tokens[self._at - 1]


_COMPARE: Mapping[Operator, Callable[[Any, Any], bool]] = {
    Operator.EQUAL: operator.eq,
    Operator.NOT_EQUAL: operator.ne,
    Operator.LESS: operator.lt,
    Operator.LESS_OR_EQUAL: operator.le,
    Operator.GREATER: operator.gt,
    Operator.GREATER_OR_EQUAL: operator.ge,
}


def matches(node: Object, conditions: list[Condition]) -> bool:
    """Whether a node that is no row has what a filter asks for."""
    return all(
        node[each.field] in each.values
        if each.operator is Operator.IN
        else _COMPARE[each.operator](node[each.field], each.values[0])
        for each in conditions
    )
