"""Google's RE2, whose time grows with the text and never exponentially: the one inside the CEL runtime.

The runtime takes 9 MB of memory and is imported at the first search, not with this module.
"""

from functools import cache
from importlib import import_module
from typing import Any

_GO_WORDS = {
    "missing )": "missing closing )",
    "missing ]": "missing closing ]",
    "bad repetition operator": "invalid nested repetition operator",
    "no argument for repetition operator": "missing argument to repetition operator",
    "invalid repetition size": "invalid repeat count",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid named capture group": "invalid named capture",
    "trailing \\": "trailing backslash at end of expression",
}
"""Messages of RE2 for which Go has other words."""


class BadPattern(ValueError):
    """The pattern is not a regular expression, or takes too long; the message is Go's where Go has one."""


def is_found(pattern: str, text: str) -> bool:
    """Whether the pattern matches somewhere in the text. Raises BadPattern."""
    environment, expression = _program()
    try:
        value = expression.eval(environment.Activation({"text": text, "pattern": pattern}))
    except RuntimeError as error:
        raise BadPattern(f"error parsing regexp: {error}: `{pattern}`") from None
    if value.type().name() == "ERROR":
        raise BadPattern(_message(str(value.plain_value()), pattern))
    return bool(value.plain_value())


def _message(status: str, pattern: str) -> str:
    problem = status.rpartition("regular expression: ")[2] if "invalid regular expression: " in status else status
    for ours, words in _GO_WORDS.items():
        if problem.startswith(ours):
            return f"error parsing regexp: {words}: `{problem[len(ours) :].removeprefix(': ') or pattern}`"
    return f"error parsing regexp: {problem}"


@cache
def _program() -> tuple[Any, Any]:
    cel = import_module("cel_expr_python.cel")
    environment = cel.NewEnv(variables={"text": cel.Type.STRING, "pattern": cel.Type.STRING})
    return environment, environment.compile("text.matches(pattern)")
