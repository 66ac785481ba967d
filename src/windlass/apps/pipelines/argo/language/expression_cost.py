"""The cost of an expression: each value that it makes or looks at, so that a short text cannot occupy the manager."""

from typing import Any

from windlass.apps.pipelines.argo.language.expression_lexer import ExpressionError
from windlass.kube.json import is_list, is_object

MAX_COST = 2_000_000
"""About a second."""
_CHARACTERS = 64
"""Of a text or bits of a number, that cost as much as a value."""


class Budget:
    """The cost that an evaluation has left."""

    def __init__(self) -> None:
        self._left = MAX_COST

    def spend(self, *values: Any) -> None:
        """Pay for values with all that they contain. Raises ExpressionError."""
        pending = list(values)
        while pending:
            value = pending.pop()
            self._left -= 1
            if isinstance(value, str):
                self._left -= len(value) // _CHARACTERS
            elif isinstance(value, int):
                self._left -= value.bit_length() // _CHARACTERS
            elif is_list(value):
                self._left -= len(value)
                self._check()
                pending += value
            elif is_object(value):
                self._left -= 2 * len(value)
                self._check()
                pending += value.values()
        self._check()

    def _check(self) -> None:
        if self._left < 0:
            raise ExpressionError("the expression makes or looks at too many values")
