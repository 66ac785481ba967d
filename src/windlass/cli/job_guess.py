"""Which framework a script trains with: what it imports says so, or what the files beside it import."""

import ast
from collections.abc import Iterator
from pathlib import Path

SIGNS: dict[str, tuple[str, ...]] = {
    "mpi": ("mpi4py", "horovod"),
    "paddle": ("paddle",),
    "tensorflow": ("tensorflow", "keras", "tf_keras"),
    "pytorch": ("torch", "pytorch_lightning", "lightning", "accelerate", "transformers", "deepspeed"),
    "jax": ("jax", "flax", "optax"),
    "xgboost": ("xgboost", "lightgbm"),
    "mxnet": ("mxnet",),
}
"""In the order in which they decide: who says mpi4py and torch wants mpirun to start torch."""


def guess(script: Path, folder: Path) -> tuple[str, str] | None:
    """The framework and the module that gave it away; None where nothing does."""
    seen = imported(script, folder)
    for framework, modules in SIGNS.items():
        for module in modules:
            if module in seen:
                return framework, module
    return None


def imported(script: Path, folder: Path) -> set[str]:
    """Top-level names that a script imports, and those that its own modules in the folder do."""
    names: set[str] = set()
    todo, done = [script], set[Path]()
    while todo:
        file = todo.pop()
        done.add(file)
        for name in imports_of(file):
            names.add(name.partition(".")[0])
            todo += [own for own in _own_files(name, script.parent, folder) if own not in done]
    return names


def imports_of(file: Path) -> Iterator[str]:
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, OSError):  # the pod will say what is wrong with it
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from (alias.name for alias in node.names)


def _own_files(module: str, *folders: Path) -> Iterator[Path]:
    path = Path(*module.split("."))
    for folder in folders:
        for file in (folder / path.with_suffix(".py"), folder / path / "__init__.py"):
            if file.is_file():
                yield file
