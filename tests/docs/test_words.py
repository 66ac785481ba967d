"""The words of Windlass are those of Kubernetes' and Python's own documentation."""

import ast
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from .pages import PAGES, ROOT

SOURCE = ROOT / "src" / "windlass"
TESTS = ROOT / "tests"
UI = ROOT / "ui" / "src"

# In docstrings, in comments, and in every string, since most strings reach a user or a log.
FOREIGN_PHRASES = re.compile(
    r"""\b(
      anew | told | tells? | telling | tellers? | deeds? | fares? | fared | in\ vain | aloud | plight | mend(s|ed|ing)?
    | lets?\ in | letting\ in | let(s|ting)?\s+(\w+\s+){1,2}in(?!\s+(this|that|these|the|a)\b)
    | makes?\ (\w+\ )?(others|these|them|those|nobody|somebody|room\ of)\ go | makes?\ go
    | goes\ on | go\ on | went\ on | whoever | somebody | anybody | hears? | heard
    | looks?\ again | looked\ again | (a|one|each|every|the|this|next)\ look | looks?\ up\ to
    | is\ there\ any\ more | thereof | wherein | ought | befits? | forthwith | its\ like | their\ like | kin
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)

# As a part of the name of a module, class, function, method, parameter or constant.
FOREIGN_NAME_PARTS = frozenset(
    {
        "anew", "asking", "asker", "deed", "deeds", "every", "fares", "fewest", "ground", "keeping", "look", "looks",
        "means", "mend", "most", "never", "patience", "seen", "supposed", "tell", "teller", "telling", "tells", "told",
        "unread", "whom", "whose", "wish", "wishes",
    }
)  # fmt: skip

# As the whole name of a class, type alias or module.
FOREIGN_NAMES = frozenset({"happening", "places", "tell", "written"})

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def checked_modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def foreign_phrases(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for match in FOREIGN_PHRASES.finditer(node.value):
                yield f"line {node.lineno}: {match.group()!r} in {node.value.strip()[:80]!r}"


def foreign_comments(path: Path) -> Iterator[str]:
    with tokenize.open(path) as file:
        for token in tokenize.generate_tokens(file.readline):
            if token.type == tokenize.COMMENT:
                for match in FOREIGN_PHRASES.finditer(token.string):
                    yield f"line {token.start[0]}: {match.group()!r} in {token.string!r}"


def public_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                yield node.lineno, node.name
            case ast.arg():
                yield node.lineno, node.arg
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)) if (
                is_constant_or_type(name)
            ):
                yield node.lineno, name
            case _:
                pass


def is_constant_or_type(name: str) -> bool:
    return name.lstrip("_")[:1].isupper()


def foreign_names(path: Path, tree: ast.Module) -> Iterator[str]:
    for line, name in [(1, path.stem), *public_names(tree)]:
        parts = {part.lower() for part in WORD.findall(name)}
        for part in sorted(parts & FOREIGN_NAME_PARTS):
            yield f"line {line}: {part!r} in the name {name}"
        if (line == 1 or is_constant_or_type(name)) and name.lower() in FOREIGN_NAMES:
            yield f"line {line}: the name {name}"


@pytest.mark.parametrize("path", checked_modules(), ids=lambda path: str(path.relative_to(SOURCE)))
def test_module_uses_the_words_of_kubernetes_and_python(path: Path) -> None:
    tree = ast.parse(path.read_text())

    assert [*foreign_phrases(tree), *foreign_comments(path), *foreign_names(path, tree)] == []


@pytest.mark.parametrize("path", sorted(TESTS.rglob("*.py")), ids=lambda path: str(path.relative_to(TESTS)))
def test_comments_of_a_test_use_the_words_of_kubernetes_and_python(path: Path) -> None:
    assert list(foreign_comments(path)) == []


def ui_modules() -> list[Path]:
    return sorted(path for path in UI.rglob("*") if path.suffix in {".ts", ".tsx", ".css"})


@pytest.mark.parametrize("path", ui_modules(), ids=lambda path: str(path.relative_to(UI)))
def test_module_of_the_dashboard_uses_the_words_of_kubernetes_and_python(path: Path) -> None:
    assert [
        f"line {at}: {match.group()!r} in {line.strip()[:80]!r}"
        for at, line in enumerate(path.read_text().splitlines(), 1)
        for match in FOREIGN_PHRASES.finditer(line)
    ] == []


@pytest.mark.parametrize(
    ("text", "is_foreign"),
    [
        ("once the scheduler has let the group in", True),
        ("the gateway lets them in.", True),
        ("starts anew", True),
        ("Let users who sign in make a profile", False),
        ("let x = 1; in", False),
    ],
)
def test_phrases_are_found_in_one_piece_and_split(text: str, is_foreign: bool) -> None:
    assert bool(FOREIGN_PHRASES.search(text)) == is_foreign


def test_names_of_types_are_checked_too() -> None:
    tree = ast.parse("Tell: TypeAlias = int\nHappening = str\n_WHOSE = 1\nplace = 2\n")

    assert len(list(foreign_names(Path("places.py"), tree))) == 5


# In the prose of the documentation; `room` for space is plain English, but a package is not a room.
FOREIGN_PROSE = re.compile(
    r"""\b(
      anew | told | tells? | telling | deeds? | fares? | in\ vain | aloud | mend(s|ed|ing)? | throw-away
    | lets?\ in | let\ into | letting\ in
    | let(s|ting)?\s+(\w+\s+){1,2}in(?!\s+(this|that|these|the|a)\b)
    | goes\ on | go\ on | went\ on | whoever | somebody | anybody
    | hears? | heard | looks?\ again | thereof | wherein | ought | befits? | forthwith | kin | rooms | house
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
FENCED_BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]+`")


def without_code(text: str) -> str:
    """The text with its code blocks and inline code blanked, and its line numbers unchanged."""
    blanked = FENCED_BLOCK.sub(lambda match: "\n" * match.group().count("\n"), text)
    return CODE.sub("", blanked)


@pytest.mark.parametrize(
    "path", [*PAGES, ROOT / "CHANGELOG.md", ROOT / "Makefile"], ids=lambda path: str(path.relative_to(ROOT))
)
def test_page_uses_the_words_of_kubernetes_and_python(path: Path) -> None:
    lines = without_code(path.read_text()).splitlines()
    assert [
        f"line {at}: {match.group()!r}" for at, line in enumerate(lines, 1) for match in FOREIGN_PROSE.finditer(line)
    ] == []
