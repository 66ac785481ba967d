"""Tokens of expressions."""

import re
from typing import Literal, NamedTuple, TypeAlias

from windlass.kube.json import parse

Kind: TypeAlias = Literal["number", "string", "name", "symbol", "end"]
_TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>\d+\.\d+(?:[eE][+-]?\d+)?|\d+)
    | (?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`)
    | (?P<name>[A-Za-z_$][A-Za-z0-9_$]*)
    | (?P<symbol>\?\?|\?\.|\*\*|\.\.|==|!=|<=|>=|&&|\|\||=~|!~|[-+*/%<>!?:.,()\[\]{}|\#])
    )""",
    re.VERBOSE,
)
MAX_LENGTH = 64 * 1024


class ExpressionError(ValueError):
    """Says what is wrong with an expression."""


class Token(NamedTuple):
    kind: Kind
    text: str


def tokens(source: str) -> list[Token]:
    """Split an expression into its tokens. Raises ExpressionError."""
    if len(source) > MAX_LENGTH:
        raise ExpressionError(f"longer than {MAX_LENGTH} characters")
    lexed: list[Token] = []
    at = 0
    end = len(source.rstrip())
    while at < end:
        match = _TOKEN.match(source, at)
        if match is None:
            raise ExpressionError(f"unexpected {source[at:].strip()[:20]!r}")
        for kind in ("number", "string", "name", "symbol"):
            if match[kind] is not None:
                lexed.append(Token(kind, match[kind]))
        at = match.end()
    return [*lexed, Token("end", "")]


def string_value(literal: str) -> str:
    """The text of a string literal in either kind of quotes."""
    body = literal[1:-1]
    if literal[0] == "`":
        return body
    if literal[0] == "'":
        body = body.replace("\\'", "'").replace('"', '\\"')
    try:
        return str(parse(f'"{body}"'))
    except ValueError:
        return body
