"""Which scenarios there are, found without importing them: they run as somebody else."""

import ast
from pathlib import Path

_SHARED = Path(__file__).with_name("shared_scenarios.py")


def scenario_names(path: Path) -> list[str]:
    """Of a file of scenarios, and those that it shares with others."""
    nodes = [*ast.parse(path.read_text()).body, *ast.parse(_SHARED.read_text()).body]
    return [node.name for node in nodes if isinstance(node, ast.AsyncFunctionDef) and not node.name.startswith("_")]
