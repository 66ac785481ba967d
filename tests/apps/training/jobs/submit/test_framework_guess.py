"""The framework of a script is what it imports, or what its own modules do."""

from pathlib import Path

import pytest

from windlass.apps.training.jobs.submit.framework_guess import guess


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import torch", ("pytorch", "torch")),
        ("from torch.nn import Linear", ("pytorch", "torch")),
        ("import tensorflow as tf", ("tensorflow", "tensorflow")),
        ("def f():\n    import keras", ("tensorflow", "keras")),
        ("import xgboost, torch", ("pytorch", "torch")),
        ("import xgboost", ("xgboost", "xgboost")),
        ("from mpi4py import MPI\nimport torch", ("mpi", "mpi4py")),
        ("import jax.numpy as jnp", ("jax", "jax")),
        ("import paddle", ("paddle", "paddle")),
        ("import mxnet", ("mxnet", "mxnet")),
        ("import numpy", None),
        ("import torchlight", None),
        ("this is not Python", None),
    ],
)
def test_imports_give_it_away(tmp_path: Path, source: str, found: tuple[str, str] | None) -> None:
    script = tmp_path / "train.py"
    script.write_text(source)

    assert guess(script, tmp_path) == found


def test_modules_beside_the_script_are_looked_into_even_if_they_import_each_other(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "train.py").write_text("from lib import model\nimport helper")
    (tmp_path / "helper.py").write_text("import train")
    (tmp_path / "lib" / "__init__.py").write_text("import lib.model")
    (tmp_path / "lib" / "model.py").write_text("import jax")

    assert guess(tmp_path / "train.py", tmp_path) == ("jax", "jax")
