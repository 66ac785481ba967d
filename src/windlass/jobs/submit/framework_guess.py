"""Which framework a script trains with: what it imports says so, or what the files beside it import."""

from pathlib import Path

from windlass.jobs.submit import imports

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
    seen = imports.everything(script, folder)
    for framework, modules in SIGNS.items():
        for module in modules:
            if module in seen:
                return framework, module
    return None
