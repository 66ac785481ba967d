"""Compiles and runs CEL expressions with Kubernetes' functions, on Google's CEL runtime.

The first call here loads the runtime, not the import of this module: a server without rules does not need it. The
runtime limits every evaluation (ten thousand loop iterations, regular expressions in linear time), so that no rule can
block the server. Its error messages are converted to those of Kubernetes' own runtime.
"""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, TypeAlias

Variables: TypeAlias = tuple[tuple[str, str], ...]
"""Names with their types: `dyn`, `bool`, `int`, `double`, `string`, `bytes`, `timestamp`, `duration`, `object`,
`list(...)`, `map(...)`."""

_CONFIG = "name: kubernetes\nextensions:\n" + "".join(
    f"- name: {name}\n"
    for name in (
        *("strings", "optional", "math", "bindings", "encoders", "sets", "lists", "regex"),
        "two-var-comprehensions",
    )
)
# Messages of cel-expr-python, whose errors have no other fields: only `_evaluation_error` reads them.
_STATUS = re.compile(r"^(?:[A-Z_]+): |\s*\[[A-Z_]+\]$")
_MISSING_KEY = re.compile(r'^Key not found in map : "?(.*?)"?$')
_EXHAUSTED = "Iteration budget exceeded"
_TRANSLATIONS = (
    (re.compile(r"^No matching overloads found.*", re.DOTALL), "no such overload"),
    (re.compile(r"^Applying SELECT to non-message type.*"), "no such overload"),
    (re.compile(r"^Index error: index=(-?\d+).*"), r"index out of bounds: \1"),
    (re.compile(r"^divide by zero$"), "division by zero"),
)


class CompileError(ValueError):
    """An expression that cannot be compiled; the text is CEL's, with line, column and a marker."""


class EvaluationError(Exception):
    """An expression that failed on this input, with the message of Kubernetes' runtime."""

    def __init__(self, message: str, *, missing_key: str | None = None, is_exhausted: bool = False) -> None:
        super().__init__(message)
        self.missing_key = missing_key
        """The key that a map does not have, if that is the reason."""
        self.is_exhausted = is_exhausted
        """Whether the evaluation exceeded its limit, rather than failed on a value."""


class Program:
    """A compiled expression. `run` takes the result of `Environment.bind`, or plain variables."""

    __slots__ = ("_expression", "returns", "source")

    def __init__(self, source: str, expression: Any) -> None:
        self.source = source
        self._expression = expression
        self.returns: str = expression.return_type().name()

    def serialised(self) -> bytes:
        """The checked expression in the runtime's serialized form; see `syntax`."""
        return self._expression.serialize()

    def run(self, bound: Any) -> Any:
        try:
            value = self._expression.eval(bound)
        except RuntimeError as error:
            raise _evaluation_error(str(error)) from error
        if value.type().name() == "ERROR":
            raise _evaluation_error(str(value.plain_value()))
        return value.plain_value()


class Environment:
    """A set of variables that expressions may use."""

    def __init__(self, variables: Variables) -> None:
        from windlass.apiserver.cel.library import functions

        cel = runtime()
        self.variables = variables
        self._env = cel.NewEnv(
            variables={name: type_of(spelt) for name, spelt in variables},
            config=_config(),
            extensions=[cel.CelExtension("kubernetes", functions(cel))],
        )
        self._env.compile("true")  # until the first one, `bind` does not know the variables' types

    def compile(self, source: str) -> Program:
        try:
            return Program(source, self._env.compile(source))
        except RuntimeError as error:
            raise CompileError(_STATUS.sub("", str(error))) from error

    def bind(self, values: Mapping[str, Any]) -> Any:
        """Convert variables once, for any number of programs of this environment."""
        return self._env.Activation(values)


@lru_cache(maxsize=512)
def environment(variables: Variables) -> Environment:
    return Environment(variables)


@lru_cache(maxsize=4096)
def compiled(source: str, variables: Variables) -> Program:
    """Compile an expression, cached; raises CompileError, which is not cached."""
    return environment(variables).compile(source)


def runtime() -> Any:
    """The CEL module, imported on first use."""
    return import_module("cel_expr_python.cel")


@cache
def _config() -> Any:
    return runtime().NewEnvConfigFromYaml(_CONFIG)


@cache
def type_of(spelt: str) -> Any:
    """The runtime's type for a short name, including `list(int)` and `map(string)`."""
    types = runtime().Type
    if spelt.startswith("list("):
        return types.List(type_of(spelt[5:-1]))
    if spelt.startswith("map("):
        return types.Map(types.STRING, type_of(spelt[4:-1]))
    if spelt == "object":
        return types.Map(types.STRING, types.DYN)
    return getattr(types, spelt.upper())


def _evaluation_error(message: str) -> EvaluationError:
    """Convert an error message of the runtime to an error with the message of Kubernetes' runtime."""
    text = _STATUS.sub("", _STATUS.sub("", message))
    if missing := _MISSING_KEY.match(text):
        return EvaluationError(f"no such key: {missing[1]}", missing_key=missing[1])
    if text == _EXHAUSTED:
        return EvaluationError("operation cancelled: actual cost limit exceeded", is_exhausted=True)
    for pattern, replacement in _TRANSLATIONS:
        if pattern.match(text):
            return EvaluationError(pattern.sub(replacement, text))
    return EvaluationError(text)


def regex_find(text: str, pattern: str) -> str:
    """The first match, or an empty string."""
    variables = {"text": text, "pattern": _one_group(pattern)}
    return _regex("regex.extract(text, pattern).orValue('')").run(environment(_REGEX_VARIABLES).bind(variables))


def regex_find_all(text: str, pattern: str) -> list[str]:
    variables = {"text": text, "pattern": _one_group(pattern)}
    return _regex("regex.extractAll(text, pattern)").run(environment(_REGEX_VARIABLES).bind(variables))


_REGEX_VARIABLES: Variables = (("pattern", "string"), ("text", "string"))


def _regex(source: str) -> Program:
    return compiled(source, _REGEX_VARIABLES)


def _one_group(pattern: str) -> str:
    """The pattern as its own only group, since the runtime extracts groups."""
    out: list[str] = []
    at, in_class = 0, False
    while at < len(pattern):
        char = pattern[at]
        if char == "\\":
            out.append(pattern[at : at + 2])
            at += 2
            continue
        if in_class:
            in_class = char != "]"
        elif char == "[":
            in_class = True
        elif char == "(":
            named = re.match(r"\(\?P?<\w+>", pattern[at:])
            if named or pattern[at + 1 : at + 2] != "?":
                out.append("(?:")
                at += named.end() if named else 1
                continue
        out.append(char)
        at += 1
    return f"({''.join(out)})"
