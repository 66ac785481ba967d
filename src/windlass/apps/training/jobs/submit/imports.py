"""The imports of a script, and of its own modules in the folder that is sent to the pods."""

import ast
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

STANDARD_LIBRARY = sys.stdlib_module_names | {
    "asynchat",
    "asyncore",
    "distutils",
    "imp",
    "smtpd",
    "telnetlib",
    "cgi",
    "cgitb",
}
"""Modules of Python, including those that were removed in newer versions."""
IMPORT_ERRORS = ("ImportError", "ModuleNotFoundError", "Exception", "BaseException")


@dataclass(frozen=True)
class Import:
    """`from ..a import b` has the module `a`, the names `b` and the level 2; `import a.b` no names and the level 0."""

    module: str
    names: tuple[str, ...] = ()
    level: int = 0
    optional: bool = False
    """The script works without it: the failure is caught, or only type checkers import it."""


def imported_modules(script: Path, folder: Path) -> set[str]:
    """Top-level modules that a script and its own modules import, including optional ones."""
    return {one.module.partition(".")[0] for one in _follow(script, folder) if not one.level}


def third_party(script: Path, folder: Path) -> set[str]:
    """Dotted modules that a script and its own modules need and that neither Python nor the folder provides."""
    found: set[str] = set()
    for one in _follow(script, folder):
        top = one.module.partition(".")[0]
        if one.level or one.optional or top in STANDARD_LIBRARY or top.startswith("__"):
            continue
        if not any(_is_own(top, place) for place in {script.parent, folder}):
            found |= {f"{one.module}.{name}" for name in one.names} or {one.module}
    return found


def imports_of(nodes: Iterable[ast.AST], *, optional: bool = False) -> Iterator[Import]:
    """All imports in nodes of a syntax tree."""
    for node in nodes:
        match node:
            case ast.Import():
                yield from (Import(alias.name, optional=optional) for alias in node.names)
            case ast.ImportFrom():
                names = tuple(alias.name for alias in node.names if alias.name != "*")
                yield Import(node.module or "", names, node.level, optional)
            case ast.Try() if any(_allows_absence(handler) for handler in node.handlers):
                yield from imports_of((*node.body, *node.handlers, *node.orelse), optional=True)
                yield from imports_of(node.finalbody, optional=optional)
            case ast.If() if _is_for_type_checkers(node.test):
                yield from imports_of(node.body, optional=True)
                yield from imports_of(node.orelse, optional=optional)
            case _:
                yield from imports_of(ast.iter_child_nodes(node), optional=optional)


def _follow(script: Path, folder: Path) -> Iterator[Import]:
    """The imports of a script, and those of its own modules, recursively."""
    todo = [(script, False)]
    seen = set(todo)
    while todo:
        file, optional = todo.pop()
        for one in _imports_in(file, optional=optional):
            yield one
            own = {(path, one.optional) for path in _own_files(one, file, (script.parent, folder))} - seen
            seen |= own
            todo += sorted(own)


def _imports_in(file: Path, *, optional: bool) -> Iterator[Import]:
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, OSError):  # the pod will say what is wrong with it
        return
    yield from imports_of([tree], optional=optional)


def _own_files(one: Import, file: Path, places: tuple[Path, ...]) -> Iterator[Path]:
    """The files that Python would load for an import: the packages on the path, and the imported names."""
    if one.level:
        places = (file.parents[one.level - 1],) if one.level <= len(file.parents) else ()
    words = one.module.split(".") if one.module else []
    paths = [Path(*words[:end]) for end in range(1, len(words) + 1)]
    paths += [Path(*words, name) for name in one.names]
    for place in places:
        for path in paths:
            for candidate in (place / path.with_suffix(".py"), place / path / "__init__.py"):
                if candidate.is_file():
                    yield candidate


def _is_own(name: str, place: Path) -> bool:
    """Whether a folder has a module: a file, or a folder that contains Python files."""
    if (place / f"{name}.py").is_file() or next(place.glob(f"{name}.*.so"), None) or (place / f"{name}.so").is_file():
        return True
    return any((place / name).glob("*.py")) or any((place / name).glob("*/*.py"))


def _allows_absence(handler: ast.ExceptHandler) -> bool:
    """Whether a script continues after a failed import."""
    caught = handler.type
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    catches = any(kind is None or (isinstance(kind, ast.Name) and kind.id in IMPORT_ERRORS) for kind in kinds)
    return catches and not any(_gives_up(node) for node in ast.walk(handler))


def _gives_up(node: ast.AST) -> bool:
    is_exit = (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute | ast.Name)
        and "exit" in (node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id)
    )
    return is_exit or isinstance(node, ast.Raise)


def _is_for_type_checkers(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )
