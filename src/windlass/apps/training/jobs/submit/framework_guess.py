"""Guesses the framework of a script from its imports and those of its own modules."""

from pathlib import Path

from windlass.apps.training.jobs.submit import imports

FRAMEWORK_MODULES: dict[str, tuple[str, ...]] = {
    "mpi": ("mpi4py", "horovod"),
    "paddle": ("paddle",),
    "tensorflow": ("tensorflow", "keras", "tf_keras"),
    "pytorch": ("torch", "pytorch_lightning", "lightning", "accelerate", "transformers", "deepspeed"),
    "jax": ("jax", "flax", "optax"),
    "xgboost": ("xgboost", "lightgbm"),
    "mxnet": ("mxnet",),
}
"""In order of precedence: a script that imports mpi4py and torch is started by mpirun."""


def guess(script: Path, folder: Path) -> tuple[str, str] | None:
    """The framework, and the imported module that identified it; None if there is none."""
    modules_imported = imports.imported_modules(script, folder)
    for framework, modules in FRAMEWORK_MODULES.items():
        for module in modules:
            if module in modules_imported:
                return framework, module
    return None
