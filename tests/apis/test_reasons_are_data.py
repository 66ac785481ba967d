"""No decision reads a sentence: reasons are structs, and text is made of them, never the other way round."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import windlass
from windlass.apis.reason_text import NODE_CAUSES

SOURCE = Path(windlass.__file__).parent
PACKAGES = ("apis", "apps", "cli", "controllers", "scheduler", "webhooks")
SPLITTING = {"split", "rsplit", "partition", "rpartition", "find"}
READING = {*SPLITTING, "startswith", "endswith", "removeprefix", "removesuffix"}
TEXT = re.compile(r"(message|reason|why|sentence|explanation)s?$")

# Text of other programs, of which there is no data. The list only gets shorter.
AUDITED: dict[str, set[str]] = {}


def name_of(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Call(func=ast.Attribute(attr=name)):
            return name
        case ast.Call(func=ast.Name(id=name)):
            return name
        case _:
            return ""


def readings(tree: ast.Module) -> Iterator[str]:
    """Expressions that look into a text whose name says that it explains something."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=text, attr=method)) if method in READING:
                if TEXT.search(name_of(text)):
                    yield ast.unparse(node)
            case ast.Compare(left=ast.Constant(value=str()), ops=[ast.In() | ast.NotIn()], comparators=[text]) if (
                TEXT.search(name_of(text))
            ):
                yield ast.unparse(node)
            case _:
                pass


MODULES = [path for package in PACKAGES for path in sorted((SOURCE / package).rglob("*.py"))]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_module_decides_by_no_sentence(path: Path) -> None:
    found = set(readings(ast.parse(path.read_text())))

    assert found == AUDITED.get(str(path.relative_to(SOURCE)), set())


@pytest.mark.parametrize(
    "code",
    [
        "if 'terminating pod' not in found.message: pass",
        "reason = waiting_reason.split(': ')[1]",
        "short = condition_message(group).partition('Origin reason is ')[2]",
        "late = error.message.startswith('queue')",
    ],
)
def test_a_module_that_reads_a_sentence_is_found(code: str) -> None:
    assert len(list(readings(ast.parse(code)))) == 1


def codes_in(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and name_of(node) == "NodeCause" and node.args:
            constants = (one.value for one in ast.walk(node.args[0]) if isinstance(one, ast.Constant))
            yield from (value for value in constants if isinstance(value, str))


def test_every_cause_of_a_node_has_words_and_all_words_are_of_use() -> None:
    paths = [SOURCE / "apis" / "reasons.py", *(SOURCE / "scheduler").rglob("*.py")]
    used = {code for path in paths for code in codes_in(ast.parse(path.read_text()))}
    assert used == set(NODE_CAUSES)
