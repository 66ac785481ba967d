"""Label and field selectors: read from a query string or a LabelSelector object, then asked many times.

`parse_labels` and `from_object` raise ValueError with Kubernetes' own message; the server answers 400 with it. A
selector is compiled into a list of small tests, so that a list or a watch over many objects stays cheap.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from windlass.kube.json import Object, encode
from windlass.kube.names import label_key_errors, label_value_errors

Labels = Mapping[str, str]
Test = Callable[[Labels], bool]

_OPERATORS: Final = ("in", "notin", "=", "==", "!=", "gt", "lt")
_SYMBOLS: Final = {"in": " in ", "notin": " notin ", "gt": ">", "lt": "<"}


@dataclass(frozen=True, slots=True)
class Requirement:
    """One condition on one label; `operator` is in, notin, =, ==, !=, gt, lt, exists or !."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.operator == "exists":
            return self.key
        if self.operator == "!":
            return f"!{self.key}"
        listed = ",".join(sorted(self.values))
        if self.operator in ("in", "notin"):
            return f"{self.key} {self.operator} ({listed})"
        return f"{self.key}{_SYMBOLS.get(self.operator, self.operator)}{listed}"


class LabelSelector:
    """All of its requirements must hold; without any it selects everything."""

    __slots__ = ("_tests", "empty", "requirements")

    def __init__(self, requirements: Iterable[Requirement] = ()) -> None:
        self.requirements = tuple(sorted(requirements, key=lambda each: each.key))
        self.empty = not self.requirements
        self._tests = tuple(_test(each) for each in self.requirements)

    def matches(self, labels: Labels | None) -> bool:
        labels = labels or {}
        for test in self._tests:  # noqa: SIM110 - a generator costs as much as the whole loop
            if not test(labels):
                return False
        return True

    def __str__(self) -> str:
        return ",".join(map(str, self.requirements))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabelSelector):
            return False
        return self.empty == other.empty and self.requirements == other.requirements

    def __hash__(self) -> int:
        return hash(self.requirements)


class _NothingSelector(LabelSelector):
    """What a null LabelSelector means: no object at all."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__()
        self.empty = False

    def matches(self, labels: Labels | None) -> bool:
        return False


EVERYTHING: Final = LabelSelector()
NOTHING: Final[LabelSelector] = _NothingSelector()


def _test(requirement: Requirement) -> Test:
    key, operator, values = requirement.key, requirement.operator, requirement.values
    if operator in ("=", "==", "in"):
        if len(values) == 1:
            only = values[0]
            return lambda labels: labels.get(key) == only
        allowed = frozenset(values)
        return lambda labels: labels.get(key) in allowed
    if operator in ("!=", "notin"):
        refused = frozenset(values)
        return lambda labels: labels.get(key) not in refused
    if operator == "exists":
        return lambda labels: key in labels
    if operator == "!":
        return lambda labels: key not in labels
    limit, above = int(values[0]), operator == "gt"

    def compare(labels: Labels) -> bool:
        number = _int64(labels.get(key, ""))
        return number is not None and (number > limit if above else number < limit)

    return compare


def _int64(text: str) -> int | None:
    """What Go's ParseInt(text, 10, 64) gives, or None where it fails."""
    if not re.fullmatch(r"[+-]?[0-9]+", text, re.ASCII):
        return None
    number = int(text)
    return number if -(2**63) <= number < 2**63 else None


def from_labels(labels: Labels | None) -> LabelSelector:
    """The selector for exactly these labels, as a Service or a ReplicationController has it; none selects all."""
    return LabelSelector(Requirement(key, "=", (value,)) for key, value in (labels or {}).items())


_OBJECT_OPERATORS: Final = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "!"}


def from_object(selector: Object | None) -> LabelSelector:
    """The selector of a LabelSelector object: null selects nothing, an empty one everything."""
    if selector is None:
        return NOTHING
    labels = cast(Mapping[str, str], selector.get("matchLabels") or {})
    requirements = [_checked(key, "=", (str(value),)) for key, value in labels.items()]
    for expression in cast(list[Object], selector.get("matchExpressions") or []):
        operator: Any = expression.get("operator", "")
        if operator not in _OBJECT_OPERATORS:
            raise ValueError(f'"{operator}" is not a valid label selector operator')
        values = cast(list[Any], expression.get("values") or [])
        requirements.append(
            _checked(str(expression.get("key", "")), _OBJECT_OPERATORS[operator], tuple(map(str, values)))
        )
    return LabelSelector(requirements)


def _checked(key: str, operator: str, values: tuple[str, ...]) -> Requirement:
    """A requirement, or ValueError with everything that Kubernetes finds wrong with it."""
    errors = [_invalid("key", key, "; ".join(found))] if (found := label_key_errors(key)) else []
    shape_error = _shape_error(operator, values)
    if shape_error:
        errors.append(_invalid("values", list(values), shape_error))
    if operator in ("gt", "lt"):
        errors.extend(
            _invalid(f"values[{index}]", value, "for 'Gt', 'Lt' operators, the value must be an integer")
            for index, value in enumerate(values)
            if _int64(value) is None
        )
    errors.extend(
        _invalid(f"values[{index}][{key}]", value, "; ".join(found))
        for index, value in enumerate(values)
        if (found := label_value_errors(value))
    )
    if errors:
        raise ValueError(errors[0] if len(errors) == 1 else f"[{', '.join(errors)}]")
    return Requirement(key, operator, values)


def _shape_error(operator: str, values: tuple[str, ...]) -> str:
    if operator in ("in", "notin"):
        return "" if values else "for 'in', 'notin' operators, values set can't be empty"
    if operator in ("exists", "!"):
        return "values set must be empty for exists and does not exist" if values else ""
    if len(values) == 1:
        return ""
    if operator in ("gt", "lt"):
        return "for 'Gt', 'Lt' operators, exactly one value is required"
    return "exact-match compatibility requires one single value"


def _invalid(path: str, value: object, why: str) -> str:
    return f"{path}: Invalid value: {encode(value).decode()}: {why}"


# Reading the query string

_TOKEN: Final = re.compile(r"[ \t\r\n]*(?:(==|!=|[=!(),<>])|([^ \t\r\n=!(),<>]+)|$)")
_WORD_OPERATORS: Final = {"in": "in", "notin": "notin", "=": "=", "==": "==", "!=": "!=", ">": "gt", "<": "lt"}
_END: Final = ("end", "")


def parse_labels(text: str) -> LabelSelector:
    """The selector of a `labelSelector` query parameter or of kubectl's `-l`."""
    return LabelSelector(_Parser(text).requirements()) if text else EVERYTHING


class _Parser:
    """A recursive descent over tokens, which are (kind, text); in and notin may also be keys and values."""

    def __init__(self, text: str) -> None:
        self._tokens = [
            ("symbol", found[1]) if found[1] else ("word", found[2])
            for found in _TOKEN.finditer(text)
            if found[1] or found[2]
        ]
        self._at = 0

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._at] if self._at < len(self._tokens) else _END

    def _take(self) -> tuple[str, str]:
        token = self._peek()
        self._at += 1
        return token

    def requirements(self) -> Iterable[Requirement]:
        while (token := self._peek()) != _END:
            if token[0] != "word" and token[1] != "!":
                raise ValueError(f"found '{token[1]}', expected: !, identifier, or 'end of string'")
            try:
                requirement = self._requirement()
            except ValueError as error:
                raise ValueError(f"unable to parse requirement: {error}") from None
            yield requirement
            separator = self._take()
            if separator == _END:
                return
            if separator[1] != ",":
                raise ValueError(f"found '{separator[1]}', expected: ',' or 'end of string'")
            following = self._peek()
            if following[0] != "word" and following[1] != "!":
                raise ValueError(f"found '{following[1]}', expected: identifier after ','")

    def _requirement(self) -> Requirement:
        kind, key = self._take()
        negated = kind == "symbol" and key == "!"
        if negated:
            kind, key = self._take()
        if kind != "word":
            raise ValueError(f"found '{key}', expected: identifier")
        if found := label_key_errors(key):
            raise ValueError(_invalid("<nil>", key, "; ".join(found)))
        if negated:
            return Requirement(key, "!")
        if self._peek() == _END or self._peek() == ("symbol", ","):
            return Requirement(key, "exists")
        operator = self._take()[1]
        if operator not in _WORD_OPERATORS:
            raise ValueError(f"found '{operator}', expected: {', '.join(_OPERATORS)}")
        values = self._values() if operator in ("in", "notin") else (self._value(),)
        return _checked(key, _WORD_OPERATORS[operator], values)

    def _value(self) -> str:
        if self._peek() in (_END, ("symbol", ",")):
            return ""
        kind, text = self._take()
        if kind != "word":
            raise ValueError(f"found '{text}', expected: identifier")
        return text

    def _values(self) -> tuple[str, ...]:
        opening = self._take()[1]
        if opening != "(":
            raise ValueError(f"found '{opening}' expected: '('")
        kind, text = self._peek()
        if kind != "word" and text not in (",", ")"):
            raise ValueError(f"found '{text}', expected: ',', ')' or identifier")
        values: set[str] = set()
        expects_value = True
        while True:
            kind, text = self._take()
            if kind == "word" and expects_value:
                values.add(text)
                expects_value = False
            elif text == "," and kind == "symbol":
                if expects_value:
                    values.add("")
                expects_value = True
            elif text == ")":
                return tuple(sorted(values | {""} if expects_value else values))
            else:
                expected = "',', or identifier" if expects_value else "',' or ')'"
                raise ValueError(f"found '{text}', expected: {expected}")


# Field selectors


@dataclass(frozen=True, slots=True)
class FieldSelector:
    """Conditions on an object's fields; `requirements` are (field, `=` or `!=`, value)."""

    requirements: tuple[tuple[str, str, str], ...] = ()

    @property
    def empty(self) -> bool:
        return not self.requirements

    def matches(self, fields: Mapping[str, str]) -> bool:
        """Whether `fields` (dotted path to value) has every field as required; a missing one counts as empty."""
        for name, operator, value in self.requirements:
            if (fields.get(name, "") == value) is (operator == "!="):
                return False
        return True

    def exact(self, name: str) -> str | None:
        """The one value that `name` must have, where the selector says so."""
        return next((value for field, op, value in self.requirements if field == name and op == "="), None)

    def __str__(self) -> str:
        return ",".join(f"{name}{operator}{value}" for name, operator, value in self.requirements)


def parse_fields(text: str) -> FieldSelector:
    """The selector of a `fieldSelector` query parameter; ValueError with Kubernetes' message where it is none."""
    requirements: list[tuple[str, str, str]] = []
    for part in sorted(text.split(",")):
        if not part:
            continue
        for symbol in ("!=", "==", "="):
            pieces = part.split(symbol)
            if len(pieces) == 2:
                requirements.append((pieces[0], "!=" if symbol == "!=" else "=", pieces[1]))
                break
        else:
            raise ValueError(f"invalid selector: '{text}'; can't understand '{part}'")
    return FieldSelector(tuple(requirements))
