"""Evaluates expressions of Argo (`{{=…}}`, `retryStrategy.expression`): the expr language without side effects.

Parsing builds a tree of closures; nothing but the functions in `expression_functions` can be called. A variable that
the scope lacks raises Unresolved, so that a caller can wait for it.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from windlass.apps.pipelines.argo.language.expression_cost import Budget
from windlass.apps.pipelines.argo.language.expression_functions import CLOSURES, FUNCTIONS, text
from windlass.apps.pipelines.argo.language.expression_lexer import ExpressionError, Token, string_value, tokens
from windlass.apps.pipelines.argo.language.expression_operators import (
    applied,
    boolean,
    item,
    list_value,
    member,
    number,
)
from windlass.apps.pipelines.argo.language.scope import Scope, Unresolved
from windlass.apps.pipelines.argo.language.sprig_functions import SPRIG

__all__ = ["ExpressionError", "evaluate", "is_true"]

Environment: TypeAlias = Mapping[str, Any]
Code: TypeAlias = Callable[[Environment], Any]
_ELEMENT = "#"
_SCOPE = "{scope}"
_BUDGET = "{budget}"
MAX_NESTING = 60

_BINARY: tuple[frozenset[str], ...] = (
    frozenset({"||", "or"}),
    frozenset({"&&", "and"}),
    frozenset({"==", "!=", "<", "<=", ">", ">=", "in", "not", "contains", "startsWith", "endsWith", "matches"}),
    frozenset({"+", "-"}),
    frozenset({"*", "/", "%"}),
    frozenset({"**"}),
)
"""Operators by their precedence, the loosest first."""


def evaluate(source: str, scope: Scope, **variables: Any) -> Any:
    """The value of an expression. Raises ExpressionError and Unresolved."""
    try:
        return _compiled(source)({_SCOPE: scope, _BUDGET: Budget(), **variables})
    except ExpressionError:
        raise
    except (TypeError, ArithmeticError, AttributeError, KeyError, IndexError, ValueError, RecursionError) as error:
        raise ExpressionError(str(error) or type(error).__name__) from None


def is_true(source: str, scope: Scope, **variables: Any) -> bool:
    """The value of a boolean expression. Raises ExpressionError and Unresolved."""
    value = evaluate(source, scope, **variables)
    if not isinstance(value, bool):
        raise ExpressionError(f"{source!r} is {text(value)!r} and not a boolean")
    return value


@lru_cache(maxsize=512)
def _compiled(source: str) -> Code:
    parser = _Parser(tokens(source))
    code = parser.expression(0)
    if parser.token.kind != "end":
        raise ExpressionError(f"unexpected {parser.token.text!r}")
    return code


class _Variable:
    """A dotted name: resolved as a whole by the scope, or member by member where it is a local variable."""

    def __init__(self, path: tuple[str, ...]) -> None:
        self.path = path

    def __call__(self, environment: Environment) -> Any:
        first, *rest = self.path
        if first in environment:
            value = environment[first]
            for name in rest:
                value = member(value, name)
            return value
        scope: Scope = environment[_SCOPE]
        name = ".".join(self.path)
        if name in scope.values or scope.is_empty(name):
            return scope.value(name)
        for length in range(len(self.path) - 1, 0, -1):  # a member of a value, such as item.name.first
            prefix = ".".join(self.path[:length])
            if prefix in scope.values and not isinstance(scope.values[prefix], str):
                value = scope.values[prefix]
                for name_part in self.path[length:]:
                    value = member(value, name_part)
                return value
        nested = {key[len(name) + 1 :]: value for key, value in scope.values.items() if key.startswith(f"{name}.")}
        if nested:
            return nested
        raise Unresolved(name)


class _Parser:
    def __init__(self, found: list[Token]) -> None:
        self._tokens, self._at = found, 0

    @property
    def token(self) -> Token:
        return self._tokens[self._at]

    def _next(self) -> Token:
        token = self._tokens[self._at]
        self._at += token.kind != "end"
        return token

    def _takes(self, symbol: str) -> bool:
        is_next = self.token.text == symbol and self.token.kind in ("symbol", "name")
        if is_next:
            self._next()
        return is_next

    def _expect(self, symbol: str) -> None:
        if not self._takes(symbol):
            raise ExpressionError(f"expected {symbol!r} instead of {self.token.text or 'the end'!r}")

    def expression(self, depth: int) -> Code:
        if depth > MAX_NESTING:
            raise ExpressionError("too deeply nested")
        code = self._coalesced(depth)
        if self._takes("?"):
            yes = self.expression(depth + 1)
            self._expect(":")
            no = self.expression(depth + 1)
            code = _conditional(code, yes, no)
        while self._takes("|"):
            name = self._next()
            code = self._call(name.text, depth, first=code)
        return code

    def _coalesced(self, depth: int) -> Code:
        code = self._binary(0, depth)
        while self._takes("??"):
            code = _coalesce(code, self._binary(0, depth))
        return code

    def _binary(self, level: int, depth: int) -> Code:
        if level == len(_BINARY):
            return self._unary(depth)
        code = self._binary(level + 1, depth)
        while self.token.text in _BINARY[level] and self.token.kind in ("symbol", "name"):
            symbol = self._next().text
            if symbol == "not":
                self._expect("in")
                symbol = "not in"
            code = _operation(symbol, code, self._binary(level + 1, depth))
        return code

    def _unary(self, depth: int) -> Code:
        if depth > MAX_NESTING:
            raise ExpressionError("too deeply nested")
        if self._takes("!") or self._takes("not"):
            inner = self._unary(depth + 1)
            return lambda environment: not boolean(inner(environment))
        if self._takes("-"):
            inner = self._unary(depth + 1)
            return lambda environment: -number(inner(environment))
        if self._takes("+"):
            return self._unary(depth + 1)
        return self._postfix(self._primary(depth), depth)

    def _primary(self, depth: int) -> Code:
        token = self._next()
        match token.kind:
            case "number":
                literal_number = float(token.text) if "." in token.text else int(token.text)
                return lambda environment: literal_number
            case "string":
                literal = string_value(token.text)
                return lambda environment: literal
            case "name":
                return self._named(token.text, depth)
            case "symbol" if token.text == "(":
                inner = self.expression(depth + 1)
                self._expect(")")
                return inner
            case "symbol" if token.text == "[":
                items = self._arguments("]", depth)
                return _paid(lambda environment: [item(environment) for item in items])
            case "symbol" if token.text == "{":
                return self._map(depth)
            case "symbol" if token.text == "#":
                return _Variable((_ELEMENT,))
            case "symbol" if token.text == ".":  # `.name` in a closure is a member of its element
                return _Variable((_ELEMENT, self._next().text))
            case _:
                raise ExpressionError(f"unexpected {token.text or 'end'!r}")

    def _named(self, name: str, depth: int) -> Code:
        constants = {"true": True, "false": False, "nil": None}
        if name in constants:
            return lambda environment: constants[name]
        if self.token.text == "(":
            return self._call(name, depth)
        if name == "sprig" and self._takes("."):
            return self._call(f"sprig.{self._next().text}", depth)
        return _Variable((name,))

    def _postfix(self, code: Code, depth: int) -> Code:
        while True:
            if self._takes(".") or self._takes("?."):
                name = self._next().text
                code = _Variable((*code.path, name)) if isinstance(code, _Variable) else _member_of(code, name)
            elif self._takes("["):
                code = self._index(code, depth)
            else:
                return code

    def _index(self, code: Code, depth: int) -> Code:
        token, following = self.token, self._tokens[self._at + 1]
        if isinstance(code, _Variable) and token.kind == "string" and following.text == "]":
            self._next()
            self._expect("]")
            return _Variable((*code.path, string_value(token.text)))
        start = None if self.token.text == ":" else self.expression(depth + 1)
        if self._takes(":"):
            stop = None if self.token.text == "]" else self.expression(depth + 1)
            self._expect("]")
            return _slice(code, start, stop)
        self._expect("]")
        if start is None:
            raise ExpressionError("an index is missing")
        key = start
        return lambda environment: item(code(environment), key(environment))

    def _arguments(self, end: str, depth: int) -> list[Code]:
        arguments: list[Code] = []
        while not self._takes(end):
            arguments.append(self.expression(depth + 1))
            if self.token.text != end:
                self._expect(",")
        return arguments

    def _map(self, depth: int) -> Code:
        pairs: list[tuple[str, Code]] = []
        while not self._takes("}"):
            token = self._next()
            name = string_value(token.text) if token.kind == "string" else token.text
            self._expect(":")
            pairs.append((name, self.expression(depth + 1)))
            if self.token.text != "}":
                self._expect(",")
        return _paid(lambda environment: {name: code(environment) for name, code in pairs})

    def _call(self, name: str, depth: int, first: Code | None = None) -> Code:
        function = FUNCTIONS.get(name) or SPRIG.get(name)
        if function is None and name not in CLOSURES:
            raise ExpressionError(f"the function {name} is not supported")
        self._expect("(")
        if function is None:
            return self._closure_call(name, depth, first)
        arguments = [*([first] if first is not None else []), *self._arguments(")", depth)]

        def run(environment: Environment) -> Any:
            values = [argument(environment) for argument in arguments]
            environment[_BUDGET].spend(*values)
            return function(*values)

        return _paid(run)

    def _closure_call(self, name: str, depth: int, first: Code | None) -> Code:
        source = first
        if source is None:
            source = self.expression(depth + 1)
            self._expect(",")
        has_braces = self._takes("{")
        body = self.expression(depth + 1)
        if has_braces:
            self._expect("}")
        self._expect(")")
        function, items = CLOSURES[name], source

        def run(environment: Environment) -> Any:
            spend = environment[_BUDGET].spend

            def each(item: Any) -> Any:
                spend(None)
                return body({**environment, _ELEMENT: item})

            return function(list_value(items(environment)), each)

        return _paid(run)


def _paid(code: Code) -> Code:
    """Code that pays for its value."""

    def run(environment: Environment) -> Any:
        value = code(environment)
        environment[_BUDGET].spend(value)
        return value

    return run


def _conditional(test: Code, yes: Code, no: Code) -> Code:
    return lambda environment: yes(environment) if boolean(test(environment)) else no(environment)


def _coalesce(code: Code, default: Code) -> Code:
    def run(environment: Environment) -> Any:
        try:
            value = code(environment)
        except Unresolved:
            value = None
        return default(environment) if value is None else value

    return run


def _operation(symbol: str, left: Code, right: Code) -> Code:
    if symbol in ("&&", "and"):
        return lambda environment: boolean(left(environment)) and boolean(right(environment))
    if symbol in ("||", "or"):
        return lambda environment: boolean(left(environment)) or boolean(right(environment))

    def run(environment: Environment) -> Any:
        first, second = left(environment), right(environment)
        environment[_BUDGET].spend(first, second)
        return applied(symbol, first, second)

    return run


def _member_of(code: Code, name: str) -> Code:
    return lambda environment: member(code(environment), name)


def _slice(code: Code, start: Code | None, stop: Code | None) -> Code:
    def run(environment: Environment) -> Any:
        value = code(environment)
        first = start(environment) if start is not None else None
        last = stop(environment) if stop is not None else None
        return value[first:last]

    return run
