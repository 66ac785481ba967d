"""Imports that import-linter cannot forbid, since it knows packages of others only as a whole."""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

from .pages import ROOT

FORBIDDEN = frozenset({"urllib.request", "urllib3", "socketserver"})
"""`urllib.parse`, which does no I/O, is free to use."""


def deciding_modules() -> Iterator[Path]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (contract,) = [
        contract
        for contract in settings["tool"]["importlinter"]["contracts"]
        if contract["name"] == "Deciding does no I/O"
    ]
    for name in contract["source_modules"]:
        pattern = name.replace(".", "/")
        yield from (ROOT / "src").glob(f"{pattern}.py")
        yield from (ROOT / "src").glob(f"{pattern}/**/*.py")


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_deciding_does_not_open_urls() -> None:
    modules = list(deciding_modules())

    assert len(modules) > 500
    assert [str(path) for path in modules if FORBIDDEN.intersection(imports(path))] == []
